import Foundation
import HTTPChainCore

/// The file of an index: a sequence of changes, each with a checksum.
///
/// If a journal is damaged, or truncated because the process was killed, it is read up to that point. Entries after
/// that are found by their files.
enum IndexJournal {
    /// The version; a journal of an earlier version is rebuilt from the entries.
    static let formatVersion: UInt16 = 2
    static let headerSize = 32
    /// The maximum size of an entry on disk, so that sums can't overflow.
    static let maximumEntrySize = StoredHead.maximumBodyLength
    /// The maximum length; a journal is read as a whole, and the sizes of its entries must add up to less than 2⁶³.
    static let maximumLength: Int64 = 1 << 29
    private static let magic: UInt64 = 0x5845_444E_4943_4348

    /// The beginning of a journal.
    struct Header: Sendable {
        /// The salt of this directory's hashes.
        var salt: UInt64

        var encoded: [UInt8] {
            var writer = ByteWriter(capacity: headerSize)
            writer.append(magic)
            writer.append(formatVersion)
            writer.append(UInt16(0))
            writer.append(UInt32(0))
            writer.append(salt)
            writer.append(UInt64(0))
            writer.append(checksum(of: writer.bytes, salt: 0))
            return writer.bytes
        }

        /// - Throws: ``CacheStoreFault`` if the journal has a later version or is invalid.
        init(decoding bytes: [UInt8]) throws(CacheStoreFault) {
            guard bytes.count >= start, bytes.number(at: 0) == magic,
                bytes.number(at: headerSize) == checksum(of: bytes[..<headerSize], salt: 0)
            else { throw CacheStoreFault(.damaged("the index")) }
            let version = bytes.number(at: 8, as: UInt16.self)
            guard version <= formatVersion else { throw CacheStoreFault(.newerFormat("the index")) }
            guard version == formatVersion else { throw CacheStoreFault(.damaged("the index")) }
            salt = bytes.number(at: 16)
        }

        init(salt: UInt64) {
            self.salt = salt
        }
    }

    /// The size of the header with its checksum.
    static let start = headerSize + 4

    /// One change.
    enum Change {
        case add(FileIndex.Record)
        case resize(UInt64, Int64)
        case remove(UInt64)
        case use(UInt64)
    }

    fileprivate static func checksum(of bytes: some DataProtocol, salt: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ContentChecksum(of: bytes, salt: salt).value >> 16)
    }

    /// Encodes a change: length, kind, content, checksum.
    static func append(_ change: Change, to bytes: inout [UInt8], salt: UInt64) {
        var writer = ByteWriter(capacity: 96)
        writer.append(UInt32(0))
        switch change {
        case .add(let record):
            writer.append(UInt8(1))
            for number in [
                record.id, record.key, record.url, record.variant, record.origin, record.partition,
                record.classification,
            ] {
                writer.append(number)
            }
            writer.append(record.bytes)
            writer.append(record.identifier)
            writer.append(UInt32(clamping: record.name.count))
            record.name.withUnsafeBytes { writer.append(contentsOf: $0) }
        case .resize(let id, let size):
            writer.append(UInt8(2))
            writer.append(id)
            writer.append(size)
        case .remove(let id):
            writer.append(UInt8(3))
            writer.append(id)
        case .use(let id):
            writer.append(UInt8(4))
            writer.append(id)
        }
        writer.put(UInt32(writer.bytes.count), at: 0)
        writer.append(checksum(of: writer.bytes, salt: salt))
        bytes += writer.bytes
    }

    /// Visits consecutive changes, up to a limit.
    ///
    /// - Returns: The number of bytes read; fewer than available if the rest is damaged or truncated.
    static func read(
        _ buffer: UnsafeRawBufferPointer,
        salt: UInt64,
        limit: Int = .max,
        _ visit: (Change) -> Void
    ) -> Int {
        var offset = 0
        var count = 0
        while offset < buffer.count, count < limit {
            count += 1
            let rest = UnsafeRawBufferPointer(rebasing: buffer[offset...])
            guard let (change, length) = change(rest, salt: salt) else { break }
            visit(change)
            offset += length
        }
        return offset
    }

    private static func change(_ buffer: UnsafeRawBufferPointer, salt: UInt64) -> (Change, Int)? {
        guard buffer.count >= 17 else { return nil }
        let length = Int(clamping: UInt32(littleEndian: buffer.loadUnaligned(as: UInt32.self)))
        guard length >= 13, length <= buffer.count - 4 else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: buffer[..<length])
        let check = UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: length, as: UInt32.self))
        guard check == checksum(of: content, salt: salt) else { return nil }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: content[4...]))
        guard let change = try? change(&reader), reader.remaining == 0 else { return nil }
        return (change, length + 4)
    }

    private static func isSize(_ size: Int64) -> Bool { (0...maximumEntrySize).contains(size) }

    private static func change(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> Change {
        switch try reader.number(UInt8.self) {
        case 1:
            let record = FileIndex.Record(
                id: try reader.number(),
                key: try reader.number(),
                url: try reader.number(),
                variant: try reader.number(),
                origin: try reader.number(),
                partition: try reader.number(),
                classification: try reader.number(),
                bytes: try reader.number(),
                identifier: try reader.optionalText(),
                name: Array(try reader.take(reader.count()))
            )
            guard isSize(record.bytes) else { throw ByteReader.Malformed() }
            return .add(record)
        case 2:
            let id = try reader.number(UInt64.self)
            let size = try reader.number(Int64.self)
            guard isSize(size) else { throw ByteReader.Malformed() }
            return .resize(id, size)
        case 3: return .remove(try reader.number())
        case 4: return .use(try reader.number())
        default: throw ByteReader.Malformed()
        }
    }
}

extension FileIndex {
    /// Applies a change from a journal.
    mutating func apply(_ change: IndexJournal.Change) {
        switch change {
        case .add(let record): insert(record)
        case .resize(let id, let size): resize(id, to: size)
        case .remove(let id): remove(id)
        case .use(let id): use(id)
        }
    }
}
