import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The file that describes one entry; it also contains the body if that is small.
///
/// Checksums cover everything in it, and it includes the entry's identifier, so that a misplaced, truncated or changed
/// file is detected.
struct EntryFile: Sendable {
    /// The version of an entry with a body of several segments; other entries have the previous version.
    static let formatVersion: UInt16 = 2
    /// The size of the fixed part before the description.
    static let prologueSize = 64
    private static let magic: UInt32 = 0x4543_4348

    var id: UInt64
    /// The number that the block checksums of a separate body start from.
    var nonce: UInt64
    var head: StoredHead
    /// Whether the body is in this file.
    var isInline: Bool
    /// The layout of a body in its own file.
    var layout: BodyLayout

    /// The fixed part: the length of the description, and the place of the body.
    struct Prologue: Sendable {
        var id: UInt64
        var nonce: UInt64
        var headLength: Int
        /// The number of segment lengths after the description; 0 if there is only one segment.
        var segmentCount: Int
        /// The checksum of the description and the lengths.
        var headChecksum: UInt64
        var isInline: Bool

        /// The offset of the segment lengths.
        var segmentOffset: Int { prologueSize + headLength }
        /// The offset of an inline body.
        var bodyOffset: Int { segmentOffset + segmentCount * 8 }

        init(reading file: OpenFile<CacheStoreFault>, id expected: UInt64) throws(CacheStoreFault) {
            try self.init(decoding: try file.read(prologueSize, at: 0))
            guard id == expected else { throw CacheStoreFault(.damaged("an entry")) }
        }

        init(decoding bytes: [UInt8]) throws(CacheStoreFault) {
            guard bytes.count >= prologueSize, bytes.number(at: 0) == magic else {
                throw CacheStoreFault(.damaged("an entry"))
            }
            guard bytes.number(at: 4, as: UInt16.self) <= formatVersion else {
                throw CacheStoreFault(.newerFormat("an entry"))
            }
            guard bytes.number(at: 56) == ContentChecksum(of: bytes[..<56]).value else {
                throw CacheStoreFault(.damaged("an entry"))
            }
            isInline = bytes.number(at: 6, as: UInt16.self) == 1
            id = bytes.number(at: 8)
            nonce = bytes.number(at: 16)
            headLength = Int(clamping: bytes.number(at: 24, as: UInt32.self))
            segmentCount = Int(clamping: bytes.number(at: 28, as: UInt32.self))
            // Real descriptions are shorter. With a longer one, offsets after it could exceed a 32-bit `Int`.
            guard segmentCount <= BodyLayout.maximumCount, headLength <= 1 << 30 else {
                throw CacheStoreFault(.damaged("an entry"))
            }
            headChecksum = bytes.number(at: 32)
        }
    }

    /// The bytes of the file before an inline body.
    var encoded: [UInt8] {
        let lengths = layout.lengths.count > 1 ? layout.lengths : []
        var described = head.encoded
        let headLength = described.count
        for length in lengths { withUnsafeBytes(of: length.littleEndian) { described.append(contentsOf: $0) } }
        var writer = ByteWriter(capacity: Self.prologueSize + described.count)
        writer.append(Self.magic)
        writer.append(lengths.isEmpty ? Self.formatVersion - 1 : Self.formatVersion)
        writer.append(UInt16(isInline ? 1 : 0))
        writer.append(id)
        writer.append(nonce)
        writer.append(UInt32(headLength))
        writer.append(UInt32(lengths.count))
        writer.append(ContentChecksum(of: described).value)
        writer.append(UInt64(0))
        writer.append(UInt64(0))
        writer.append(ContentChecksum(of: writer.bytes).value)
        described.withUnsafeBytes { writer.append(contentsOf: $0) }
        return writer.bytes
    }

    /// The size of the entry on disk.
    var size: Int64 { Int64(encoded.count) + (isInline ? head.response.bodyLength : layout.fileSize) }

    /// The offset of an inline body.
    private(set) var bodyOffset = 0

    /// - Parameter layout: The layout of a separate body; one segment by default.
    init(id: UInt64, nonce: UInt64, head: StoredHead, isInline: Bool, layout: BodyLayout? = nil) {
        self.id = id
        self.nonce = nonce
        self.head = head
        self.isInline = isInline
        self.layout = layout ?? BodyLayout(isInline ? 0 : head.response.bodyLength)
    }

