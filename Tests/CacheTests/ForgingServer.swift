#if AllTests && Valkey
import Foundation
import HTTPChainCore
import HTTPChainValkey
import TestSupport
import ValkeyServer

@testable import HTTPChainCache
@testable import HTTPChainCacheValkey

/// A server of Valkey in which somebody else has written an entry, under right checksums.
enum ForgingServer {
    private static let id = "7"
    private static let block = 128 * 1024

    /// The beginning of a reply: the server's clock, and that nothing was made invalid.
    static let news = RESPValue.list([
        .string("784111777"), .string("0"), .string("epoch"), .string("0"), .number(0), .list([]),
    ])

    static func started(_ entry: ForgedEntry) async throws -> FakeServer {
        let head = RESPValue.bytes(SealedBytes.seal(entry.head, name: id))
        let blocks = stride(from: 0, to: entry.body.count, by: block).enumerated().map { number, offset in
            let bytes = [UInt8](entry.body.dropFirst(offset).prefix(block))
            return RESPValue.bytes(SealedBytes.seal(bytes, name: "\(id)/\(number)"))
        }
        let isGone = Locked(false)
        return try await FakeServer.started { command in
            guard let (script, arguments) = FakeServer.script(command) else { return RESPValue.null.encoded }
            func number(_ index: Int) -> Int { Int(String(decoding: arguments[index], as: UTF8.self)) ?? 0 }
            let reply: RESPValue
            switch script {
            case CacheScripts.lookup where isGone.withLock { $0 }: reply = .list([news, .null])
            case CacheScripts.lookup:
                let content = blocks.count == 1 && entry.body.count <= 16_384 ? blocks[0] : .null
                reply = .list([news, content, .string(id), head, .string("0"), .string("0")])
            case CacheScripts.open:
                let wanted = blocks.dropFirst(max(0, number(1))).prefix(max(0, number(2) - number(1) + 1))
                reply = isGone.withLock { $0 } ? .null : .list([.string("\(block)")] + wanted)
            case CacheScripts.read: reply = blocks.indices.contains(number(1)) ? blocks[number(1)] : .null
            case CacheScripts.remove:
                isGone.withLock { $0 = true }
                reply = .list([news, .number(1), .string("")])
            default: reply = .number(1)
            }
            return reply.encoded
        }
    }
}
#endif
