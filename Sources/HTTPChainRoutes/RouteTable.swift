public import Foundation
import HTTPChainCore
import HTTPTypes

/// The routes of a service by name, and the address of the service.
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
/// Only the `path` of a route is required. The other keys have the names of the properties of ``Route``; lifetimes are
/// in seconds. Unknown keys are kept in ``Route/extended``. If a table is invalid, creating it throws an error that
/// lists all mistakes.
public struct RouteTable: Sendable {
    /// The routes by their names.
    package let routes: [String: Route]
    /// The address of the service; `nil` if the chain determines it, or all routes are absolute.
    package let base: ServiceAddress?
    /// The names of the routes that others invalidate.
    let invalidated: Set<String>
    package static let maximumFileSize = 4 << 20
    package static let maximumFileDepth = 64
    package static let maximumMistakes = 100

    /// Possible mistakes, such as a key that is similar to a known key, or one that has no effect on most calls.
    public let warnings: [RouteMistake]

    init(routes: [String: Route], base: ServiceAddress?, warnings: [RouteMistake]) {
        self.routes = routes
        self.base = base
        self.warnings = warnings
        invalidated = Set(routes.values.flatMap(\.invalidates))
    }

    /// Creates a table in code.
    ///
    /// - Parameters:
    ///   - routes: The routes.
    ///   - base: The address of the service; `nil` if the chain determines it, or all routes are absolute.
    /// - Throws: ``RouteTableError`` with every mistake.
    public init(_ routes: [Route], base: ServiceAddress? = nil) throws(RouteTableError) {
        var mistakes: [RouteMistake] = []
        var warnings: [RouteMistake] = []
        func add(_ path: String, _ text: String, isWarning: Bool = false) {
            let mistake = RouteMistake(path: path, line: nil, column: nil, text: text)
            if isWarning { warnings.append(mistake) } else { mistakes.append(mistake) }
        }
        if let base {
            for problem in RouteRules.addressProblems(of: base) { add("service.\(problem.key)", problem.text) }
        }
        var table: [String: Route] = [:]
        for route in routes where table.updateValue(route, forKey: route.name) != nil {
            add("routes.\(route.name)", "there are two routes with this name")
        }
        for route in routes {
            for problem in RouteRules.problems(of: route, among: table, hasBase: base != nil) {
                let parts = ["routes", route.name, problem.key?.rawValue, problem.part].compactMap(\.self)
                add(parts.joined(separator: "."), problem.text, isWarning: problem.isWarning)
            }
        }
        guard mistakes.isEmpty else { throw RouteTableError(mistakes: mistakes) }
        self.init(routes: table, base: base, warnings: warnings)
    }

    /// Reads a table from JSON.
    ///
    /// - Parameters:
    ///   - json: The bytes of the file, at most 4 MiB.
    ///   - environment: The entry of the file's `environments` whose keys override those of `service`; none by default.
    ///   - overrides: Values that override both, for example from the program's environment: `protocol`, `host`,
    ///     `port`, `path`.
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

    /// Creates a table from the content of a file, in any format.
    package init(
        _ root: RouteNode?,
        mistakes: [RouteMistake],
        environment: String?,
        overrides: [String: String]
    ) throws(RouteTableError) {
        var reader = RouteFileReader(mistakes: mistakes)
        self = try reader.table(root, environment: environment, overrides: overrides)
    }

    /// Reads a JSON file.
    ///
    /// - Parameters:
    ///   - file: The file, at most 4 MiB.
    ///   - environment: The same as for ``init(json:environment:overrides:)``.
    ///   - overrides: The same as for ``init(json:environment:overrides:)``.
    /// - Throws: ``RouteTableError`` with every mistake; `BodyError` if the file can't be read.
    public static func load(
        _ file: URL,
        environment: String? = nil,
        overrides: [String: String] = [:]
    ) async throws -> RouteTable {
        let bytes = try await HTTPBody.file(file).collect(upTo: ByteCount(Int64(maximumFileSize)))
        return try RouteTable(json: bytes, environment: environment, overrides: overrides)
    }

    /// Returns the table with further routes; a route replaces an existing one with the same name.
    ///
    /// - Throws: ``RouteTableError`` with all mistakes, for example if two of these routes have the same name.
    package func registering(_ added: [Route]) throws(RouteTableError) -> RouteTable {
        let replaced = Set(added.map(\.name))
        let kept = names.compactMap { routes[$0] }.filter { !replaced.contains($0.name) }
        let table = try RouteTable(kept + added, base: base)
        // The other warnings are kept from this table, because they may have places in a file.
        let new = table.warnings.filter { warning in
            replaced.contains { name in warning.path.begins(with: "routes.\(name).") }
        }
        return RouteTable(routes: table.routes, base: base, warnings: warnings + new)
    }

    /// The names of the routes, sorted.
    public var names: [String] { routes.keys.sorted() }

    /// Returns the route with a name.
    ///
    /// - Throws: ``RouteError`` with all names if there is no such route.
    public func route(_ name: String) throws(RouteError) -> Route {
        guard let route = routes[name] else { throw RouteError(.unknownRoute(name, known: names)) }
        return route
    }
}
