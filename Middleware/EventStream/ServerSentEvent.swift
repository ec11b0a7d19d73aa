public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// An event of a stream: its type, its data and the stream's current ID.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of events without a name: "message".
    package static let defaultType = "message"

    /// The type of the event; "message" if the server names none.
    public let type: String
    /// The data as the server sent it, with lines joined by LF.
    public let bytes: Data
    /// The stream's current ID: the event's own, or that of an earlier one if it has none; `nil` if there was none.
    ///
    /// A stream that is later opened with this ID resumes after this event, if the server stores events.
    public let lastEventID: String?

    package init(bytes: Data, type: String = ServerSentEvent.defaultType, lastEventID: String? = nil) {
        self.bytes = bytes
        self.type = type
        self.lastEventID = lastEventID
    }

    /// Makes an event from text.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - type: The type of the event; "message" by default.
    ///   - lastEventID: The stream's current ID; none by default.
    public init(_ data: String, type: String = "message", lastEventID: String? = nil) {
        self.init(bytes: Data(data.utf8), type: type, lastEventID: lastEventID)
    }

    /// The data as text; invalid UTF-8 becomes U+FFFD.
    public var data: String { String(decoding: bytes, as: UTF8.self) }

    /// The data decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode to.
    ///   - decoder: The decoder.
    /// - Throws: ``EventStreamError`` with the problem ``EventStreamError/Problem/undecodable(type:codingPath:detail:)``.
    public func decode<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        do {
            return try decoder.decode(type, received: bytes)
        } catch {
            throw EventStreamError(decoding: type, from: bytes, cause: error)
        }
    }
}

extension ServerSentEvent: CustomStringConvertible, DescribedValue {
    /// The type, the size and whether there is an ID, without the data, such as "event \"message\" of 12 bytes".
    package var words: String {
        "event \"\(type)\" of \(ByteCount(Int64(bytes.count)))" + (lastEventID == nil ? "" : " with an id")
    }
}
