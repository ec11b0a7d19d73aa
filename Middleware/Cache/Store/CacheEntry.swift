public import Foundation
import HTTPChainCore
public import HTTPTypes

/// Identifies a stored response in its store, for as long as it is stored.
public struct CacheEntryID: Sendable, Hashable {
    /// A number chosen by the store, below 2^48, because stores that are made of others add the number of the store.
    public let rawValue: UInt64

    /// Creates an identifier from the store's number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// A stored response: a variant of its key.
public struct CacheEntry: Sendable, Identifiable {
    /// The identifier in the store.
    ///
    /// A validation keeps it; a new response gets a new one.
    public let id: CacheEntryID
    /// The key of the entry.
    public let key: CacheKey
    /// The response without its body.
    package let response: StoredResponse
    /// The body, if the store has read it together with the description.
    package let content: StoredContent?

    /// Creates an entry, for use by stores.
    ///
    /// - Parameters:
    ///   - id: The identifier in the store.
    ///   - key: The key of the entry.
    ///   - metadata: The response without its body.
    ///   - bodyLength: The number of stored bytes of content.
    ///   - bodyChecksum: The checksum of the stored bytes.
    public init(
        id: CacheEntryID,
        key: CacheKey,
        metadata: CacheMetadata,
        bodyLength: Int64,
        bodyChecksum: ContentChecksum
    ) {
        let response = StoredResponse(metadata, bodyLength: bodyLength, bodyChecksum: bodyChecksum)
        self.init(id: id, key: key, response: response)
    }

    package init(id: CacheEntryID, key: CacheKey, response: StoredResponse, content: StoredContent? = nil) {
        self.id = id
        self.key = key
        self.response = response
        self.content = content
    }

    /// The response without its body.
    public var metadata: CacheMetadata { response.metadata }
    /// The number of stored bytes of content.
    public var bodyLength: Int64 { response.bodyLength }
    /// The checksum of the stored bytes.
    public var bodyChecksum: ContentChecksum { response.bodyChecksum }

    /// Returns the same body with a new description.
    public func with(_ metadata: CacheMetadata) -> CacheEntry {
        CacheEntry(id: id, key: key, response: response.with(metadata))
    }

    /// The entry without its content, for keeping it longer than a call.
    package var withoutContent: CacheEntry { CacheEntry(id: id, key: key, response: response) }
}

/// A body that was read and verified together with the description; its text omits the content.
package struct StoredContent: Sendable, RedactedDisplay {
    package let bytes: Data
    /// The store's removal counter when the body was read, which shows whether anything was removed since; 0 if the
    /// store has none.
    package let removals: UInt64

    package init(_ bytes: Data, removals: UInt64 = 0) {
        self.bytes = bytes
        self.removals = removals
    }

    package var description: String { "\(bytes.count) bytes" }
}

/// The stored part of a response's content, RFC 9111 §3.3.
package enum CacheContent: Sendable, Hashable {
    /// All of it.
    case complete
    /// A range of bytes, and the total length if known.
    case part(Range<Int64>, of: Int64?)
}

/// Everything about a stored response except its body.
public struct CacheMetadata: Sendable, Hashable {
    /// The version of this description; a store treats entries with a later version as misses.
    package static let formatVersion = 1

    /// The status and stored fields, RFC 9111 §3.1.
    public var head: HTTPResponse
    /// The request fields that `Vary` names, with their values in the original request.
    public var variant: CacheVariant
    /// The date when the request was sent, by the wall clock.
    public var requestTime: Date
    /// The date when the response arrived, by the wall clock.
    public var responseTime: Date
    /// The part of the content that is stored.
    package var content: CacheContent
    /// The response's class of data, by which entries are divided and removed.
    public var classification: String?
    /// The lifetime set by the client when the response was stored.
    public var lifetime: CacheLifetime
    /// The fields that described the content before a transport decoded it, see
    /// ``/HTTPChainCore/Response/originalContentFields``.
    package var originalContentFields: HTTPFields
    /// Whether it must be validated before its next use, regardless of its age (RFC 9111 §4.3.5, §4.4).
    public var isInvalidated: Bool

    /// Creates the description of a complete response without variants.
    public init(head: HTTPResponse, requestTime: Date, responseTime: Date) {
        self.init(head: head, variant: CacheVariant(), requestTime: requestTime, responseTime: responseTime)
    }

    package init(
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

    /// The approximate size of the description in bytes.
    var headSize: Int64 {
        let varying = variant.fields.reduce(into: Int64(0)) { size, field in
            size += Int64(field.name.utf8.count + (field.value?.utf8.count ?? 0)) + 64
        }
        return varying + Int64(classification?.utf8.count ?? 0) + Self.size(of: head.headerFields)
            + Self.size(of: originalContentFields) + 256
    }

    private static func size(of fields: HTTPFields) -> Int64 {
        fields.reduce(into: Int64(0)) { size, field in
            size += Int64(field.name.rawName.utf8.count) + 64
            size += field.withUnsafeBytesOfValue { Int64($0.count) }
        }
    }
}

/// A stored response without its body; it is immutable, shared by all its users, and parsed once.
package final class StoredResponse: Sendable {
    /// The stored head and metadata.
    package let metadata: CacheMetadata
    /// The number of stored bytes of content.
    package let bodyLength: Int64
    /// The checksum of the stored bytes.
    package let bodyChecksum: ContentChecksum
    /// The parsed facts about its freshness.
    package let facts: ResponseFacts
    /// The rendering of the last hit; further hits within the same second reuse it.
    let rendering = Locked<CacheHitRendering?>(nil)
    /// A value that a wrapping store attaches to the entry.
    package let attachment: (any Sendable)?

    /// Creates a stored response.
    package init(
        _ metadata: CacheMetadata,
        bodyLength: Int64,
        bodyChecksum: ContentChecksum,
        attachment: (any Sendable)? = nil
    ) {
        self.metadata = metadata
        self.bodyLength = bodyLength
        self.bodyChecksum = bodyChecksum
        self.attachment = attachment
        facts = ResponseFacts(
            metadata.head.headerFields,
            status: metadata.head.status.code,
            receivedAt: metadata.responseTime
        )
    }

    /// Returns the same body with a new description.
    package func with(_ metadata: CacheMetadata) -> StoredResponse {
        StoredResponse(metadata, bodyLength: bodyLength, bodyChecksum: bodyChecksum)
    }

    /// The approximate size of the description in bytes, which counts toward the bounds together with the body.
    package var headSize: Int64 { metadata.headSize }
}

extension CacheMetadata: RedactedDisplay, DescribedValue {
    /// The status, the fields (secrets redacted) and the time of arrival.
    package var words: String {
        let lines = Redaction.standard.fields(head.headerFields).map { "\n\($0.name): \($0.value)" }
        return "\(head.status) of \(responseTime)\(lines.joined())"
    }
}
