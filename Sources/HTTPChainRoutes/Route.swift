public import HTTPChainCookies
public import HTTPChainCore
public import HTTPChainSerializer
public import HTTPTypes

/// One named call of a service: where it goes, how it is written and read, and what is special about it.
///
/// ```swift
/// var add = Route("add", .put, "stuff/{thingId}")
/// add.serialization = .json
/// add.invalidates = ["list"]
/// add.extended["feature"] = "beta"
/// let routes = try RouteTable([add, Route("list", .get, "stuff")], base: ServiceAddress(host: "api.example.com"))
/// ```
///
/// A ``RouteTable`` holds them, from code or from a file.
public struct Route: Sendable, Hashable {
    /// The way the parameters of a call are sent.
    public enum Serialization: String, Sendable, Hashable, CaseIterable {
        /// In the query of the URL.
        case query
        /// As a form: `application/x-www-form-urlencoded`, and with data or files as parts of `multipart/form-data`.
        case form
        /// In the body, by the chain's serializer for JSON.
        case json
        /// Not at all: a call with parameters is an error.
        case none
    }

    /// The name that calls use.
    public var name: String
    /// The method; GET by default.
    public var method: HTTPRequest.Method
    /// The path or URL of the route: relative to the table's base or absolute, with the variables that a URL builder
    /// knows (`{id}`, `:id`).
    public var path: String
    /// The way parameters are sent; in the query by default, and in the body as JSON for POST, PUT and PATCH.
    public var serialization: Serialization
    /// The type of the content that is sent; what the serialization says by default.
    public var contentType: String?
    /// Header fields of its own.
    public var headers: HTTPFields = [:]
    /// The name of the serializer or data mapper of the chain that writes and reads it; found by content type by
    /// default.
    public var mapper: String?
    /// The keys that parameters are put under; none by default.
    public var requestRootKeyPath: BodyKeyPath = .whole
    /// The path of the result in the response; the response as a whole by default.
    public var responseRootKeyPath: BodyKeyPath = .whole
    /// Whether what is sent is compressed, by `GzipMiddleware`; otherwise it is as that stage is set.
    public var gzip = false
    /// Whether the result is a file.
    public var saveAsFile = false
    /// The time for which the response is fresh, for `CacheMiddleware`; what the server says by default.
    public var cacheTTL: Duration?
    /// Whether the query makes no difference to what is cached.
    public var cacheIgnoresQuery = false
    /// The routes whose cached responses a call makes invalid that succeeds.
    public var invalidates: [String] = []
    /// Whether a user is to see the progress; whoever shows it asks, see ``RoutedRequest``.
    public var progress = false
    /// Whether a user has to wait for it; whoever shows it asks, see ``RoutedRequest``.
    public var preventsUserInteraction = false
    /// The name of the route of `RoutedAuthMiddleware` that authenticates it, or "none" for no authentication; as the
    /// chain says by default.
    public var authenticator: String?
    /// The use that a call makes of cookies, for `CookieMiddleware`; as that stage is set by default.
    ///
    /// In a file, the key `cookies` has its name: `"cookies": "off"`.
    public var cookieUse: CookieUse?
    /// Cookies that each call sends, for `CookieMiddleware`; none by default, and at most 150.
    ///
    /// In a file, the key `cookies` has them by their names: `"cookies": { "language": "de" }`.
    public var cookies: [CallCookie] = []
    /// The other members of the route's description, for stages of yours.
    public var extended: [String: JSONValue] = [:]

    /// Describes a route.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - method: The method.
    ///   - path: The path, relative or absolute, with its variables.
    public init(_ name: String, _ method: HTTPRequest.Method, _ path: String) {
        self.name = name
        self.method = method
        self.path = path
        serialization = Self.serialization(for: method)
    }

    /// Describes a route that is fetched with GET.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - path: The path, relative or absolute, with its variables.
    public init(_ name: String, _ path: String) {
        self.init(name, .get, path)
    }

    /// The route of requests that were made without one; its name is empty.
    public static let none = Route("", "")

    static func serialization(for method: HTTPRequest.Method) -> Serialization {
        [.post, .put, .patch].contains(method) ? .json : .query
    }

    /// The member of the route's description under a key: one of ``extended``, or a property as a file has it.
    ///
    /// ```swift
    /// let name = request.route["path"]?.string
    /// let special = request.route["feature"]?.string == "beta"
    /// ```
    ///
    /// Values of cookies are secrets and are not told: ``cookies`` has them.
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

    /// The uses of cookies, as a file names them.
    static let cookieUses: KeyValuePairs<String, CookieUse> = [
        "on": .on, "off": .off, "sendOnly": .sendOnly, "joined": .joined,
    ]

    /// The properties, as a file names them.
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

/// The request option that carries the route; ``HTTPChainCore/Request/route`` is the short way to it.
public enum RouteOption: RequestOption {
    /// The one without a name.
    public static var defaultValue: Route { .none }
}

extension Request {
    /// The route that the request was made of, for stages that go by what it says; ``Route/none`` for others.
    public var route: Route { options[RouteOption.self] }
}
