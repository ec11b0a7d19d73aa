import HTTPChainCore

/// The file that describes one entry: the description, and the body where that is small.
///
/// Everything in it is under a checksum, and the name of the entry is in it: a file in the wrong place, one that is cut
/// off and one with a bit turned over are all found.
struct EntryFile: Sendable {
    static let formatVersion: UInt16 = 1
    /// Fixed numbers before the description.
    static let prologueSize = 64
    private static let magic: UInt32 = 0x4543_4348

    var id: UInt64
    /// What the checksums of the blocks of a body of its own begin with.
    var nonce: UInt64
    var head: StoredHead
    /// Whether the body is in this file.
    var isInline: Bool

    /// The fixed numbers: how long the description is, and where the body is.
    struct Prologue: Sendable {
        var id: UInt64
        var nonce: UInt64
        var headLength: Int
        var headChecksum: UInt64
        var isInline: Bool

        /// Where a body in the file begins.
        var bodyOffset: Int { prologueSize + headLength }

        init(reading file: OpenFile<CacheStoreFault>, id expected: UInt64) throws(CacheStoreFault) {
            let bytes = try file.read(prologueSize, at: 0)
            self = try EntryFile.withBytes(of: bytes) { buffer throws(CacheStoreFault) in
                try Prologue(decoding: buffer)
            }
            guard id == expected else { throw CacheStoreFault(.damaged("an entry")) }
        }

        init(decoding buffer: UnsafeRawBufferPointer) throws(CacheStoreFault) {
            guard buffer.count >= prologueSize else { throw CacheStoreFault(.damaged("an entry")) }
            func number<Number: FixedWidthInteger>(_ offset: Int, _ type: Number.Type = Number.self) -> Number {
                Number(littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            guard number(0) == magic else { throw CacheStoreFault(.damaged("an entry")) }
            guard number(4, UInt16.self) <= formatVersion else { throw CacheStoreFault(.newerFormat("an entry")) }
            let checksum = EntryFile.checksum(UnsafeRawBufferPointer(rebasing: buffer[..<56]))
            guard number(56) == checksum else { throw CacheStoreFault(.damaged("an entry")) }
            isInline = number(6, UInt16.self) == 1
            id = number(8)
            nonce = number(16)
            headLength = Int(number(24, UInt32.self))
            headChecksum = number(32)
        }
    }

    private static func checksum(_ buffer: UnsafeRawBufferPointer) -> UInt64 {
        var checksum = ContentChecksum()
        checksum.update(buffer)
        return checksum.value
    }

    /// The bytes of the file up to a body in it.
    var encoded: [UInt8] {
        let head = head.encoded
        var writer = ByteWriter(capacity: Self.prologueSize + head.count)
        writer.append(Self.magic)
        writer.append(Self.formatVersion)
        writer.append(UInt16(isInline ? 1 : 0))
        writer.append(id)
        writer.append(nonce)
        writer.append(UInt32(head.count))
        writer.append(UInt32(0))
        writer.append(head.withUnsafeBytes { Self.checksum($0) })
        writer.append(UInt64(0))
        writer.append(UInt64(0))
        writer.append(writer.bytes.withUnsafeBytes { Self.checksum($0) })
        head.withUnsafeBytes { writer.append(contentsOf: $0) }
        return writer.bytes
    }

    /// Where a body in the file begins.
    private(set) var bodyOffset = 0

    init(id: UInt64, nonce: UInt64, head: StoredHead, isInline: Bool) {
        self.id = id
        self.nonce = nonce
        self.head = head
        self.isInline = isInline
    }

    /// Reads the description of an entry; a body in the file is not looked at but for its length.
    ///
    /// - Throws: ``CacheStoreFault``, also for a file that belongs to another entry.
    init(reading file: OpenFile<CacheStoreFault>, id expected: UInt64) throws(CacheStoreFault) {
        let size = try file.status().size
        guard size >= Int64(Self.prologueSize) else { throw CacheStoreFault(.damaged("an entry")) }
        let bytes = try file.read(Int(min(size, 4096)), at: 0)
        try self.init(bytes, size: size) { count throws(CacheStoreFault) in try file.read(count, at: 0) }
        guard id == expected else { throw CacheStoreFault(.damaged("an entry")) }
    }

    /// Reads the description at the beginning of a file.
    ///
    /// - Parameters:
    ///   - beginning: Its first bytes.
    ///   - size: Its length.
    ///   - more: Reads that many bytes from the beginning on.
    init(
        _ beginning: [UInt8],
        size: Int64,
        more: (Int) throws(CacheStoreFault) -> [UInt8]
    ) throws(CacheStoreFault) {
        let prologue = try Self.withBytes(of: beginning) { buffer throws(CacheStoreFault) in
            try Prologue(decoding: buffer)
        }
        let end = prologue.bodyOffset
        guard Int64(end) <= size else { throw CacheStoreFault(.damaged("an entry")) }
        let bytes = beginning.count < end ? try more(end) : beginning
        let head = try Self.withBytes(of: bytes) { buffer throws(CacheStoreFault) in
            guard buffer.count >= end else { throw CacheStoreFault(.damaged("an entry")) }
            let content = UnsafeRawBufferPointer(rebasing: buffer[Self.prologueSize..<end])
            guard Self.checksum(content) == prologue.headChecksum else { throw CacheStoreFault(.damaged("an entry")) }
            return try StoredHead(decoding: content)
        }
        self.init(id: prologue.id, nonce: prologue.nonce, head: head, isInline: prologue.isInline)
        bodyOffset = end
        let inlineLength = isInline ? head.response.bodyLength : 0
        guard inlineLength <= Int64(BodyBlocks.payload), size == Int64(end) + inlineLength else {
            throw CacheStoreFault(.damaged("an entry"))
        }
    }

    /// `withUnsafeBytes` that keeps the type of what is thrown.
    private static func withBytes<Result>(
        of bytes: [UInt8],
        _ body: (UnsafeRawBufferPointer) throws(CacheStoreFault) -> Result
    ) throws(CacheStoreFault) -> Result {
        var outcome: Swift.Result<Result, CacheStoreFault> = .failure(CacheStoreFault(.damaged("an entry")))
        bytes.withUnsafeBytes { buffer in
            do throws(CacheStoreFault) { outcome = .success(try body(buffer)) } catch { outcome = .failure(error) }
        }
        return try outcome.get()
    }
}
