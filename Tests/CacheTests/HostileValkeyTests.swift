#if AllTests && Valkey
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPChainValkey
import TestSupport
import Testing
import ValkeyServer

@testable import HTTPChainCache
@testable import HTTPChainCacheValkey

@Suite("A server of Valkey that says anything", .heavy, .timeLimit(.minutes(10)))
struct HostileValkeyTests {
    private func store(_ server: FakeServer) -> ValkeyCacheStore {
        ValkeyCacheStore(ValkeyClient(server.settings), bounds: .ample)
    }

    /// A server that replies to some of the scripts.
    private func server(_ replies: @escaping @Sendable (_ script: String) -> RESPValue?) async throws -> FakeServer {
        try await FakeServer.started { command in
            (FakeServer.script(command).flatMap { replies($0.text) } ?? .null).encoded
        }
    }

    @Test(
        "Numbers that no script returns are a fault of the server",
        arguments: [Int64.min, .min + 1, -1, .max, .max - 1]
    )
    func numbers(number: Int64) async throws {
        let text = RESPValue.string("\(number)")
        let lines = RESPValue.list([.string("a"), .string("b"), .string("c")])
        let news = [
            RESPValue.list([.string("0"), .string("0"), .string("epoch"), text, .number(0), lines]),
            .list([text, text, .string("epoch"), .string("0"), .number(number), lines]),
            .list([
                .string("0"), .string("0"), .string(String(repeating: "e", count: 300)), .string("1"), .number(0),
                lines,
            ]),
        ]
        for news in news {
            let server = try await server { script in
                switch script {
                case CacheScripts.lookup: .list([news, .null])
                case CacheScripts.remove: .list([ForgingServer.news, .number(number), .string("")])
                case CacheScripts.usage: .list([.number(number), text])
                default: nil
                }
            }
            let store = store(server)
            await #expect(throws: CacheStoreFault.self) { try await store.variants(of: storeKey(1)) }
            await #expect(throws: CacheStoreFault.self) { try await store.usage() }
            await #expect(throws: CacheStoreFault.self) { try await store.remove(.all) }
        }
    }

    @Test("A slice that clears away more entries than a slice has is a fault", arguments: [Int64.min, -1, 1001, .max])
    func slices(number: Int64) async throws {
        let server = try await server { script in
            switch script {
            case CacheScripts.remove: .list([ForgingServer.news, .number(1), .string("gone")])
            case CacheScripts.sweep: .list([.number(number), .number(1)])
            default: nil
            }
        }
        let store = store(server)
        await #expect(throws: CacheStoreFault.self) { try await store.remove(.all) }
    }

    @Test("A removal of which the server never has enough ends with its task, and goes on beside what comes next")
    func endless() async throws {
        let (sweeps, isEnough) = (Counter(), Locked(false))
        let server = try await server { script in
            switch script {
            case CacheScripts.lookup: return .list([ForgingServer.news, .null])
            case CacheScripts.remove: return .list([ForgingServer.news, .number(1), .string("gone")])
            case CacheScripts.sweep:
                sweeps.add()
                return .list([.number(1), .number(isEnough.withLock { $0 } ? 0 : 1)])
            default: return nil
            }
        }
        let store = store(server)
        let removal = Task { try await store.remove(.all) }
        try await sweeps.wait(until: 3)
        removal.cancel()
        await #expect(throws: CancellationError.self) { try await removal.value }
        isEnough.withLock { $0 = true }
        // The slice that was in flight may still come.
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        let count = sweeps.value
        #expect(try await store.variants(of: storeKey(1)).isEmpty)
        #expect(sweeps.value == count)
    }

    @Test("A visit of an index whose pages never end ends with its task")
    func pages() async throws {
        let pages = Counter()
        let server = try await FakeServer.started { _ in
            pages.add()
            return RESPValue.list([.string("1"), .list([])]).encoded
        }
        let store = store(server)
        let visit = Task { try await store.visit(.all) { _ in true } }
        try await pages.wait(until: 3)
        visit.cancel()
        await #expect(throws: CancellationError.self) { try await visit.value }
    }
}
#endif
