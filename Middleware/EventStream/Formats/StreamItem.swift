import Foundation

/// A result of parsing a stream.
package enum StreamItem: Sendable, Hashable {
    case event(ServerSentEvent)
    /// The stream has another ID, and no event that says so.
    case id(String?)
    case comment(String)
    case retry(Duration)
}

/// Parses the bytes of a body into events.
///
/// Each connection has its own parser.
protocol StreamParser: Sendable {
    /// Parses a chunk.
    ///
    /// If an error is thrown, `items` contains everything that was complete before.
    mutating func read(_ chunk: Data, into items: inout [StreamItem]) throws(EventStreamError)
    /// Processes the end of the body.
    mutating func end(into items: inout [StreamItem]) throws(EventStreamError)
}
