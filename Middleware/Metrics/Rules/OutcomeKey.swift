import HTTPChainCore
import HTTPTypes

/// How an attempt or a call ended, as its attributes tell it.
struct OutcomeKey: Sendable, Hashable {
    /// The status of the answer; 0 when there was none.
    var status: Int
    /// `error.type`; nil where nothing is wrong.
    var error: String?
    /// `network.protocol.version`; nil where it is not known or not asked for.
    var version: String?

    /// The key that stands for all outcomes beyond the limit.
    static let other = OutcomeKey(status: 0, error: HTTPSemantics.otherMethod)

    init(status: Int, error: String?) {
        self.status = status
        self.error = error
    }

    /// An answer whose body is still to come.
    init(_ status: Int) {
        self.init(status: status, error: HTTPSemantics.isError(status) ? String(status) : nil)
    }

    /// No answer.
    init(throwing error: any Error, isTimeUp: Bool) {
        self.init(
            status: (error as? any ResponseError)?.response.head.status.code ?? 0,
            error: HTTPSemantics.errorType(of: error, isTimeUp: isTimeUp)
        )
    }

    /// The same answer, whose body has ended.
    func ended(_ end: BodyEnd, isTimeUp: Bool) -> OutcomeKey {
        guard case .failed(let failure) = end,
            let type = HTTPSemantics.errorType(of: failure, isTimeUp: isTimeUp)
        else { return self }
        var outcome = self
        outcome.error = type
        return outcome
    }

    /// The same outcome over a protocol.
    func over(_ version: String?) -> OutcomeKey {
        var outcome = self
        outcome.version = version
        return outcome
    }
}
