public import HTTPChainCore

/// A rule that assigns requests to an authentication stage by origin, path, or a name set in the request.
public struct AuthRoute: Sendable {
    /// The name for ``HTTPChainCore/Request/authentication(by:)``, or `nil` if the route has none.
    package let name: String?
    /// The origins it serves, or `nil` for all.
    package let origins: OriginSet?
    /// The path it serves, including all paths below it, or `nil` for all.
    package let path: String?
    /// The stage that authenticates, or `nil` for none.
    let stage: (any Middleware)?

    /// Makes a route to a stage.
    ///
    /// - Parameters:
    ///   - name: The name by which a request selects it.
    ///   - origins: The origins it serves. Defaults to all. The stage only adds credentials for its own origins.
    ///   - path: The path it serves, including paths below it: `/admin` serves `/admin/users` but not
    ///     `/administration`. Defaults to all.
    ///   - stage: The stage that authenticates, such as ``BasicAuthMiddleware``.
    public init(
        _ name: String? = nil,
        for origins: (any OriginSetConvertible)? = nil,
        under path: String? = nil,
        with stage: some Middleware
    ) {
        self.init(name: name, origins: origins?.originSet, path: path, stage: stage)
    }

    /// Makes a route without credentials, for example for a public path on a server that otherwise requires some.
    ///
    /// - Parameters:
    ///   - origins: The origins it serves. Defaults to all.
    ///   - path: The path it serves, including paths below it. Defaults to all.
    public static func unauthenticated(for origins: (any OriginSetConvertible)? = nil, under path: String? = nil)
        -> AuthRoute
    {
        AuthRoute(name: nil, origins: origins?.originSet, path: path, stage: nil)
    }

    private init(name: String?, origins: OriginSet?, path: String?, stage: (any Middleware)?) {
        self.name = name
        self.origins = origins
        // With a trailing slash, the path itself wouldn't match.
        self.path = path.map { String($0.without(suffix: "/") ?? $0[...]) }
        self.stage = stage
    }

    func serves(_ path: String, at origin: Origin?) -> Bool {
        servesOrigin(origin) && (self.path.map { Self.isPath(path, under: $0) } ?? true)
    }

    func servesOrigin(_ origin: Origin?) -> Bool {
        guard let origins else { return true }
        return origin.map(origins.contains) ?? false
    }

    /// Whether a request that matches both routes is served by this one: a route with origins is more specific than one
    /// without, and a longer path is more specific than a shorter one.
    func isMoreSpecific(than other: AuthRoute) -> Bool {
        if (origins == nil) != (other.origins == nil) { return origins != nil }
        return (path?.utf8.count ?? 0) > (other.path?.utf8.count ?? 0)
    }

    /// Whether the path is `parent` or below it; compares whole segments, and ignores the query.
    static func isPath(_ path: String, under parent: String) -> Bool {
        let bytes = path.utf8
        guard bytes.starts(with: parent.utf8) else { return false }
        let next = bytes.dropFirst(parent.utf8.count).first
        return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }
}

extension AuthRoute: CustomStringConvertible, DescribedValue {
    /// The requests that the route serves, and its stage.
    package var words: String {
        let place = [origins.map { "\($0)" }, path.map { "under \($0.isEmpty ? "/" : $0)" }].compactMap { $0 }
        let what = stage?.summary.name ?? "nothing"
        return "\(place.isEmpty ? "all" : place.joined(separator: " ")) → \(what)"
    }
}
