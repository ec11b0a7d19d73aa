public import HTTPChainCore

/// A rule that says which requests one way to authenticate serves: by origin, by path, or by a name that the request
/// gives.
public struct AuthRoute: Sendable {
    /// The name that ``HTTPChainCore/Request/authenticated(by:)`` asks for; `nil` for a route without one.
    public let name: String?
    /// The origins it serves; `nil` for all.
    public let origins: OriginSet?
    /// The path it serves, with all that is below; `nil` for all.
    public let path: String?
    /// The stage that authenticates; `nil` for nothing.
    let stage: (any Middleware)?

    /// Serves requests with a stage.
    ///
    /// - Parameters:
    ///   - name: The name that a request asks for it by.
    ///   - origins: The origins it serves; by default all, of which the stage takes those it has credentials for.
    ///   - path: A path whose requests it serves, with those below: `/admin` serves `/admin/users` and not
    ///     `/administration`. All by default.
    ///   - stage: What authenticates: ``BasicAuthMiddleware``, or any other stage.
    public init(
        _ name: String? = nil,
        for origins: (any OriginSetConvertible)? = nil,
        under path: String? = nil,
        with stage: some Middleware
    ) {
        self.init(name: name, origins: origins?.originSet, path: path, stage: stage)
    }

    /// Leaves requests without credentials, as on a public path of a server whose other paths need some.
    ///
    /// - Parameters:
    ///   - origins: The origins it serves; all by default.
    ///   - path: A path whose requests it serves, with those below; all by default.
    public static func unauthenticated(for origins: (any OriginSetConvertible)? = nil, under path: String? = nil)
        -> AuthRoute
    {
        AuthRoute(name: nil, origins: origins?.originSet, path: path, stage: nil)
    }

    private init(name: String?, origins: OriginSet?, path: String?, stage: (any Middleware)?) {
        self.name = name
        self.origins = origins
        // A slash at the end would exclude the path itself.
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

    /// A route with an origin is more specific than one with a path alone; a deeper path than a shallower one.
    func isMoreSpecific(than other: AuthRoute) -> Bool {
        if (origins == nil) != (other.origins == nil) { return origins != nil }
        return (path?.utf8.count ?? 0) > (other.path?.utf8.count ?? 0)
    }

    /// Whether the path is `parent` or below it, segment by segment; a query does not count.
    static func isPath(_ path: String, under parent: String) -> Bool {
        let bytes = path.utf8
        guard bytes.starts(with: parent.utf8) else { return false }
        let next = bytes.dropFirst(parent.utf8.count).first
        return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }
}

extension AuthRoute: CustomStringConvertible {
    /// The requests that the route serves, and what authenticates them.
    public var description: String {
        let place = [origins.map { "\($0)" }, path.map { "under \($0.isEmpty ? "/" : $0)" }].compactMap { $0 }
        let what = stage?.summary.name ?? "nothing"
        return "\(place.isEmpty ? "all" : place.joined(separator: " ")) → \(what)"
    }
}
