import HTTPChainAuth
import HTTPChainCore

/// An answer that a request carries, and how the call came to it.
///
/// An object, because it is handed on with the request by everybody who has it, and is read once.
final class DigestAnswer: Sendable {
    /// The answers that the call has sent before.
    struct History: Sendable {
        /// Whether the answer was sent before the server asked in this call.
        var isPreemptive = false
        /// How many answers of this call only replaced a nonce.
        var nonceReplacements = 0
        /// The number of credentials that were refused in this call.
        var rejections = 0
    }

    let input: DigestInput
    let computation: DigestComputation
    let history: History

    init(_ input: DigestInput, _ computation: DigestComputation, _ history: History) {
        self.input = input
        self.computation = computation
        self.history = history
    }
}

/// The answers that a request carries, to the server and to a proxy.
enum DigestAnswers: RequestOption {
    struct Value: Sendable {
        var origin: DigestAnswer?
        var proxy: DigestAnswer?

        subscript(target: AuthenticationTarget) -> DigestAnswer? {
            get { target == .origin ? origin : proxy }
            set { if target == .origin { origin = newValue } else { proxy = newValue } }
        }
    }

    static var defaultValue: Value { Value() }
    static var isCredential: Bool { true }
}
