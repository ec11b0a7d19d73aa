#if Valkey
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSupport

/// The content of an entry, in keys of the server that exist as long as somebody reads them.
struct StoredBlocks: Sendable {
    /// The maximum size of content fetched completely with the first request.
    private static let small: Int64 = 256 * 1024

    let server: CacheServer
    let id: String
    let response: StoredResponse

    private static var damaged: CacheStoreFault { CacheStoreFault(.damaged("a stored body")) }

    /// Returns a body of the bytes; nil if the entry is gone.
    func body(_ range: Range<Int64>) async throws -> HTTPBody? {
        let length = response.bodyLength
        if length <= Self.small {
            // The blocks of another machine may have another size, but always at least 64 KiB.
            guard let opened = try await server.open(id, blocks: 0...3, isMore: false) else { return nil }
            guard let bytes = Self.opened(opened.blocks, of: id, as: response) else { throw Self.damaged }
            return HTTPBody(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }
        // The guess is based on this machine's block size. If the entry has another one, the first block is read again.
        let guess = Int(range.lowerBound / Int64(server.options.blockBytes))
        guard let opened = try await server.open(id, blocks: guess...guess, isMore: true) else { return nil }
        guard !range.isEmpty else { return .empty }
        let body = LongBody(stored: self, size: Int64(opened.size))
        if opened.size == server.options.blockBytes {
            let bytes = try body.open(opened.blocks.first ?? nil, guess)
            body.first.withLock { $0 = (guess, bytes) }
        }
        return body.body(in: range)
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

    /// A body of several blocks.
    private struct LongBody: BlockSource {
        let stored: StoredBlocks
        /// The size of each block except the last.
        let size: Int64
        /// The block that was fetched first.
        ///
        /// It is released by the first read, so that it stays in memory no longer than necessary.
        let first = Locked<(number: Int, bytes: Data)?>(nil)

        private var length: Int64 { stored.response.bodyLength }

        nonisolated(nonsending) func block(at position: Int64) async throws -> (bytes: Data, content: Range<Int64>) {
            let number = Int(position / size)
            let bytes: Data
            if let first = first.withLock({ $0.take() }), first.number == number {
                bytes = first.bytes
            } else {
                let count = Int(clamping: (length + size - 1) / size)
                bytes = try open(try await stored.server.read(stored.id, block: number, of: count), number)
            }
            let start = Int64(number) * size
            return (bytes, start..<(start + Int64(bytes.count)))
        }

        func open(_ sealed: [UInt8]?, _ number: Int) throws(CacheStoreFault) -> Data {
            let bytes = try StoredBlocks.open(sealed, stored.id, number)
            guard Int64(bytes.count) == min(size, length - Int64(number) * size) else { throw damaged }
            return bytes
        }
    }
}
#endif
