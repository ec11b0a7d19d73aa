public import Foundation
import HTTPChainCore
import HTTPTypes

/// The routes of a service by their names, and where the service is.
///
/// ```json
/// {
///   "service": { "protocol": "https", "host": "api.example.com", "path": "/v2" },
///   "environments": { "test": { "protocol": "http", "host": "localhost", "port": 8080 } },
///   "routes": {
///     "doc": { "path": "documents/{uniqueId}", "cacheTTL": 3600 },
///     "login": { "method": "POST", "path": "user/login", "serialization": "form", "preventsUserInteraction": true }
///   }
/// }
/// ```
///
/// ```swift
/// let routes = try await RouteTable.load(url, environment: "test")
/// ```
///
/// Of a route, `path` alone is needed; the other keys are named as the properties of ``Route``, lifetimes are in
/// seconds. Keys that it does not know are kept in ``Route/extended``. A table that is wrong is not made: the error
/// tells every mistake.
public struct RouteTable: Sendable {
    /// The routes by their names.
    public let routes: [String: Route]
    /// The address of the service; `nil` where that is up to the chain, or all routes are absolute.
    public let base: ServiceAddress?
    package static let maximumFileSize = 4 << 20
    package static let maximumFileDepth = 64
    package static let maximumMistakes = 100

    /// The places that may hold a mistake, such as a key that is nearly one that is known.
    public let warnings: [RouteMistake]

    init(routes: [String: Route], base: ServiceAddress?, warnings: [RouteMistake]) {
        self.routes = routes
        self.base = base
        self.warnings = warnings
    }

    /// Makes a table in code.
    ///
    /// - Parameters:
    ///   - routes: The routes.
    ///   - base: Where the service is; `nil` where that is up to the chain, or all routes are absolute.
    /// - Throws: ``RouteTableError`` with every mistake.
    public init(_ routes: [Route], base: ServiceAddress? = nil) throws(RouteTableError) {
        var mistakes: [RouteMistake] = []
        func add(_ path: String, _ text: String) {
            mistakes.append(RouteMistake(path: path, line: nil, column: nil, text: text))
        }
        if let base {
            for problem in RouteRules.addressProblems(of: base) { add("service.\(problem.key)", problem.text) }
        }
        var table: [String: Route] = [:]
        for route in routes where table.updateValue(route, forKey: route.name) != nil {
            add("routes.\(route.name)", "there are two routes with this name")
        }
        let names = Set(table.keys)
        for route in routes {
            for problem in RouteRules.problems(of: route, among: names, hasBase: base != nil) {
                let parts = ["routes", route.name, problem.key?.rawValue, problem.part].compactMap(\.self)
                add(parts.joined(separator: "."), problem.text)
            }
        }
        guard mistakes.isEmpty else { throw RouteTableError(mistakes: mistakes) }
        self.init(routes: table, base: base, warnings: [])
    }

    /// Reads a table from JSON.
    ///
    /// - Parameters:
    ///   - json: The bytes of the file; at most 4 MiB.
    ///   - environment: Which of the file's `environments` says where the service is, key by key over `service`; none
    ///     by default.
    ///   - overrides: What stands over both: `protocol`, `host`, `port`, `path`. A program gives what its own
    ///     environment says.
    /// - Throws: ``RouteTableError`` with every mistake.
    public init(
        json: Data,
        environment: String? = nil,
        overrides: [String: String] = [:]
    ) throws(RouteTableError) {
        var parser = RouteJSONParser(json)
        let root = parser.parse()
        try self.init(root, mistakes: parser.mistakes, environment: environment, overrides: overrides)
    }

    /// Makes a table of what a file says, in whatever format.
    package init(
        _ root: RouteNode?,
        mistakes: [RouteMistake],
        environment: String?,
        overrides: [String: String]
    ) throws(RouteTableError) {
        var reader = RouteFileReader(mistakes: mistakes)
        self = try reader.table(root, environment: environment, overrides: overrides)
    }

    /// Reads a file of JSON.
    ///
    /// - Parameters:
    ///   - file: The file; at most 4 MiB.
    ///   - environment: As for ``init(json:environment:overrides:)``.
    ///   - overrides: As for ``init(json:environment:overrides:)``.
    /// - Throws: ``RouteTableError`` with every mistake; `BodyError` for a file that cannot be read.
    public static func load(
        _ file: URL,
        environment: String? = nil,
        overrides: [String: String] = [:]
    ) async throws -> RouteTable {
        let bytes = try await HTTPBody.file(file).collect(upTo: ByteCount(Int64(maximumFileSize)))
        return try RouteTable(json: bytes, environment: environment, overrides: overrides)
    }

    /// The names, sorted.
    public var names: [String] { routes.keys.sorted() }

    /// A route.
    ///
    /// - Throws: ``RouteError`` that lists the names where there is none.
    public func route(_ name: String) throws(RouteError) -> Route {
        guard let route = routes[name] else { throw RouteError(.unknownRoute(name, known: names)) }
        return route
    }
}
