public import HTTPChainCore

/// The state of a stream.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum EventStreamState: Sendable, CustomStringConvertible, DescribedValue {
    /// No event has been requested yet.
    case idle
    /// The request was sent, after the given number of consecutive failures.
    case connecting(failures: Int)
    /// The server has accepted the request, and sends events.
    case open
    /// The connection ended or failed; the stream will be reopened after a wait.
    case waiting(Duration, after: any Error)
    /// There is no connection until ``EventStream/resume()`` is called.
    case paused
    /// The stream has ended, with an error, or with `nil` if the server or the reader ended it.
    case closed((any Error)?)

    /// A short description, such as "open".
    ///
    /// It includes the waiting time, if there is one.
    package var words: String {
        switch self {
        case .idle: "idle"
        case .connecting(let failures): failures == 0 ? "connecting" : "connecting after \(failures) failures"
        case .open: "open"
        case .waiting(let wait, _): "waiting \(wait.label)"
        case .paused: "paused"
        case .closed(let error): error == nil ? "closed" : "failed"
        }
    }
}
