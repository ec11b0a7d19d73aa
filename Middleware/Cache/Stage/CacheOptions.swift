public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// The cache settings of one call; ``HTTPChainCore/Request/caching(_:)-(CacheSettings)`` is the short way to it.
public enum CacheSettingsOption: RequestOption {
    /// No settings of the call's own: the route and the stage decide.
    public static var defaultValue: CacheSettings { CacheSettings() }
}

extension Request {
    /// The request with what it wants of the cache, over what it wanted before.
    ///
    /// ```swift
    /// let news = Request.get("https://api.example.com/news").caching(CacheSettings(lifetime: .exactly(.seconds(60))))
    /// ```
    public consuming func caching(_ settings: CacheSettings) -> Request {
        options[CacheSettingsOption.self] = settings.over(options[CacheSettingsOption.self])
        return self
    }

    /// The request with a use of the cache: off, refreshed, offline.
    public consuming func caching(_ use: CacheSettings.Use) -> Request {
        caching(CacheSettings(use: use))
    }

    /// The request with a lifetime for its response.
    public consuming func caching(for lifetime: CacheLifetime) -> Request {
        caching(CacheSettings(lifetime: lifetime))
    }

    /// The request with an identifier for its response, to tell calls apart that the URL does not, and to flush it by.
    public consuming func cacheIdentifier(_ identifier: String) -> Request {
        caching(CacheSettings(identifier: identifier))
    }

    /// The request that, when it succeeds, makes stored responses invalid.
    public consuming func invalidating(_ selections: CacheSelection...) -> Request {
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

    /// The requests that a closure picks.
    public init(where matches: @escaping @Sendable (HTTPRequest) -> Bool, _ settings: CacheSettings) {
        self.matches = matches
        self.settings = settings
    }

    /// The requests to a path and to all below it, in any origin, whatever their query.
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

/// The treatment of a response that is being stored when its reader leaves before the end.
public enum EarlyAbandonment: Sendable, Hashable {
    /// Nothing of it is stored, and the transfer is cancelled.
    case discard
    /// The rest is read in the background, up to a limit, and the response stored; beyond it, it is discarded.
    case finish(upTo: ByteCount)
}

/// The state of a stored response, for a caller who asks before sending.
public struct CachedState: Sendable, Hashable {
    /// The key that it is looked up by.
    public let key: CacheKey
    /// The status stored.
    public let status: HTTPResponse.Status
    /// The age of the response, and the time for which it is fresh.
    public let freshness: CacheFreshness
    /// The date when it was received or last validated.
    public let date: Date
    /// The number of bytes of content that are stored.
    public let length: Int64
    /// Whether a call would be answered without asking the server.
    public let isUsable: Bool
}
