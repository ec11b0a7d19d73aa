import HTTPChainCore

/// The state of a stream.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum EventStreamState: Sendable, CustomStringConvertible {
    /// No event has been asked for yet.
    case idle
    /// The request was sent; the number says how many failures in a row there were before.
    case connecting(failures: Int)
    /// The server has accepted, and sends events when it has some.
    case open
    /// The connection ended or failed; the stream will be opened again after a time.
    case waiting(Duration, after: any Error)
    /// There is no connection until ``EventStream/resume()`` is called.
    case paused
    /// The stream is over; with the error that ended it, `nil` when the server or the reader did.
    case closed((any Error)?)

    /// One or two words, such as "open", and how long it waits.
    public var description: String {
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
