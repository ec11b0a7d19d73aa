public import HTTPChainCookies
public import HTTPChainCore
public import HTTPChainSerializer
public import HTTPTypes

/// A named call of a service: its target, its serialization, and its options.
///
/// ```swift
/// var add = Route("add", .put, "stuff/{thingId}")
/// add.serialization = .json
/// add.invalidates = ["list"]
/// add.extended["feature"] = "beta"
/// let routes = try RouteTable([add, Route("list", .get, "stuff")], base: ServiceAddress(host: "api.example.com"))
/// ```
///
/// A ``RouteTable`` contains routes, from code or from a file.
public struct Route: Sendable, Hashable {
    /// The serialization of a call's parameters.
    public enum Serialization: String, Sendable, Hashable, CaseIterable {
        /// In the query of the URL.
        case query
        /// As a form (`application/x-www-form-urlencoded`), or together with data or files as parts of
        /// `multipart/form-data`.
        case form
        /// In the body, by the chain's serializer for JSON.
        case json
        /// Parameters can't be sent; calling the route with parameters is an error.
        case none
    }

    /// The name that calls use.
    public var name: String
    /// The method; GET by default.
    public var method: HTTPRequest.Method
    /// The path or URL of the route, relative to the table's base or absolute, with variables in the syntax of the URL
    /// builder (`{id}`, `:id`).
    public var path: String
    /// The serialization of parameters; in the query by default, and in the body as JSON for POST, PUT and PATCH.
    public var serialization: Serialization
    /// The type of the request content; determined by the serialization by default.
    public var contentType: String?
    /// The header fields of the route.
    public var headers: HTTPFields = [:]
    /// The name of the chain's serializer or data mapper for the request and the response, which is selected by content
    /// type by default.
    public var mapper: String?
    /// The key path under which parameters are placed; none by default.
    public var requestRootKeyPath: BodyKeyPath = .whole
    /// The key path of the result in the response; the whole response by default.
    public var responseRootKeyPath: BodyKeyPath = .whole
    /// Whether the request content is compressed by `GzipMiddleware`; if `false`, that stage's settings apply.
    public var gzip = false
    /// Whether the result is a file.
    public var saveAsFile = false
    /// The time for which the response is fresh, for `CacheMiddleware`; if `nil`, the server determines it.
    ///
    /// If it is set, calls share a response only if their parameters and the variables in their header fields are
    /// equal.
    public var cacheTTL: Duration?
    /// Whether the cache ignores the query.
    public var cacheIgnoresQuery = false
    /// The routes whose cached responses a successful call invalidates.
    public var invalidates: [String] = []
    /// Whether to show the progress to the user.
    ///
    /// Your user interface evaluates this; see ``RoutedRequest``.
    public var progress = false
    /// Whether the user has to wait for the call.
    ///
    /// Your user interface evaluates this; see ``RoutedRequest``.
    public var preventsUserInteraction = false
    /// The name of the route of `RoutedAuthMiddleware` that authenticates the call, or "none" for no authentication;
    /// the chain's default if `nil`.
    public var authenticator: String?
    /// How a call uses cookies, for `CookieMiddleware`; if `nil`, that stage's settings apply.
    ///
    /// In a file, this is the key `cookies` with a name: `"cookies": "off"`.
    public var cookieUse: CookieUse?
    /// The cookies that each call sends, for `CookieMiddleware`; none by default, and at most 150.
    ///
    /// In a file, this is the key `cookies` with an object: `"cookies": { "language": "de" }`.
    public var cookies: [CallCookie] = []
    /// The other members of the route's description, for your own stages.
    public var extended: [String: JSONValue] = [:]

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - method: The method.
    ///   - path: The path, relative or absolute, with its variables.
    public init(_ name: String, _ method: HTTPRequest.Method, _ path: String) {
        self.name = name
        self.method = method
        self.path = path
        serialization = Self.serialization(for: method)
    }

    /// Creates a route that uses GET.
    package init(_ name: String, _ path: String) {
        self.init(name, .get, path)
    }

    /// The route of requests that weren't made from a route; its name is empty.
    package static let none = Route("", "")

    static func serialization(for method: HTTPRequest.Method) -> Serialization {
        [.post, .put, .patch].contains(method) ? .json : .query
    }

    /// The member of the route's description with a key: a member of ``extended``, or a property by its name in a file.
    ///
    /// ```swift
    /// let name = request.route["path"]?.string
    /// let special = request.route["feature"]?.string == "beta"
    /// ```
    ///
    /// The values of cookies are redacted here, because they are secrets; use ``cookies``.
    public subscript(key: String) -> JSONValue? {
        guard let known = Key(rawValue: key) else { return extended[key] }
        return switch known {
        case .method: .string(method.rawValue)
        case .path: .string(path)
        case .serialization: .string(serialization.rawValue)
        case .contentType: contentType.map(JSONValue.string)
        case .headers: headers.isEmpty ? nil : .object(headers.texts)
        case .mapper: mapper.map(JSONValue.string)
        case .requestRootKeyPath: requestRootKeyPath.isWhole ? nil : .string("\(requestRootKeyPath)")
        case .responseRootKeyPath: responseRootKeyPath.isWhole ? nil : .string("\(responseRootKeyPath)")
        case .gzip: .bool(gzip)
        case .saveAsFile: .bool(saveAsFile)
        case .cacheTTL: cacheTTL.map { .number($0.inSeconds) }
        case .cacheIgnoresQuery: .bool(cacheIgnoresQuery)
        case .invalidates: .array(invalidates.map(JSONValue.string))
        case .progress: .bool(progress)
        case .preventsUserInteraction: .bool(preventsUserInteraction)
        case .authenticator: authenticator.map(JSONValue.string)
        case .cookies: cookiesInWords
        }
    }

    private var cookiesInWords: JSONValue? {
        if cookies.isEmpty { return Self.cookieUses.first { $0.value == cookieUse }.map { .string($0.key) } }
        return .object(Dictionary(cookies.map { ($0.name, .string("\($0.value)")) }) { first, _ in first })
    }

    /// The ways to use cookies, by their names in files.
    static let cookieUses: KeyValuePairs<String, CookieUse> = [
        "on": .on, "off": .off, "sendOnly": .sendOnly, "joined": .joined,
    ]

    /// The properties by their names in files.
    enum Key: String, CaseIterable {
        case method, path, serialization, contentType, headers, mapper, requestRootKeyPath, responseRootKeyPath, gzip
        case saveAsFile, cacheTTL, cacheIgnoresQuery, invalidates, progress, preventsUserInteraction, authenticator
        case cookies
    }
}

extension HTTPFields {
    fileprivate var texts: [String: JSONValue] {
        Dictionary(map { ($0.name.rawName, .string($0.value)) }) { first, _ in first }
    }
}

/// The request option with the route.
package enum RouteNote: RequestOption, RequestNote {
    /// The route without a name.
    package static var defaultValue: Route { .none }
}

extension Request {
    /// The route that the request was made from, for stages that depend on it.
    ///
    /// For other requests, a route with an empty name.
    public var route: Route { options[RouteNote.self] }
}

extension RequestOptions {
    /// The route that the request was made from, for a serializer or mapper that depends on it: `call.options.route`.
    public var route: Route { self[RouteNote.self] }
}
