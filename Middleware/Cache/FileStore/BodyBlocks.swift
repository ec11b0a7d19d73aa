import Foundation
import HTTPChainCore

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

    /// How long the file of a body is.
    static func fileSize(ofBody length: Int64) -> Int64 {
        let blocks = (length + Int64(payload) - 1) / Int64(payload)
        return length + blocks * Int64(checksumSize)
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer, block: Int64, nonce: UInt64) -> UInt64 {
        var checksum = ContentChecksum(saved: (nonce, 0, 0))
        withUnsafeBytes(of: block.littleEndian) { checksum.update($0) }
        checksum.update(bytes)
        return checksum.value
    }

    /// One block of a body, checked.
    static func read(
        _ block: Int64,
        of file: OpenFile<CacheStoreFault>,
        bodyLength: Int64,
        nonce: UInt64
    ) throws(CacheStoreFault) -> Data {
        let start = block * Int64(payload)
        let length = Int(min(Int64(payload), bodyLength - start))
        guard length > 0, let memory = malloc(length + checksumSize) else { return Data() }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: length + checksumSize)
        do throws(CacheStoreFault) {
            let count = try file.read(into: buffer, at: block * Int64(stride))
            let content = UnsafeRawBufferPointer(rebasing: buffer[..<length])
            guard count == buffer.count,
                UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: length, as: UInt64.self))
                    == checksum(content, block: block, nonce: nonce)
            else { throw CacheStoreFault(.damaged("a stored body")) }
        } catch {
            free(memory)
            throw error
        }
        return Data(bytesNoCopy: memory, count: length, deallocator: .free)
    }
}

/// A stored body in a file that stays open, so that the body can be read to its end when its entry is replaced.
final class BlockFile: Sendable {
    let file: OpenFile<CacheStoreFault>
    let length: Int64
    let nonce: UInt64
    let executor: FileExecutor
    /// Is told when a block turns out to be damaged.
    let onFault: @Sendable (CacheStoreFault) -> Void

    init(
        _ file: OpenFile<CacheStoreFault>,
        length: Int64,
        nonce: UInt64,
        executor: FileExecutor,
        onFault: @escaping @Sendable (CacheStoreFault) -> Void
    ) {
        self.file = file
        self.length = length
        self.nonce = nonce
        self.executor = executor
        self.onFault = onFault
    }

    /// One block, checked.
    func block(_ number: Int64) throws(CacheStoreFault) -> Data {
        do throws(CacheStoreFault) {
            let block = try BodyBlocks.read(number, of: file, bodyLength: length, nonce: nonce)
            guard !block.isEmpty else { throw CacheStoreFault(.damaged("a stored body")) }
            return block
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
        let number = range.lowerBound / Int64(BodyBlocks.payload)
        let start = number * Int64(BodyBlocks.payload)
        let block = try await source.executor.run { [source] in try source.block(number) }
        let end = min(range.upperBound, start + Int64(block.count))
        let chunk = block[Int(range.lowerBound - start)..<Int(end - start)]
        range = end..<range.upperBound
        return chunk
    }
}
