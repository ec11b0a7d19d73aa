import Foundation
import HTTPChainCore
import HTTPTypes

/// The encoded description of an entry.
package struct StoredHead: Sendable {
    /// The key of the entry.
    package let key: CacheKey
    /// The response without its body.
    package let response: StoredResponse

    /// Creates a description to encode.
    package init(_ key: CacheKey, _ response: StoredResponse) {
        self.key = key
        self.response = response
    }

    /// The maximum size of a stored body: 1 TiB.
    package static let maximumBodyLength: Int64 = 1 << 40
    /// The maximum position of a stored part.
    fileprivate static let maximumPosition: Int64 = 1 << 62
    /// The maximum number of fields; stages add fields, and `HTTPFields` has room for 65,535.
    fileprivate static let maximumFieldCount = 32_768

    /// The encoded description.
    package var encoded: [UInt8] {
        let metadata = response.metadata
        var writer = ByteWriter(capacity: Int(clamping: response.headSize))
        writer.append(UInt16(CacheMetadata.formatVersion))
        writer.append(key)
        writer.append(UInt16(metadata.head.status.code))
        writer.append(metadata.head.status.reasonPhrase)
        writer.append(metadata.head.headerFields)
        writer.append(metadata.variant)
        writer.append(metadata.requestTime.timeIntervalSinceReferenceDate)
        writer.append(metadata.responseTime.timeIntervalSinceReferenceDate)
        writer.append(metadata.content)
        writer.append(metadata.classification)
        writer.append(metadata.lifetime)
        writer.append(metadata.originalContentFields)
        writer.append(metadata.isInvalidated)
        writer.append(response.bodyLength)
        let checksum = response.bodyChecksum.saved
        writer.append(checksum.state)
        writer.append(checksum.pending)
        writer.append(checksum.count)
        return writer.bytes
    }

    /// Decodes a description.
    ///
    /// Anyone with write access to the storage can write entries with correct checksums. Numbers that no store of this
    /// package writes are therefore rejected as damaged, so that arithmetic with them can't overflow.
    ///
    /// - Throws: ``CacheStoreFault`` if the version is later than this one, or the description is malformed.
    package init(decoding bytes: [UInt8]) throws(CacheStoreFault) {
        self = try bytes.withUnsafeBufferPointer { bytes throws(CacheStoreFault) in
            try StoredHead(decoding: UnsafeRawBufferPointer(bytes))
        }
    }

    /// Decodes a description from bytes that are valid during the call.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(CacheStoreFault) {
        var reader = ByteReader(bytes)
        let version = (try? reader.number(UInt16.self)).map(Int.init) ?? 0
        guard version <= CacheMetadata.formatVersion else { throw CacheStoreFault(.newerFormat("a stored response")) }
        do throws(ByteReader.Malformed) {
            guard version == CacheMetadata.formatVersion else { throw ByteReader.Malformed() }
            let key = try reader.key()
            let metadata = try reader.metadata()
            let length = try reader.number(Int64.self)
            let checksum = ContentChecksum(
                saved: (try reader.number(), try reader.number(), try reader.number())
            )
            guard (0...Self.maximumBodyLength).contains(length), reader.remaining == 0,
                metadata.content.fits(length), checksum.saved.count == UInt64(length),
                length > 0 || checksum == ContentChecksum()
            else { throw ByteReader.Malformed() }
            self.init(key, StoredResponse(metadata, bodyLength: length, bodyChecksum: checksum))
        } catch {
            throw CacheStoreFault(.damaged("a stored response"))
        }
    }
}

extension CacheEntry {
    /// The encoded description of the entry, with its key, for a store outside memory.
    ///
    /// The encoding has a version but no checksum. A store whose data may be damaged adds one.
    public var encoded: [UInt8] { StoredHead(key, response).encoded }

    /// Creates an entry from its ``encoded`` description.
    ///
    /// Anyone with write access to the storage can write entries with correct checksums. Numbers that no store of this
    /// package writes are therefore rejected as damaged.
    ///
    /// - Throws: ``CacheStoreFault`` if the version is later than this one, or the description is malformed.
    public init(id: CacheEntryID, decoding bytes: [UInt8]) throws(CacheStoreFault) {
        let head = try StoredHead(decoding: bytes)
        self.init(id: id, key: head.key, response: head.response)
    }
}

extension CacheKey {
    /// The encoded key, unique for each key.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: url.utf8.count + 64)
        writer.append(self)
        return writer.bytes
    }

    /// Decodes a key; returns nil if the bytes are malformed.
    package init?(decoding bytes: [UInt8]) {
        let key = bytes.withUnsafeBytes { buffer -> CacheKey? in
            var reader = ByteReader(buffer)
            guard let key = try? reader.key(), reader.remaining == 0 else { return nil }
            return key
        }
        guard let key else { return nil }
        self = key
    }
}

extension CacheVariant {
    /// The encoded variant, unique for each variant.
    package var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        writer.append(self)
        return writer.bytes
    }
}

