import Foundation
import HTTPChainCore
import HTTPTypes

/// The format of a stream of values.
public struct StreamFormat: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case events
        case json(JSONTextParser.Format)
    }

    let kind: Kind
    /// The media types that the request accepts, preferred first.
    package let mediaTypes: [String]
    /// The name, for people.
    public let description: String

    /// Server-sent events: `text/event-stream`, HTML standard §9.2.
    public static let serverSentEvents = StreamFormat(
        kind: .events,
        mediaTypes: ["text/event-stream"],
        description: "server-sent events"
    )

    /// JSON Lines, also known as newline-delimited JSON: a JSON text on each line.
    public static let jsonLines = StreamFormat(
        kind: .json(.lines),
        mediaTypes: ["application/x-ndjson", "application/jsonl", "application/ndjson", "application/x-jsonlines"],
        description: "JSON Lines"
    )

    /// JSON text sequences, RFC 7464: each text between a record separator and a line feed.
    public static let jsonSequence = StreamFormat(
        kind: .json(.sequence),
        mediaTypes: ["application/json-seq"],
        description: "a JSON text sequence"
    )

    /// Whether the server sends positions, so that the stream can resume after a lost connection.
    var hasIDs: Bool { kind == .events }

    func makeParser(lastEventID: String?, limits: EventStreamLimits) -> any StreamParser {
        switch kind {
        case .events: EventParser(lastEventID: lastEventID, limits: limits)
        case .json(let format): JSONTextParser(format, limit: limits.line, lastEventID: lastEventID)
        }
    }

    /// Whether a response's `Content-Type` is that of the format, RFC 9110 §8.3.1, ignoring parameters.
    func accepts(_ contentType: String?) -> Bool {
        guard let essence = MediaType(contentType)?.essence else { return false }
        return mediaTypes.contains(essence)
    }
}
