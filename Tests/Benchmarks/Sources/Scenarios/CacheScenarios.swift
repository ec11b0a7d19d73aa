public import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes

/// Hits on stored responses of 1 KiB through a chain, and the bare work beside them.
public enum CacheScenarios {
    static let size = 1024

    /// A hit on the only entry of a store in memory, and an element of a dictionary.
    public static func memory() async throws -> [Scenario] {
        let chain = try await filled(1, store: .memory(limit: .megabytes(50)))
        let dictionary = [url(0): Data(count: size)]
        let key = url(0)
        return [
            hits(chain, among: 1, named: "cache.memory.hit"),
            Scenario(name: "cache.memory.dictionary") { count in
                var bytes = 0
                for _ in 0..<count { bytes += dictionary[key]?.count ?? 0 }
                guard bytes == count * size else { throw Miss() }
            },
        ]
    }

    /// Hits spread over all entries of stores in memory of two sizes, and over dictionaries of the same sizes.
    public static func sizes(to count: Int) async throws -> (small: [Scenario], large: [Scenario]) {
        func scenarios(_ count: Int) async throws -> [Scenario] {
            let store = BuiltInCacheStore.memory(bounds: CacheBounds(totalBytes: .gigabytes(100), entryCount: count))
            return [
                hits(try await filled(count, store: store), among: count, named: "cache.\(count)"),
                lookups(among: count, named: "dictionary.\(count)"),
            ]
        }
        return (try await scenarios(100), try await scenarios(count))
    }

    private static func lookups(among entries: Int, named name: String) -> Scenario {
        var dictionary: [String: Data] = [:]
        for number in 0..<entries { dictionary[url(number)] = Data(count: size) }
        let keys = (0..<entries).map { url($0 &* 7919 % entries) }
        let position = Locked(0)
        return Scenario(name: name) { [dictionary] count in
            var bytes = 0
            let first = position.withLock { $0.advance(by: count, in: keys.count) }
            for number in first..<first + count { bytes += dictionary[keys[number % keys.count]]?.count ?? 0 }
            guard bytes == count * size else { throw Miss() }
        }
    }

    /// A hit on an entry in a file, and a file of the same size read by the system.
    public static func file(in directory: URL) async throws -> [Scenario] {
        let chain = try await filled(1, store: .files(in: directory, limit: .megabytes(50)))
        let plain = directory.appendingPathComponent("plain")
        try Data(count: size).write(to: plain)
        let path = plain.path
        return [
            hits(chain, among: 1, named: "cache.file.hit"),
            Scenario(name: "cache.file.read") { count in
                var buffer = [UInt8](repeating: 0, count: size)
                for _ in 0..<count {
                    let descriptor = open(path, O_RDONLY)
                    defer { close(descriptor) }
                    guard read(descriptor, &buffer, size) == size else { throw Miss() }
                }
            },
        ]
    }

    static func url(_ number: Int) -> String { "https://api.example.com/plants/\(number)" }

    /// A chain over a store that it has filled.
    static func filled(_ count: Int, store: some CacheStore) async throws -> Chain {
        let chain = try chain(over: store)
        for number in 0..<count { _ = try await chain.send(.get(url(number))).body.collect() }
        return chain
    }

    /// A chain over a store, in whatever state that is.
    static func chain(over store: some CacheStore) throws -> Chain {
        let response = Response(
            .ok,
            headers: [.cacheControl: "max-age=3600", .contentType: "application/json", .eTag: "\"a\""],
            body: HTTPBody(Data(count: size))
        )
        return try Chain(transport: CannedTransport(response)) { CacheMiddleware(store: store) }
    }

    static func hits(_ chain: Chain, among entries: Int, named name: String) -> Scenario {
        let requests = (0..<entries).map { Request.get(url($0 &* 7919 % entries)) }
        let position = Locked(0)
        return Scenario(name: name) { count in
            let first = position.withLock { $0.advance(by: count, in: requests.count) }
            for number in first..<first + count {
                let response = try await chain.send(requests[number % requests.count])
                let bytes = try await response.body.collect()
                guard response.cacheStatus?.isHit == true, bytes.count == size else { throw Miss() }
            }
        }
    }

    struct Miss: Error {}
}

extension Int {
    /// Goes on where the round before has stopped, so that in time every one of so many is touched.
    ///
    /// - Returns: Where it stood.
    mutating func advance(by count: Int, in total: Int) -> Int {
        defer { self = (self + count) % total }
        return self
    }
}
