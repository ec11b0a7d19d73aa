import HTTPTypes

extension HTTPSemantics {
    /// Returns the `error.type` of an error: one of a few values, never derived from the error's text.
    ///
    /// - Returns: "timeout"; the kind of a ``TransportError``; the status of a ``ResponseError``; the name of the
    ///   error's type otherwise. Nil for a cancellation, which the caller requested and which isn't an error.
    package static func errorType(of error: any Error, isTimeUp: Bool = false) -> String? {
        switch error {
        case is any TimeoutFailure: return "timeout"
        case is CancellationError: return isTimeUp ? "timeout" : nil
        case _ where Task.isCancelled: return isTimeUp ? "timeout" : nil
        case let error as TransportError: return error.kind == .timedOut ? "timeout" : error.kind.name
        case let error as any ResponseError where isError(error.response.head.status.code):
            return String(error.response.head.status.code)
        default: return StageSummary.name(of: type(of: error))
        }
    }
}

/// The time at which an exchange must end.
///
/// A cancellation after that time wasn't requested by the caller.
package struct TimeBound: Sendable {
    private let end: Duration?

    /// Makes the earliest time limit set by a request's options, for an exchange that starts now.
    ///
    /// - Parameter start: The current time, on the scale of the environment's clock.
    package init(_ options: borrowing RequestOptions, start: @autoclosure () -> Duration) {
        let attempt = options[TransferLimitsNote.self]?.total.map { start() + $0 }
        let call = options.deadline
        end =
            switch (attempt, call) {
            case (let attempt?, let call?): min(attempt, call)
            default: attempt ?? call
            }
    }

    /// Whether the time is up.
    package func hasPassed(at now: Duration) -> Bool { end.map { now >= $0 } ?? false }
}
