public import Foundation
import HTTPChainCore
public import HTTPTypes

/// Names one stored response in its store, for as long as it is stored.
public struct CacheEntryID: Sendable, Hashable {
    /// A number that the store chose.
    public let rawValue: UInt64

    /// Takes the store's number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// One stored response: a variant of its key.
public struct CacheEntry: Sendable, Identifiable {
    /// Its name in the store; freshening keeps it, a new response has a new one.
    public let id: CacheEntryID
    /// The key that it is looked up by.
    public let key: CacheKey
    /// The response without its body.
    public let response: StoredResponse
    /// The body, where the store has read it together with the description.
    package let content: StoredContent?

    /// Makes an entry; stores do.
    public init(id: CacheEntryID, key: CacheKey, response: StoredResponse) {
        self.init(id: id, key: key, response: response, content: nil)
    }

    package init(id: CacheEntryID, key: CacheKey, response: StoredResponse, content: StoredContent?) {
        self.id = id
        self.key = key
        self.response = response
        self.content = content
    }

    /// The entry for who keeps it longer than a call.
    package var withoutContent: CacheEntry { CacheEntry(id: id, key: key, response: response) }
}

/// A body that was read and checked together with the description; it shows nothing of itself.
package struct StoredContent: Sendable, CustomStringConvertible, CustomReflectable {
    package let bytes: Data
    /// The number by which its store tells whether something was removed since, where it has one.
    package let removals: UInt64

    package init(_ bytes: Data, removals: UInt64 = 0) {
        self.bytes = bytes
        self.removals = removals
    }

    package var description: String { "\(bytes.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The part of a response's content that is stored, RFC 9111 §3.3.
public enum CacheContent: Sendable, Hashable {
    /// All of it.
    case complete
    /// One run of bytes, and how long the whole is where that is known.
    case part(Range<Int64>, of: Int64?)
}

/// All that is known of a stored response but its body.
public struct CacheMetadata: Sendable, Hashable {
    /// The version of this description; a store misses entries of a later one.
    public static let formatVersion = 1

    /// Status and stored fields, RFC 9111 §3.1.
    public var head: HTTPResponse
    /// The request fields that `Vary` names, with their values in the request that was answered.
    public var variant: CacheVariant
    /// The date when the request was sent, by the wall clock.
    public var requestTime: Date
    /// The date when the response arrived, by the wall clock.
    public var responseTime: Date
    /// The part of the content that is stored.
    public var content: CacheContent
    /// The class of data that it belongs to, by which entries are divided and flushed.
    public var classification: String?
    /// The lifetime that the client set when it was stored.
    public var lifetime: CacheLifetime
    /// The fields that described the content before a transport decoded it, as ``/HTTPChainCore/OriginalContentFields``
    /// has them.
    public var originalContentFields: HTTPFields
    /// Whether it must be validated before its next use, whatever its age (RFC 9111 §4.3.5, §4.4).
    public var isInvalidated: Bool

    /// Describes a response.
    public init(
        head: HTTPResponse,
        variant: CacheVariant = CacheVariant(),
        requestTime: Date,
        responseTime: Date,
        content: CacheContent = .complete,
        classification: String? = nil,
        lifetime: CacheLifetime = .server,
        originalContentFields: HTTPFields = [:],
        isInvalidated: Bool = false
    ) {
        self.head = head
        self.variant = variant
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.content = content
        self.classification = classification
        self.lifetime = lifetime
        self.originalContentFields = originalContentFields
        self.isInvalidated = isInvalidated
    }

    /// Roughly how many bytes the description takes.
    var headSize: Int64 {
        head.headerFields.reduce(into: Int64(256)) { size, field in
            size += Int64(field.name.rawName.utf8.count) + 64
            size += field.withUnsafeBytesOfValue { Int64($0.count) }
        }
    }
}

/// A stored response without its body: immutable, shared by all who look at it, with its fields read once.
public final class StoredResponse: Sendable {
    /// The stored head, and the facts that are stored with it.
    public let metadata: CacheMetadata
    /// The number of bytes of content that are stored.
    public let bodyLength: Int64
    /// The checksum of the stored bytes.
    public let bodyChecksum: ContentChecksum
    /// The facts that its fields tell about its freshness, parsed.
    let facts: ResponseFacts
    /// The rendering that the last hit was given, which the next within the same second gets too.
    let rendering = Locked<CacheHitRendering?>(nil)
    /// The value that a store over another keeps with the entry.
    package let attachment: (any Sendable)?

    /// Makes a stored response.
    public init(_ metadata: CacheMetadata, bodyLength: Int64, bodyChecksum: ContentChecksum) {
        self.metadata = metadata
        self.bodyLength = bodyLength
        self.bodyChecksum = bodyChecksum
        facts = Self.facts(metadata)
        attachment = nil
    }

    /// Makes a stored response of a store that stands over another.
    package init(
        _ metadata: CacheMetadata,
        bodyLength: Int64,
        bodyChecksum: ContentChecksum,
        attachment: any Sendable
    ) {
        self.metadata = metadata
        self.bodyLength = bodyLength
        self.bodyChecksum = bodyChecksum
        facts = Self.facts(metadata)
        self.attachment = attachment
    }

    private static func facts(_ metadata: CacheMetadata) -> ResponseFacts {
        ResponseFacts(
            metadata.head.headerFields,
            status: metadata.head.status.code,
            receivedAt: metadata.responseTime
        )
    }

    /// The same body under a new description.
    public func with(_ metadata: CacheMetadata) -> StoredResponse {
        StoredResponse(metadata, bodyLength: bodyLength, bodyChecksum: bodyChecksum)
    }

    /// Roughly how many bytes the description takes, which bounds count as well as the body.
    public var headSize: Int64 { metadata.headSize }
}

extension CacheMetadata: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, fields (secrets redacted) and when it came.
    public var description: String {
        let lines = Redaction.standard.fields(head.headerFields).map { "\n\($0.name): \($0.value)" }
        return "\(head.status) of \(responseTime)\(lines.joined())"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror that shows no more than ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["metadata": description]) }
}
