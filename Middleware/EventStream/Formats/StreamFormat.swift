import Foundation
public import HTTPChainCore
import HTTPTypes

/// The format of a stream of values.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum StreamFormat: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// Server-sent events: `text/event-stream`, HTML standard §9.2.
    case serverSentEvents
    /// JSON Lines, also known as newline-delimited JSON: a JSON text on each line.
    case jsonLines
    /// JSON text sequences, RFC 7464: each text between a record separator and a line feed.
    case jsonSequence

    /// The media types that the request accepts, preferred first.
    package var mediaTypes: [String] {
        switch self {
        case .serverSentEvents: ["text/event-stream"]
        case .jsonLines:
            ["application/x-ndjson", "application/jsonl", "application/ndjson", "application/x-jsonlines"]
        case .jsonSequence: ["application/json-seq"]
        }
    }

    /// The display name.
    package var words: String {
        switch self {
        case .serverSentEvents: "server-sent events"
        case .jsonLines: "JSON Lines"
        case .jsonSequence: "a JSON text sequence"
        }
    }

    /// Whether the server sends IDs, so that the stream can resume after a lost connection.
    var hasIDs: Bool { self == .serverSentEvents }

    func makeParser(lastEventID: String?, limits: EventStreamLimits) -> any StreamParser {
        switch self {
        case .serverSentEvents: EventParser(lastEventID: lastEventID, limits: limits)
        case .jsonLines: JSONTextParser(.lines, limit: limits.line, lastEventID: lastEventID)
        case .jsonSequence: JSONTextParser(.sequence, limit: limits.line, lastEventID: lastEventID)
        }
    }

    /// Whether a response's `Content-Type` is that of the format, RFC 9110 §8.3.1, ignoring parameters.
    func accepts(_ contentType: String?) -> Bool {
        guard let essence = MediaType(contentType)?.essence else { return false }
        return mediaTypes.contains(essence)
    }
}
