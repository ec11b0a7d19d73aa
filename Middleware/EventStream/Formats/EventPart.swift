public import Foundation

/// A part of a stream of events, in the order in which it arrives.
///
/// It is for data that is too large for memory: `data` comes in pieces as large as the network delivers them, and
/// ``end(type:lastEventID:)`` says that the event is complete. Where a stream ends without it, the event is incomplete and
/// does not count.
public enum EventPart: Sendable, Hashable {
    /// A piece of the current event's data; lines are joined by LF.
    case data(Data)
    /// The current event is complete.
    ///
    /// The type is "message" where the server names none; the id is the one that the stream stands at.
    case end(type: String, lastEventID: String?)
    /// A line that is for nobody but the connection: servers send one to show that they are there.
    case comment(String)
    /// The time that the server asks to wait before the stream is opened again.
    case retry(Duration)
}
