import HTTPChainAuth
import HTTPChainCore

/// A request's answer, and its history in the call.
struct DigestAnswer: Sendable {
    /// The earlier answers of the call.
    struct History: Sendable {
        /// Whether the answer was sent preemptively in this call.
        var isPreemptive = false
        /// The number of answers in this call that only replaced a nonce.
        var nonceReplacements = 0
        /// The number of credentials rejected in this call.
        var rejections = 0
    }

    let input: DigestInput
    let computation: DigestComputation
    let history: History
}

/// The answers in a request, to the server and to a proxy.
enum DigestAnswersNote: RequestNote {
    static var defaultValue: [AuthenticationTarget: DigestAnswer] { [:] }
    static var isCredential: Bool { true }
}
