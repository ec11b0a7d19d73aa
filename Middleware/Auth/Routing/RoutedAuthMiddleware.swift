public import HTTPChainCore
import HTTPTypes

/// Authenticates each request with the stage of its route.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RoutedAuthMiddleware([
///         AuthRoute("files", for: "https://files.example.com", with: files),
///         AuthRoute("admin", for: "https://api.example.com", under: "/admin", with: administrator),
///         AuthRoute(for: "https://api.example.com", with: everybody),
///         .unauthenticated(for: "https://api.example.com", under: "/health"),
///     ])
/// }
/// let users = try await chain.send(.get("https://api.example.com/admin/users"))   // as administrator
/// let mine = try await chain.send(.get("https://api.example.com/me").authentication(by: "admin"))
/// ```
///
/// If a request names a route, that route serves it. Otherwise the most specific route does: one that names the
/// request's origin before one that doesn't, then the longest path, then the first in the list. A request gets no
/// credentials if it matches no route, or if it names a route for another origin, as after a redirect.
///
/// A route's stage can be any stage of the phase ``/HTTPChainCore/Phase/authenticate``. It remains bound to its own
/// origins, regardless of the route.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/authenticate``: inside retries.
///
/// **Options.** ``HTTPChainCore/Request/authentication(by:)`` and ``HTTPChainCore/Request/authentication(_:)``.
///
/// **Errors.** ``AuthenticationError`` if a request names an unknown route; rethrows errors of the stages.
public struct RoutedAuthMiddleware: ChainAwareMiddleware, BuiltInStage, IdentifyingMiddleware {
    private let routes: [AuthRoute]
    private let origins = OriginBindings()

    /// Makes a stage with routes; their order matters only among equally specific routes.
    public init(_ routes: [AuthRoute]) {
        self.routes = routes
    }

    /// Always `false`: a route's stage may wait for the user.
    package var stageKeepsDeadlines: Bool { false }

    /// Inside retries.
    package var stagePhase: Phase { .authenticate }

    /// Whether the stage of any route adds an identity.
    package var addsIdentity: Bool {
        routes.contains { ($0.stage as? any IdentifyingMiddleware)?.addsIdentity ?? ($0.stage != nil) }
    }

    /// Records the users of all routes.
    package func noteIdentity(in identity: CallIdentity) {
        for route in routes { (route.stage as? any IdentifyingMiddleware)?.noteIdentity(in: identity) }
    }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] {
        [NoAuthenticationOption.self, AuthenticationRouteOption.self] + routes.flatMap { $0.stage?.optionsRead ?? [] }
    }

    /// The routes.
    package var stageSummary: StageSummary {
        var summary = StageSummary("RoutedAuthMiddleware", purpose: "authenticates by route")
        summary.settings = routes.map { StageSummary.Setting(name: $0.name ?? "route", value: $0.description) }
        return summary
    }

    /// Returns problems with the routes and their stages.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        let name = summary.name
        var names: Set<String> = []
        return routes.flatMap { route -> [ChainProblem] in
            var problems =
                (route.origins?.problems(of: name) ?? [])
                + ((route.stage as? any ChainAwareMiddleware)?.problems(at: place) ?? [])
            if let routeName = route.name, !names.insert(routeName).inserted {
                problems.append(
                    ChainProblem(
                        stage: name,
                        problem: "\(name) has two routes called \"\(routeName)\"",
                        fix: "rename one of them"
                    )
                )
            }
            if let phase = route.stage?.phase, phase != .authenticate {
                problems.append(
                    ChainProblem(
                        stage: name,
                        problem: "\(route.stage?.summary.name ?? name) is in a route of \(name), but does not belong "
                            + "to authentication: \(phase.reason)",
                        fix: "put it in the chain"
                    )
                )
            }
            return problems
        }
    }

    /// Passes the request to its route's stage.
    ///
    /// - Throws: ``AuthenticationError``; rethrows errors of the stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let stage = try stage(for: request) else { return try await next(request) }
        return try await stage.intercept(request, next: next)
    }

    private func stage(for request: borrowing Request) throws(AuthenticationError) -> (any Middleware)? {
        let origin = origins.binding(for: request)?.origin
        if request.options[NoAuthenticationOption.self] { return nil }
        guard let name = request.options[AuthenticationRouteOption.self] else {
            let path = request.head.path ?? "/"
            var best: Int?
            for index in routes.indices where routes[index].serves(path, at: origin) {
                if best.map({ routes[index].isMoreSpecific(than: routes[$0]) }) ?? true { best = index }
            }
            return best.flatMap { routes[$0].stage }
        }
        guard let route = routes.first(where: { $0.name == name }) else {
            throw AuthenticationError(
                .unknownRoute(name, known: routes.compactMap(\.name)),
                stage: "RoutedAuthMiddleware",
                exchange: ExchangeSnapshot(request.head, redaction: request.redaction)
            )
        }
        return route.servesOrigin(origin) ? route.stage : nil
    }
}
