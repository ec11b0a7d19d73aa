#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

/// A cache in a chain over a scripted server, on a clock that the test moves.
final class Conversation: Sendable {
    let clock = VirtualClock()
    let transport = InMemoryTransport()
    let store: MemoryCacheStore
    let revalidator = CacheRevalidator(limit: 2)
    let cache: CacheMiddleware
    let seen = Locked<[String]>([])
    let chain: Chain

    init(
        _ mode: CacheRules.Mode = .private,
        store: MemoryCacheStore = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1))),
        partition: UserPartition = .shared,
        settings: CacheSettings = CacheSettings(),
        routes: [CacheRoute] = [],
        abandonment: EarlyAbandonment = .discard
    ) throws {
        self.store = store
        let seen = seen
        cache = CacheMiddleware(
            store: store,
            rules: CacheRules(mode: mode),
            partition: partition,
            settings: settings,
            routes: routes,
            abandonment: abandonment,
            revalidator: revalidator
        ) { event in seen.withLock { $0.append(event.word) } }
        chain = try Chain([cache], transport: transport, environment: .virtual(clock))
    }

    /// What the server answers next.
    func script(_ status: HTTPResponse.Status = .ok, _ lines: [String] = [], _ body: String = "0123456789") {
        transport.enqueue(.status(status, headers: fields(lines), body: HTTPBody(body)))
    }

    /// Sends a request and reads the response to its end.
    ///
    /// Its last `Cache-Status` is its report, written out.
    func ask(_ request: Request) async throws -> (response: Response, text: String) {
        let response = try await chain.send(request)
        #expect(response.headers[values: .cacheStatus].last == response.cacheStatus?.description)
        return (response, try await response.body.text())
    }

    func ask(_ lines: [String] = [], _ method: HTTPRequest.Method = .get, url: String = target) async throws -> (
        response: Response, text: String
    ) {
        try await ask(Request(method, url, headers: fields(lines)))
    }

    func pass(_ seconds: Double) { clock.advance(by: .seconds(seconds)) }

    /// How many requests the server has seen.
    var count: Int { transport.requestCount }

    /// A field of the last request that the server has seen.
    func last(_ name: HTTPField.Name) -> String? { transport.requests.last?.head.headerFields[name] }

    var events: [String] { seen.withLock { $0 } }
}

extension CacheEvent {
    var word: String {
        switch self {
        case .hit: "hit"
        case .miss: "miss"
        case .stale: "stale"
        case .revalidated: "revalidated"
        case .revalidatedInBackground(_, let error): error == nil ? "background" : "background failed"
        case .stored: "stored"
        case .notStored: "not stored"
        case .evicted: "evicted"
        case .invalidated: "invalidated"
        case .storeFailure: "store failure"
        }
    }
}
#endif