    /// Reads the description of an entry; of an inline body, only checks the length.
    ///
    /// - Throws: ``CacheStoreFault``, including if the file belongs to another entry.
    init(reading file: OpenFile<CacheStoreFault>, id expected: UInt64) throws(CacheStoreFault) {
        let size = try file.status().size
        guard size >= Int64(Self.prologueSize) else { throw CacheStoreFault(.damaged("an entry")) }
        let bytes = try file.read(Int(min(size, 4096)), at: 0)
        try self.init(bytes, size: size) { count throws(CacheStoreFault) in try file.read(count, at: 0) }
        guard id == expected else { throw CacheStoreFault(.damaged("an entry")) }
    }

    /// Reads the description of an entry, and an inline body if the bytes read contain it.
    ///
    /// - Parameters:
    ///   - length: The expected length of the file, all of which is read at once.
    ///   - recent: The recently decoded descriptions.
    static func read(
        _ file: OpenFile<CacheStoreFault>,
        id: UInt64,
        length: Int,
        _ recent: RecentDescriptions
    ) throws(CacheStoreFault) -> (entry: EntryFile, content: Data?) {
        // Reading one more byte shows whether the file ends there, without a system call for its length.
        let bytes = try file.read(max(length, prologueSize) + 1, at: 0)
        let size = bytes.count <= length ? Int64(bytes.count) : try file.status().size
        let entry = try EntryFile(bytes, size: size, recent) { count throws(CacheStoreFault) in
            try file.read(count, at: 0)
        }
        guard entry.id == id else { throw CacheStoreFault(.damaged("an entry")) }
        guard entry.isInline, bytes.count == size else { return (entry, nil) }
        let content = bytes[entry.bodyOffset...]
        return (entry, ContentChecksum(of: content) == entry.head.response.bodyChecksum ? Data(content) : nil)
    }

    /// Reads the description at the beginning of a file.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes of the file.
    ///   - size: The length of the file.
    ///   - recent: The recently decoded descriptions, if this one may be among them.
    ///   - more: Reads this many bytes from the start of the file.
    init(
        _ beginning: [UInt8],
        size: Int64,
        _ recent: RecentDescriptions? = nil,
        more: (Int) throws(CacheStoreFault) -> [UInt8]
    ) throws(CacheStoreFault) {
        let prologue = try Prologue(decoding: beginning)
        let end = prologue.bodyOffset
        guard Int64(end) <= size else { throw CacheStoreFault(.damaged("an entry")) }
        let bytes = beginning.count < end ? try more(end) : beginning
        guard bytes.count >= end else { throw CacheStoreFault(.damaged("an entry")) }
        let lengths = stride(from: prologue.segmentOffset, to: end, by: 8).map { offset in
            Steps.take()
            return bytes.number(at: offset, as: Int64.self)
        }
        let head = try bytes.withUnsafeBufferPointer { bytes throws(CacheStoreFault) in
            let buffer = UnsafeRawBufferPointer(bytes)
            let content = UnsafeRawBufferPointer(rebasing: buffer[Self.prologueSize..<end])
            func decode() throws(CacheStoreFault) -> StoredHead {
                guard ContentChecksum(of: content).value == prologue.headChecksum else {
                    throw CacheStoreFault(.damaged("an entry"))
                }
                return try StoredHead(decoding: UnsafeRawBufferPointer(rebasing: content[..<prologue.headLength]))
            }
            guard let recent else { return try decode() }
            return try recent.head(of: prologue.id, UnsafeRawBufferPointer(rebasing: buffer[..<end]), decode: decode)
        }
        guard lengths.isEmpty || !prologue.isInline else { throw CacheStoreFault(.damaged("an entry")) }
        var layout: BodyLayout?
        if !lengths.isEmpty {
            layout = BodyLayout(lengths, of: head.response.bodyLength)
            guard layout != nil else { throw CacheStoreFault(.damaged("an entry")) }
        }
        self.init(
            id: prologue.id,
            nonce: prologue.nonce,
            head: head,
            isInline: prologue.isInline,
            layout: layout
        )
        bodyOffset = end
        let inlineLength = isInline ? head.response.bodyLength : 0
        guard inlineLength <= Int64(BodyBlocks.payload), size == Int64(end) + inlineLength,
            self.layout.fileSize <= IndexJournal.maximumEntrySize - size
        else {
            throw CacheStoreFault(.damaged("an entry"))
        }
    }
}
