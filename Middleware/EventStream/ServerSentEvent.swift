public import Foundation
import HTTPChainCore
import HTTPChainSupport

/// One event of a stream: its type, its data and the id that the stream stands at.
public struct ServerSentEvent: Sendable, Hashable {
    /// The type that an event without a name has: "message".
    public static let defaultType = "message"

    /// The type of the event; "message" where the server names none.
    public let type: String
    /// The data as the server sent it, its lines joined by LF.
    public let bytes: Data
    /// The id that the stream stands at: the event's own, or that of an earlier one where it brings none; `nil` as long
    /// as there was none.
    ///
    /// A stream that is opened with it later goes on after this event, where the server keeps events.
    public let lastEventID: String?

    /// Makes an event.
    ///
    /// - Parameters:
    ///   - bytes: The data.
    ///   - type: What kind of event it is; "message" by default.
    ///   - lastEventID: The id that the stream stands at; none by default.
    public init(bytes: Data, type: String = ServerSentEvent.defaultType, lastEventID: String? = nil) {
        self.bytes = bytes
        self.type = type
        self.lastEventID = lastEventID
    }

    /// Makes an event of text.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - type: What kind of event it is; "message" by default.
    ///   - lastEventID: The id that the stream stands at; none by default.
    public init(_ data: String, type: String = ServerSentEvent.defaultType, lastEventID: String? = nil) {
        self.init(bytes: Data(data.utf8), type: type, lastEventID: lastEventID)
    }

    /// The data as text; bytes that are not UTF-8 become U+FFFD.
    public var data: String { String(decoding: bytes, as: UTF8.self) }

    /// The data decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode to.
    ///   - decoder: A decoder with the settings wanted.
    /// - Throws: ``EventStreamError`` with the problem ``EventStreamError/Problem/undecodable(type:codingPath:detail:)``.
    public func decode<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        do {
            return try decoder.decode(type, received: bytes)
        } catch {
            throw EventStreamError(decoding: type, from: bytes, cause: error)
        }
    }
}

extension ServerSentEvent: CustomStringConvertible {
    /// Type, size and whether there is an id, and nothing of the data: "event \"message\" of 12 bytes".
    public var description: String {
        "event \"\(type)\" of \(ByteCount(Int64(bytes.count)))" + (lastEventID == nil ? "" : " with an id")
    }
}
