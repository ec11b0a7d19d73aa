public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// The cache settings of a call; see also ``HTTPChainCore/Request/caching(_:)``.
package enum CacheOption: RequestOption, TransportSwitch {
    /// Empty settings: those of the route and the stage apply.
    package static var defaultValue: CacheSettings { CacheSettings() }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".caching(_:)", reader: "CacheMiddleware(…)", phase: .cache)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        // A refresh also affects caches on the path, and a call that bypasses the cache may still invalidate entries.
        if value.use == .off { return value.invalidates.isEmpty }
        return value == CacheSettings(use: value.use) && [nil, .standard].contains(value.use)
    }
    /// The capability of transports with their own cache.
    package static var doneBy: TransportCapabilities { .caches }
    /// Returns whether no cache may be used.
    package static func forbids(_ value: Value) -> Bool { value.use == .off }
}

extension Request {
    /// Returns the request with cache settings, merged over those it already has.
    ///
    /// ```swift
    /// let news = Request.get("https://api.example.com/news").caching(CacheSettings(lifetime: .exactly(.seconds(60))))
    /// ```
    public consuming func caching(_ settings: CacheSettings) -> Request {
        options[CacheOption.self] = settings.over(options[CacheOption.self])
        return self
    }

    /// Returns the request with a use of the cache, such as off, refresh or offline, and a lifetime for its response.
    ///
    /// ```swift
    /// let offline = Request.get("https://api.example.com/news").caching(.onlyStored)
    /// let news = Request.get("https://api.example.com/news").caching(for: .exactly(.seconds(60)))
    /// ```
    public consuming func caching(_ use: CacheSettings.Use? = nil, for lifetime: CacheLifetime? = nil) -> Request {
        caching(CacheSettings(use: use, lifetime: lifetime))
    }

    /// Returns the request with an identifier that separates its responses from others of the same URL.
    public consuming func caching(identifier: String) -> Request {
        caching(CacheSettings(identifier: identifier))
    }

    /// Returns the request with selections of stored responses to invalidate if it succeeds.
    public consuming func caching(invalidating selections: CacheSelection...) -> Request {
        caching(CacheSettings(invalidates: selections))
    }
}

/// The cache settings of a route's calls.
///
/// ```swift
/// CacheMiddleware(store: .memory(limit: .megabytes(50)), routes: [
///     CacheRoute(path: "/news", CacheSettings(lifetime: .exactly(.seconds(60)))),
///     CacheRoute(path: "/account", CacheSettings(use: .off)),
/// ])
/// ```
public struct CacheRoute: Sendable {
    let matches: @Sendable (HTTPRequest) -> Bool
    let settings: CacheSettings

    /// Creates a route for the requests that a closure matches.
    public init(where matches: @escaping @Sendable (HTTPRequest) -> Bool, _ settings: CacheSettings) {
        self.matches = matches
        self.settings = settings
    }

    /// Creates a route for requests to a path and everything below it, on any origin and with any query.
    public init(path: String, _ settings: CacheSettings) {
        self.init(
            where: { request in
                let target = (request.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }
                guard target.starts(with: path.utf8) else { return false }
                return target.count == path.utf8.count || path.ends(with: "/")
                    || target.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
            },
            settings
        )
    }
}

/// The treatment of a partly stored response whose reader stops before the end.
public enum EarlyAbandonment: Sendable, Hashable {
    /// Cancels the transfer and stores nothing.
    case discard
    /// Reads the rest in the background and stores the response; discards it if the rest exceeds the limit.
    case finish(upTo: ByteCount)
}

/// The state of a stored response, for callers that check before sending.
public struct CachedState: Sendable, Hashable {
    /// The key of the entry.
    package let key: CacheKey
    /// The stored status.
    package let status: HTTPResponse.Status
    /// The age of the response, and the time for which it is fresh.
    public let freshness: CacheFreshness
    /// The date when the response was received or last validated.
    public let date: Date
    /// The number of stored bytes of content.
    package let length: Int64
    /// Whether a call would be served without contacting the server.
    public let isUsable: Bool
}
