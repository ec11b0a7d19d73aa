#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("A store of files whose disk does not answer", .timeLimit(.minutes(10)))
struct StalledStoreTests {
    private let directory = ScratchDirectory()

    @Test("The store holds up neither a call that gives up, nor calls beside it, nor file work elsewhere")
    func stalled() async throws {
        let disk = StallingFiles()
        let store = FileCacheStore(path: directory.path, bounds: .ample, files: disk)
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.cacheControl: "max-age=60"], body: HTTPBody("fresh"))
        }
        let slow = try Chain(transport: transport) { CacheMiddleware(store: store) }
        let other = try Chain(transport: transport) { CacheMiddleware(store: MemoryCacheStore(bounds: .ample)) }

        let first = Task { try await slow.send(.get("https://example.com/a")).body.text() }
        try await until("the lookup to wait for the disk") { disk.waitingCount > 0 }
        let file = try await HTTPBody(Data(count: 100_000)).saveToTemporaryFile()
        for number in 0..<20 {
            #expect(try await other.send(.get("https://example.com/\(number)")).body.text() == "fresh")
            #expect(try await HTTPBody.file(file.url).collect().count == 100_000)
        }
        #expect(disk.waitingCount > 0)

        let events = Locked<[String]>([])
        let stored = try Chain(transport: transport) {
            CacheMiddleware(store: store) { event in events.withLock { $0.append(event.word) } }
        }
        let only = Task { try await stored.send(.get("https://example.com/c").caching(.onlyStored)) }
        for task in [first.cancel, only.cancel] { task() }
        await #expect(throws: CancellationError.self) { try await first.value }
        await #expect(throws: CancellationError.self) { try await only.value }
        #expect(events.withLock { $0 }.isEmpty)

        disk.release()
        #expect(try await slow.send(.get("https://example.com/b")).body.text() == "fresh")
        let count = transport.requestCount
        #expect(try await slow.send(.get("https://example.com/b")).body.text() == "fresh")
        #expect(transport.requestCount == count, "the store works once its disk does")
    }
}
#endif
