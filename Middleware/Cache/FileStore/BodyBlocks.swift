import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The layout of a body in a separate file: blocks, each followed by its checksum.
///
/// A checksum includes the block number and a number unique to the entry. Blocks of another body or from another
/// position are therefore detected as damaged. No byte of a block is returned before its checksum has been verified.
enum BodyBlocks {
    /// The number of bytes of a body per block; the last block may have fewer.
    static let payload = 65_536
    static let checksumSize = 8
    static let stride = payload + checksumSize

    static func checksum(_ bytes: UnsafeRawBufferPointer, block: Int64, nonce: UInt64) -> UInt64 {
        var checksum = ContentChecksum(saved: (nonce, 0, 0))
        withUnsafeBytes(of: block.littleEndian) { checksum.update($0) }
        checksum.update(bytes)
        return checksum.value
    }

    /// Returns a block as it is stored: the bytes and their checksum.
    static func encoded(_ bytes: ArraySlice<UInt8>, block: Int64, nonce: UInt64) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count + checksumSize)
        encoded += bytes
        let sum = bytes.withUnsafeBytes { checksum($0, block: block, nonce: nonce) }
        withUnsafeBytes(of: sum.littleEndian) { encoded.append(contentsOf: $0) }
        return encoded
    }

    /// Reads and verifies one block of a body.
    static func read(
        _ block: BodyLayout.Block,
        of file: OpenFile<CacheStoreFault>,
        nonce: UInt64
    ) throws(CacheStoreFault) -> Data {
        let length = Int(block.content.upperBound - block.content.lowerBound)
        guard length > 0, let memory = malloc(length + checksumSize) else { return Data() }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: length + checksumSize)
        do throws(CacheStoreFault) {
            let count = try file.read(into: buffer, at: block.offset)
            let content = UnsafeRawBufferPointer(rebasing: buffer[..<length])
            guard count == buffer.count,
                UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: length, as: UInt64.self))
                    == checksum(content, block: block.number, nonce: nonce)
            else { throw CacheStoreFault(.damaged("a stored body")) }
        } catch {
            free(memory)
            throw error
        }
        return Data(bytesNoCopy: memory, count: length, deallocator: .free)
    }
}

/// The division of a body in its file: consecutive segments, each of which starts with a new block.
///
/// A body stored at once is one segment. Each part appended later is another, so that existing bytes are never
/// rewritten.
struct BodyLayout: Sendable {
    /// One block of a body.
    struct Block: Sendable {
        /// The number of the block within the file.
        var number: Int64
        /// The range of the body's bytes.
        var content: Range<Int64>
        /// The offset in the file.
        var offset: Int64
    }

    /// The maximum number of segments; a body with more is rewritten.
    static let maximumCount = 4096
    private static let payload = Int64(BodyBlocks.payload)

    /// The length of each segment.
    private(set) var lengths: [Int64] = []
    /// The end of each segment within the body.
    private var ends: [Int64] = []
    /// The cumulative number of blocks up to each segment.
    private var blocks: [Int64] = []

    /// Creates a layout of one segment.
    init(_ length: Int64) {
        append(length)
    }

    /// Creates a layout of several segments; returns `nil` if they are inconsistent.
    init?(_ lengths: [Int64], of length: Int64) {
        for segment in lengths {
            Steps.take()
            guard segment > 0, segment <= length - self.length else { return nil }
            append(segment)
        }
        guard self.length == length else { return nil }
    }

    mutating func append(_ length: Int64) {
        guard length > 0 else { return }
        lengths.append(length)
        blocks.append(blockCount + (length + Self.payload - 1) / Self.payload)
        ends.append(self.length + length)
    }

    /// The length of the body.
    var length: Int64 { ends.last ?? 0 }
    var blockCount: Int64 { blocks.last ?? 0 }
    /// The minimum length of its file.
    var fileSize: Int64 { length + blockCount * Int64(BodyBlocks.checksumSize) }

    /// Returns the length of the file after appending this many bytes.
    func fileSize(appending length: Int64) -> Int64 {
        fileSize + length + (length + Self.payload - 1) / Self.payload * Int64(BodyBlocks.checksumSize)
    }

    /// The block that contains a position of the body.
    func block(at position: Int64) -> Block? {
        guard position >= 0, position < length else { return nil }
        let index = ends.sortedIndex(above: position)
        let (start, blocksBefore) = index == 0 ? (0, 0) : (ends[index - 1], blocks[index - 1])
        let number = (position - start) / Self.payload
        let lower = start + number * Self.payload
        return Block(
            number: blocksBefore + number,
            content: lower..<min(lower + Self.payload, ends[index]),
            offset: lower + (blocksBefore + number) * Int64(BodyBlocks.checksumSize)
        )
    }
}

/// A stored body in an open file; it can be read to its end even if its entry is replaced.
final class BlockFile: BlockSource {
    let file: OpenFile<CacheStoreFault>
    let layout: BodyLayout
    let nonce: UInt64
    let executor: FileExecutor
    /// Called when a block turns out to be damaged.
    let onFault: @Sendable (CacheStoreFault) -> Void

    init(
        _ file: OpenFile<CacheStoreFault>,
        _ layout: BodyLayout,
        nonce: UInt64,
        executor: FileExecutor,
        onFault: @escaping @Sendable (CacheStoreFault) -> Void
    ) {
        self.file = file
        self.layout = layout
        self.nonce = nonce
        self.executor = executor
        self.onFault = onFault
    }

    deinit {
        // Closing the last reference to a removed file frees its blocks, which may wait for the disk. A file that was
        // opened without waiting is also closed without waiting.
        guard !file.isImmediate, (try? file.status().links) != 1 else { return }
        executor.submit { [file] in withExtendedLifetime(file) {} }
    }

    private func read(
        _ position: Int64,
        _ file: OpenFile<CacheStoreFault>
    ) throws(CacheStoreFault) -> (bytes: Data, content: Range<Int64>) {
        guard let block = layout.block(at: position) else { throw CacheStoreFault(.damaged("a stored body")) }
        let bytes = try BodyBlocks.read(block, of: file, nonce: nonce)
        guard !bytes.isEmpty else { throw CacheStoreFault(.damaged("a stored body")) }
        return (bytes, block.content)
    }

    /// Reads and verifies the block at a position, without waiting for the disk if possible.
    nonisolated(nonsending) func block(at position: Int64) async throws -> (bytes: Data, content: Range<Int64>) {
        if file.isImmediate, let block = try? read(position, file) { return block }
        return try await executor.run { [self] in
            do throws(CacheStoreFault) {
                return try read(position, file.reading(immediately: false))
            } catch {
                onFault(error)
                throw error
            }
        }
    }
}
