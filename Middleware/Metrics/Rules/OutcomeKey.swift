import HTTPChainCore
import HTTPTypes

/// The outcome of an attempt or a call, by its attributes.
struct OutcomeKey: Sendable, Hashable {
    /// The response's status; 0 if there was none.
    var status: Int
    /// `error.type`; `nil` if there was no error.
    var error: String?
    /// `network.protocol.version`; `nil` if it's unknown or not recorded.
    var version: String?

    /// The key for all outcomes beyond the limit.
    static let other = OutcomeKey(status: 0, error: HTTPSemantics.otherMethod)

    init(status: Int, error: String?) {
        self.status = status
        self.error = error
    }

    /// Makes the outcome of a response whose body hasn't ended yet.
    init(_ status: Int) {
        self.init(status: status, error: HTTPSemantics.isError(status) ? String(status) : nil)
    }

    /// Makes the outcome of a thrown error.
    init(throwing error: any Error, isTimeUp: Bool) {
        self.init(
            status: (error as? any ResponseError)?.response.head.status.code ?? 0,
            error: HTTPSemantics.errorType(of: error, isTimeUp: isTimeUp)
        )
    }

    /// Returns the outcome of the same response after its body has ended.
    func ended(_ end: BodyEnd, isTimeUp: Bool) -> OutcomeKey {
        guard case .failed(let failure) = end,
            let type = HTTPSemantics.errorType(of: failure, isTimeUp: isTimeUp)
        else { return self }
        var outcome = self
        outcome.error = type
        return outcome
    }

    /// Returns the same outcome with the version of its protocol.
    func over(_ version: String?) -> OutcomeKey {
        var outcome = self
        outcome.version = version
        return outcome
    }
}
