public import Foundation

/// A part of a stream of events, in the order in which it arrives.
///
/// Use this for events that are too large for memory: each `data` is a piece as the network delivers it, and
/// ``end(type:lastEventID:)`` completes the event. If a stream ends before that, the event is incomplete and must be
/// ignored.
public enum EventPart: Sendable, Hashable {
    /// A piece of the current event's data; lines are joined by LF.
    case data(Data)
    /// The current event is complete.
    ///
    /// The type is "message" if the server names none; the ID is the stream's current one.
    case end(type: String, lastEventID: String?)
    /// A comment; servers send them as heartbeats.
    case comment(String)
    /// The reconnection time that the server requested.
    case retry(Duration)
}
