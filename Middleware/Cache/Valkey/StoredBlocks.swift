#if Valkey
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSupport

/// The content of an entry, in keys of the server that stay as long as somebody reads them.
final class StoredBlocks: Sendable {
    /// The maximum size of content fetched completely with the first request.
    private static let small: Int64 = 256 * 1024

    private let server: CacheServer
    private let id: String
    private let response: StoredResponse

    init(server: CacheServer, id: String, response: StoredResponse) {
        self.server = server
        self.id = id
        self.response = response
    }

    private static var damaged: CacheStoreFault { CacheStoreFault(.damaged("a stored body")) }

    /// Returns a body of the bytes; nil if the entry is gone.
    func body(_ range: Range<Int64>) async throws -> HTTPBody? {
        let length = response.bodyLength
        if length <= Self.small {
            // Another machine's blocks have at least 64 KiB.
            guard let opened = try await server.open(id, blocks: 0...3, isMore: false) else { return nil }
            guard let bytes = Self.opened(opened.blocks, of: id, as: response) else { throw Self.damaged }
            return HTTPBody(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        // Based on this machine's block size; if the entry has another one, the first block is read again.
        let guess = Int(range.lowerBound / Int64(server.options.blockBytes))
        guard let opened = try await server.open(id, blocks: guess...guess, isMore: true) else { return nil }
        guard !range.isEmpty else { return .empty }
        let layout = Layout(size: Int64(opened.size), length: length)
        var first: (number: Int, bytes: Data)?
        if opened.size == server.options.blockBytes {
            guard let sealed = opened.blocks.first else { throw Self.damaged }
            let bytes = try Self.open(sealed, id, guess)
            guard Int64(bytes.count) == layout.length(of: guess) else { throw Self.damaged }
            first = (guess, bytes)
        }
        // Passed to the first reader, so that it stays in memory no longer than necessary.
        let pending = Locked(first)
        return .replayable(length: range.upperBound - range.lowerBound) { [self] in
            Reader(blocks: self, layout: layout, first: pending.withLock { $0.take() }, range: range)
        }
    }

    /// Returns the content of all blocks; nil if it differs from what was stored.
    static func opened(_ blocks: [[UInt8]?], of id: String, as response: StoredResponse) -> Data? {
        var bytes = Data()
        for (number, sealed) in blocks.enumerated() {
            guard let block = try? open(sealed, id, number) else { return nil }
            bytes += block
        }
        return Int64(bytes.count) == response.bodyLength && ContentChecksum(of: bytes) == response.bodyChecksum
            ? bytes : nil
    }

    private static func open(_ sealed: [UInt8]?, _ id: String, _ number: Int) throws(CacheStoreFault) -> Data {
        Steps.take(sealed?.count ?? 0)
        guard let sealed, let bytes = SealedBytes.open(sealed, name: "\(id)/\(number)") else { throw damaged }
        return Data(bytes)
    }

    /// The layout of a body's blocks.
    struct Layout: Sendable {
        let size: Int64
        let length: Int64

        var count: Int { Int(clamping: (length + size - 1) / size) }

        func length(of block: Int) -> Int64 { min(size, length - Int64(block) * size) }
    }

    private struct Reader: BodyReader {
        let blocks: StoredBlocks
        let layout: Layout
        var first: (number: Int, bytes: Data)?
        var range: Range<Int64>

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            guard !range.isEmpty else { return nil }
            try Task.checkCancellation()
            let number = Int(range.lowerBound / layout.size)
            let start = Int64(number) * layout.size
            let block: Data
            if let first = first.take(), first.number == number {
                block = first.bytes
            } else {
                block = try await blocks.next(number, layout)
            }
            let end = min(range.upperBound, start + Int64(block.count))
            let chunk = block[Int(range.lowerBound - start)..<Int(end - start)]
            range = end..<range.upperBound
            return chunk
        }
    }

    private func next(_ number: Int, _ layout: Layout) async throws -> Data {
        let bytes = try Self.open(try await server.read(id, block: number, of: layout.count), id, number)
        guard Int64(bytes.count) == layout.length(of: number) else { throw Self.damaged }
        return bytes
    }
}
#endif
