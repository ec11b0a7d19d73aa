import Foundation
import HTTPChainCore
import HTTPChainSupport

/// How a body lies in a file of its own: blocks, each followed by its checksum.
///
/// A checksum begins with a number that only this entry has and with the number of the block, so that a block of another
/// body, or of another place, is found as well as a damaged one. No byte of a block is handed out before its checksum
/// was compared.
enum BodyBlocks {
    /// How many bytes of a body a block has; the last may have fewer.
    static let payload = 65_536
    static let checksumSize = 8
    static let stride = payload + checksumSize

    static func checksum(_ bytes: UnsafeRawBufferPointer, block: Int64, nonce: UInt64) -> UInt64 {
        var checksum = ContentChecksum(saved: (nonce, 0, 0))
        withUnsafeBytes(of: block.littleEndian) { checksum.update($0) }
        checksum.update(bytes)
        return checksum.value
    }

    /// A block as it is written: the bytes and their checksum.
    static func encoded(_ bytes: ArraySlice<UInt8>, block: Int64, nonce: UInt64) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count + checksumSize)
        encoded += bytes
        let sum = bytes.withUnsafeBytes { checksum($0, block: block, nonce: nonce) }
        withUnsafeBytes(of: sum.littleEndian) { encoded.append(contentsOf: $0) }
        return encoded
    }

    /// One block of a body, checked.
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

/// How a body is divided in its file: into segments, one after the other, each of which begins with a block of its own.
///
/// A body that was stored at once is one segment; each part that was put behind it later is another, so that no byte
/// that is there already is written again.
struct BodyLayout: Sendable {
    /// One block of a body.
    struct Block: Sendable {
        /// Which of all blocks of the file it is.
        var number: Int64
        /// Which bytes of the body it has.
        var content: Range<Int64>
        /// Where it begins in the file.
        var offset: Int64
    }

    /// A body of more segments is written anew.
    static let maximumCount = 4096
    private static let payload = Int64(BodyBlocks.payload)

    /// How long each segment is.
    private(set) var lengths: [Int64] = []
    /// Where each segment ends in the body.
    private var ends: [Int64] = []
    /// How many blocks the segments up to each have.
    private var blocks: [Int64] = []

    /// A body of one segment.
    init(_ length: Int64) {
        append(length)
    }

    /// A body of several; `nil` where they make no sense.
    init?(_ lengths: [Int64], of length: Int64) {
        for segment in lengths {
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

    /// How long the body is.
    var length: Int64 { ends.last ?? 0 }
    var blockCount: Int64 { blocks.last ?? 0 }
    /// How long its file is, at least.
    var fileSize: Int64 { length + blockCount * Int64(BodyBlocks.checksumSize) }

    /// How long the file is of a body of so many bytes behind this one.
    func fileSize(appending length: Int64) -> Int64 {
        fileSize + length + (length + Self.payload - 1) / Self.payload * Int64(BodyBlocks.checksumSize)
    }

    /// The block that has a byte of the body.
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

/// A stored body in a file that stays open, so that the body can be read to its end when its entry is replaced.
final class BlockFile: Sendable {
    let file: OpenFile<CacheStoreFault>
    let layout: BodyLayout
    let nonce: UInt64
    let executor: FileExecutor
    /// Is told when a block turns out to be damaged.
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
        // Whoever closes a file last that was removed meanwhile frees its blocks, and may wait for the disk. What was
        // opened without waiting for it is closed so, too.
        guard !file.isImmediate, (try? file.status().links) != 1 else { return }
        executor.submit { [file] in withExtendedLifetime(file) {} }
    }

    /// The block that has a byte, checked, where the disk need not be waited for and nothing is wrong with it.
    func blockImmediately(at position: Int64) -> (bytes: Data, content: Range<Int64>)? {
        guard file.isImmediate else { return nil }
        return try? read(position, file)
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

    /// The block that has a byte, checked.
    func block(at position: Int64) throws(CacheStoreFault) -> (bytes: Data, content: Range<Int64>) {
        do throws(CacheStoreFault) {
            return try read(position, file.reading(immediately: false))
        } catch {
            onFault(error)
            throw error
        }
    }

    func body(_ range: Range<Int64>) -> HTTPBody {
        .replayable(length: range.upperBound - range.lowerBound) { BlockReader(self, range) }
    }
}

/// Reads a range of a body block by block.
private struct BlockReader: BodyReader {
    private let source: BlockFile
    private var range: Range<Int64>

    init(_ source: BlockFile, _ range: Range<Int64>) {
        self.source = source
        self.range = range
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !range.isEmpty else { return nil }
        try Task.checkCancellation()
        let position = range.lowerBound
        let (bytes, content): (Data, Range<Int64>)
        if let block = source.blockImmediately(at: position) {
            (bytes, content) = block
        } else {
            (bytes, content) = try await source.executor.run { [source] in try source.block(at: position) }
        }
        let end = min(range.upperBound, content.upperBound)
        let chunk = bytes[Int(position - content.lowerBound)..<Int(end - content.lowerBound)]
        range = end..<range.upperBound
        return chunk
    }
}
