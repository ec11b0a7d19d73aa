import HTTPChainAuth
import HTTPChainCore

/// An answer that a request carries, and how the call came to it.
struct DigestAnswer: Sendable {
    let ticket: DigestTicket
    let computation: DigestComputation
    /// Whether it was sent before the server asked in this call.
    var isUnasked = false
    /// How many answers of this call only replaced a nonce.
    var renewals = 0
    /// How many credentials were refused in this call.
    var rejections = 0
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