extension CacheContent {
    /// Whether a body of this length can be this content; for a part, the length must be that of its range.
    package func fits(_ length: Int64) -> Bool {
        guard case .part(let range, _) = self else { return true }
        return range.upperBound - range.lowerBound == length
    }
}

extension ByteWriter {
    fileprivate mutating func append(_ fields: HTTPFields) {
        append(UInt32(fields.count))
        for field in fields {
            append(field.name.rawName)
            field.withUnsafeBytesOfValue { value in
                append(UInt32(clamping: value.count))
                append(contentsOf: UnsafeRawBufferPointer(value))
            }
        }
    }

    fileprivate mutating func append(_ key: CacheKey) {
        append(key.url)
        append(key.method.rawValue)
        append(key.partition)
        append(key.identifier)
    }

    fileprivate mutating func append(_ variant: CacheVariant) {
        append(UInt32(variant.fields.count))
        for field in variant.fields {
            append(field.name)
            append(field.value)
        }
    }

    fileprivate mutating func append(_ content: CacheContent) {
        switch content {
        case .complete: append(UInt8(0))
        case .part(let range, let length):
            append(UInt8(length == nil ? 1 : 2))
            append(range.lowerBound)
            append(range.upperBound)
            if let length { append(length) }
        }
    }

    fileprivate mutating func append(_ lifetime: CacheLifetime) {
        switch lifetime {
        case .server: append(UInt8(0))
        case .atMost(let duration): append(1, duration)
        case .whenUnspecified(let duration): append(2, duration)
        case .exactly(let duration): append(3, duration)
        }
    }

    private mutating func append(_ tag: UInt8, _ duration: Duration) {
        // Clamped, because a longer duration can't be decoded.
        let components = min(max(duration, .zero - .longest), .longest).components
        append(tag)
        append(components.seconds)
        append(components.attoseconds)
    }
}

extension ByteReader {
    fileprivate mutating func key() throws(Malformed) -> CacheKey {
        let url = try text()
        guard let method = HTTPRequest.Method(try text()) else { throw Malformed() }
        return CacheKey(url: url, method: method, partition: try text(), identifier: try optionalText())
    }

    fileprivate mutating func metadata() throws(Malformed) -> CacheMetadata {
        let code = Int(try number(UInt16.self))
        guard (100...999).contains(code) else { throw Malformed() }
        var head = HTTPResponse(status: HTTPResponse.Status(code: code, reasonPhrase: try text()))
        head.headerFields = try fields()
        return CacheMetadata(
            head: head,
            variant: try variant(),
            requestTime: try date(),
            responseTime: try date(),
            content: try content(),
            classification: try optionalText(),
            lifetime: try lifetime(),
            originalContentFields: try fields(),
            isInvalidated: try flag()
        )
    }

    private mutating func fields() throws(Malformed) -> HTTPFields {
        var fields = HTTPFields()
        let count = try self.count()
        guard count <= StoredHead.maximumFieldCount else { throw Malformed() }
        for _ in 0..<count {
            guard let name = HTTPField.Name(try text()) else { throw Malformed() }
            let length = try self.count()
            fields.append(HTTPField(name: name, lenientValue: try take(length)))
        }
        return fields
    }

    private mutating func variant() throws(Malformed) -> CacheVariant {
        let count = try self.count()
        guard count <= remaining else { throw Malformed() }
        var fields: [CacheVariant.Field] = []
        for _ in 0..<count { fields.append(CacheVariant.Field(name: try text(), value: try optionalText())) }
        return CacheVariant(fields)
    }

    /// Reads a date; rejects dates that are so distant that arithmetic with them would overflow.
    private mutating func date() throws(Malformed) -> Date {
        let seconds = try double()
        guard abs(seconds) < 1e13 else { throw Malformed() }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    private mutating func content() throws(Malformed) -> CacheContent {
        let tag = try number(UInt8.self)
        if tag == 0 { return .complete }
        let lower = try number(Int64.self)
        let upper = try number(Int64.self)
        guard tag <= 2, lower >= 0, upper >= lower, upper <= StoredHead.maximumPosition else { throw Malformed() }
        guard tag == 2 else { return .part(lower..<upper, of: nil) }
        let length = try number(Int64.self)
        guard length >= upper else { throw Malformed() }
        return .part(lower..<upper, of: length)
    }

    private mutating func lifetime() throws(Malformed) -> CacheLifetime {
        switch try number(UInt8.self) {
        case 0: .server
        case 1: .atMost(try duration())
        case 2: .whenUnspecified(try duration())
        case 3: .exactly(try duration())
        default: throw Malformed()
        }
    }

    private mutating func duration() throws(Malformed) -> Duration {
        let seconds = try number(Int64.self)
        let attoseconds = try number(Int64.self)
        // Compared before they are added, because the sum may overflow.
        guard seconds.magnitude <= Duration.longest.components.seconds.magnitude,
            attoseconds.magnitude < 1_000_000_000_000_000_000
        else { throw Malformed() }
        let duration = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
        guard duration >= .zero - .longest, duration <= .longest else { throw Malformed() }
        return duration
    }
}
