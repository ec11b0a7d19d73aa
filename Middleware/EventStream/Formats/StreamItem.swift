import Foundation

/// A result of parsing a stream.
enum StreamItem: Sendable, Hashable {
    case event(ServerSentEvent)
    case comment(String)
    case retry(Duration)
}

/// Turns the bytes of a body into events; one for each connection.
protocol StreamParser: Sendable {
    /// Reads a chunk.
    ///
    /// What was complete before an error is found is among the items.
    mutating func read(_ chunk: Data, into items: inout [StreamItem]) throws(EventStreamError)
    /// Reads the end of the body.
    mutating func end(into items: inout [StreamItem]) throws(EventStreamError)
}
