#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("Many calls for one large response", .heavy, .timeLimit(.minutes(60)))
struct OneWriterDrillTests {
    private let directory = ScratchDirectory()

    @Test("With a coalescing stage inside it is sent once, written once, and open in one file, however many read it")
    func oneCopy() async throws {
        let (callers, length) = Drill.isFull ? (1000, 100_000_000) : (50, 4_000_000)
        let written = Locked(0)
        let created = Locked(0)
        let files = HookedFiles { operation, _ in
            switch operation {
            case .write(let count): written.withLock { $0 += count }
            case .create: created.withLock { $0 += 1 }
            default: break
            }
        }
        let bounds = CacheBounds(totalBytes: .gigabytes(1), entryBytes: .megabytes(500))
        let store = FileCacheStore(path: directory.path, bounds: bounds, files: files)
        let coalescing = CoalescingMiddleware(partition: .shared)
        let transport = InMemoryTransport()
        let chain = try Chain([CacheMiddleware(store: store, partition: .shared), coalescing], transport: transport)
        // Nothing is stored yet, and the directory is open.
        #expect(try await store.usage().entries == 0)
        created.withLock { $0 = 0 }
        let chunk = content(5, 65_536)
        let hasAll = Watched(false)
        transport.on(.get, "/*", times: 1) { _ in
            try await hasAll.wait { $0 ? () : nil }
            return Response(
                .ok,
                headers: fields(["Cache-Control: max-age=600", "Content-Length: \(length)"]),
                body: .once(length: Int64(length)) { Repeated(chunk: chunk, rest: length) }
            )
        }
        let before = Resources.now
        let peak = Locked(before)
        let expected = ContentChecksum.repeated(chunk, length)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<callers {
                // To look at each byte of each would take hours.
                let isExact = !Drill.isFull || caller % 100 == 0
                group.addTask {
                    var checksum = ContentChecksum()
                    var count = 0
                    for try await bytes in try await chain.send(.get(target)).body {
                        if isExact { checksum.update(bytes) }
                        count += bytes.count
                        if count % (1 << 24) < bytes.count { peak.withLock { $0.take(.now) } }
                    }
                    #expect(count == length && (!isExact || checksum == expected))
                }
            }
            try await until("all calls to wait") { coalescing.transfers.waiterCount == callers }
            peak.withLock { $0.take(.now) }
            hasAll.update { $0 = true }
            try await group.waitForAll()
        }
        #expect(transport.requestCount == 1)
        #expect(created.withLock { $0 } == 2, "a file for the body, and one for its description")
        let copies = Double(written.withLock { $0 }) / Double(length)
        #expect(copies < 1.05, "\(copies) copies were written")
        var checksum = ContentChecksum()
        let hit = try await chain.send(.get(target))
        #expect(hit.cacheStatus?.isHit == true)
        for try await bytes in hit.body { checksum.update(bytes) }
        #expect(checksum == expected)
        if Drill.isFull {
            let peak = peak.withLock { $0 }
            print(
                """
                \(callers) calls for \(length) bytes: \(copies) copies written, \
                memory grew by \((peak.memory - before.memory) >> 20) MiB, \
                descriptors from \(before.descriptors) to \(peak.descriptors)
                """
            )
            // Other tests use memory and files beside this one.
            #expect(peak.memory - before.memory < Int64(callers) << 20)
            #expect(peak.descriptors - before.descriptors < callers / 4)
        }
    }
}

/// What this process uses.
private struct Resources: Sendable {
    /// Bytes in memory; 0 where that is not known.
    var memory: Int64
    var descriptors: Int

    static var now: Resources {
        let pages =
            (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
            .split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        return Resources(memory: pages * Int64(getpagesize()), descriptors: descriptors)
    }

    /// The higher of each.
    mutating func take(_ other: Resources) {
        memory = max(memory, other.memory)
        descriptors = max(descriptors, other.descriptors)
    }
}

/// The same chunk again and again.
private struct Repeated: BodyReader {
    let chunk: Data
    var rest: Int

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard rest > 0 else { return nil }
        let next = chunk.prefix(rest)
        rest -= next.count
        return next
    }
}

extension ContentChecksum {
    fileprivate static func repeated(_ chunk: Data, _ length: Int) -> ContentChecksum {
        var checksum = ContentChecksum()
        var rest = length
        while rest > 0 {
            checksum.update(chunk.prefix(rest))
            rest -= min(rest, chunk.count)
        }
        return checksum
    }
}
#endif
