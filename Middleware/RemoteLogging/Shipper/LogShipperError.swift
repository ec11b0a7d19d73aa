public import HTTPChainCore
public import HTTPTypes

/// The reason why a batch of log records wasn't delivered, unless it is an error of the chain.
public struct LogShipperError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The receiver responded with this status.
        ///
        /// It may accept the batch later.
        case later(HTTPResponse.Status)
        /// The receiver rejects the batch as too large (413), although it has only one record.
        case tooLarge
        /// The receiver will never accept the batch, for the given reason.
        case refused(String)
        /// There was no complete response within ``LogShipper/Settings/exportTimeout``.
        case timedOut(Duration)
    }

    /// The problem.
    public let problem: Problem

    /// Makes the error for a problem.
    package init(_ problem: Problem) {
        self.problem =
            if case .refused(let reason) = problem { .refused(Redaction.standard.text(reason)) } else { problem }
    }

    /// Always "LogShipper".
    package var failedStage: String { "LogShipper" }

    package var explanation: Explanation {
        switch problem {
        case .later(let status):
            Explanation(
                "the receiver responded with \(status.code), and may accept the batch later",
                status == .unauthorized || status == .forbidden
                    ? "check the credentials that the shipper's chain sends; the records are kept meanwhile" : nil
            )
        case .tooLarge: Explanation("the receiver responded with 413: the batch is too large")
        case .refused(let reason):
            Explanation("the receiver refused the batch: \(reason)")
        case .timedOut(let limit):
            Explanation("the receiver did not respond within \(limit)", "make batches smaller or exportTimeout longer")
        }
    }
}
