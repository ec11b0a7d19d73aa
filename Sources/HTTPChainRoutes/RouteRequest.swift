import Foundation
import HTTPChainAuth
import HTTPChainCache
public import HTTPChainClient
import HTTPChainCookies
public import HTTPChainCore
import HTTPChainGzip
import HTTPChainHeaders
package import HTTPChainMultipart
import HTTPChainSerializer
public import HTTPChainURLBuilder
public import HTTPTypes

/// A typed request made from a route, for endpoints, events and observers.
///
/// ```swift
/// for await event in client.events() {
///     guard let route = (event.request as? any RoutedRequest)?.route else { continue }
///     if case .slow = event.change, route.preventsUserInteraction { window.showWaiting(for: route.name) }
/// }
/// ```
public protocol RoutedRequest: TypedRequest {
    /// The route.
    var route: Route { get }
}

/// A call of a route with its arguments; created by ``RouteClient``.
public struct RouteRequest<Output: Sendable>: RoutedRequest {
    /// The route.
    public let route: Route
    /// The address of the service; `nil` if the chain determines it.
    package let base: ServiceAddress?
    /// Whether another route invalidates the responses of this one.
    package let isInvalidated: Bool
    /// The values of the path's variables.
    package let variables: URLParameters
    /// The parameters, sent according to the route's serialization.
    package let parameters: (any Encodable & Sendable)?
    /// The parts that are sent together with the parameters, or instead of them.
    package let data: [MultipartPart]
    /// The way the output is made from the response.
    public let result: ResultKind<Output>

    /// The route's method.
    public var method: HTTPRequest.Method { route.method }

    /// The route's path, appended to the base.
    public var path: String {
        guard let base, !route.path.isAbsoluteURL else { return route.path }
        let separator = base.description.ends(with: "/") || route.path.isEmpty ? "" : "/"
        return base.description + separator + String(route.path.unicodeScalars.drop { $0 == "/" })
    }

    /// The values of the path's variables.
    public var pathParameters: URLParameters { variables }

    /// The route's header fields; the variables in their values aren't filled in.
    public var headers: HTTPFields { route.headers }

    /// Makes the request, with an absolute URL if the service's address is known.
    ///
    /// - Throws: ``RouteError`` for parameters and data that the route can't send, and for variables that make a header
    ///   field invalid; `URLBuilderError` for path variables without a value, and for values that neither
    ///   the path nor a header field uses; `HeadersError` for header variables without a value.
    public func makeRequest() throws -> Request {
        var arguments = URLArguments(path: variables)
        let fields = try fields(notingNamesIn: &arguments)
        var request = Request(route.method, path, headers: fields)
        request.options[RouteNote.self] = route
        try setContent(of: &request, &arguments)
        if path.isAbsoluteURL {
            let builder = try URLBuilder(base: nil)
            let template = builder.template(of: request.head, arguments)
            request.url = try builder.url(path, arguments)
            // No stage sees the variables.
            if let template { request.options[URLTemplateNote.self] = template }
        } else {
            request.urlArguments = arguments
        }
        return try configured(request, fields)
    }

    /// Returns the route's header fields with the path's variables filled in, and records which variables they use.
    private func fields(notingNamesIn arguments: inout URLArguments) throws -> HTTPFields {
        var fields = route.headers
        for index in fields.indices {
            let template = HeaderTemplate(fields[index].value, of: fields[index].name.rawName)
            if template.isConstant { continue }
            arguments.namesUsedElsewhere += template.names + template.positions.map { "\($0)" }
            let value = try template.value(named: variables.text(of:)) { variables.text(of: "\($0)") }
            guard HTTPField.isValidValue(value) else {
                throw RouteError(.invalidField(route: route.name, field: fields[index].name.rawName))
            }
            fields[index].value = value
        }
        return fields
    }

    private func setContent(of request: inout Request, _ arguments: inout URLArguments) throws {
        if !data.isEmpty, [.get, .head].contains(route.method) {
            throw RouteError(.dataWithoutBody(route: route.name, method: "\(route.method)"))
        }
        guard route.serialization != .form || data.isEmpty else {
            let parts = try parameters.map { try formParts($0) } ?? []
            request = request.multipart(MultipartForm(parts + data))
            return
        }
        if let parameters {
            switch route.serialization {
            case .none: throw RouteError(.noParameters(route: route.name))
            case .query:
                guard isObject(parameters) else { throw RouteError(.notAnObject(route: route.name)) }
                arguments.query = .encoding(parameters)
            case .json, .form:
                guard data.isEmpty else {
                    throw RouteError(.parametersAndData(route: route.name, serialization: route.serialization.rawValue))
                }
                setValue(parameters, of: &request)
            }
        }
        // Without a form, a single part becomes the content, unchanged.
        guard let part = data.first else { return }
        guard data.count == 1 else {
            throw RouteError(.severalData(route: route.name, serialization: route.serialization.rawValue))
        }
        request.body = part.body
        let guessed = part.fileName.map { FileContentType.guess(fileName: $0) }
        request.headers[.contentType] =
            request.headers[.contentType] ?? route.contentType ?? part.contentType ?? guessed
            ?? FileContentType.octetStream
    }

    private func setValue(_ parameters: any Encodable & Sendable, of request: inout Request) {
        request.body = .value(parameters)
        if route.serialization == .form, route.mapper == nil {
            request = request.encoding(by: .form)
        } else if route.mapper == nil, request.headers[.contentType] == nil {
            request.headers[.contentType] = "application/json"
        }
        if let type = route.contentType { request.headers[.contentType] = type }
        if !route.requestRootKeyPath.isWhole { request = request.encoding(under: route.requestRootKeyPath) }
    }

    private func configured(_ request: Request, _ fields: HTTPFields) throws -> Request {
        var request = request
        if !variables.isEmpty { request.options[CallVariablesNote.self] = variables }
        if let mapper = route.mapper {
            // The response is saved without being decoded, so the mapper only encodes the content.
            if route.saveAsFile {
                request.serialization.request = .named(mapper)
            } else {
                request = request.serializer(mapper)
            }
        }
        if !route.responseRootKeyPath.isWhole { request = request.decoding(at: route.responseRootKeyPath) }
        if route.gzip { request = request.compression() }
        switch route.authenticator {
        case "none": request = request.authentication(false)
        case let name?: request = request.authentication(by: name)
        case nil: break
        }
        if let use = route.cookieUse { request = request.cookies(use) }
        if !route.cookies.isEmpty { request.cookies = route.cookies }
        var settings = CacheSettings(invalidates: route.invalidates.map { .identifierPrefix(Self.cacheName($0)) })
        if let lifetime = route.cacheTTL { settings.lifetime = .exactly(lifetime) }
        // Routes are invalidated by their identifiers; without a lifetime, only GET and HEAD are stored.
        if route.cacheTTL != nil || isInvalidated && route.method.hasCacheKey(withIdentifier: false) {
            settings.identifier = try cacheIdentifier(fields)
        }
        if route.cacheIgnoresQuery { settings.ignoredQuery = .all }
        return request.caching(settings)
    }

    private static func cacheName(_ route: String) -> String { "route \(route)#" }

    /// Returns the route's name, with digests of the parameters in the body and of the header fields with variables,
    /// because neither are part of the URL.
    ///
    /// - Parameter fields: The route's header fields with the variables filled in.
    private func cacheIdentifier(_ fields: HTTPFields) throws -> String {
        var name = Self.cacheName(route.name)
        if let parameters, route.serialization == .json || route.serialization == .form {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            name += SHA256Digest.hex(of: String(decoding: try encoder.encode(parameters), as: UTF8.self))
        }
        let filled = zip(route.headers, fields).filter { $0.value != $1.value }
        guard !filled.isEmpty else { return name }
        // A value can't contain a line feed, so different fields have different texts.
        let text = filled.map { "\($1.name.canonicalName):\($1.value)" }.joined(separator: "\n")
        return "\(name)#\(SHA256Digest.hex(of: text))"
    }

    private func formParts(_ parameters: any Encodable & Sendable) throws -> [MultipartPart] {
        guard isObject(parameters) else { throw RouteError(.notAnObject(route: route.name)) }
        // Uses the same names as a form without data.
        let root = route.requestRootKeyPath
        let value: any Encodable = root.isWhole ? parameters : RootedValue(value: parameters, path: root)
        let pairs = try ParameterEncoder(spaces: .percent).encode(value)
        return pairs.pieces(at: "&").map { pair in
            let halves = pair.pieces(at: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.removingPercentEncoding ?? String($0) }
            return .text(halves[0], halves.count > 1 ? halves[1] : "")
        }
    }

    private func isObject(_ parameters: any Encodable & Sendable) -> Bool {
        guard let json = parameters as? JSONValue else { return true }
        return json.object != nil
    }
}

extension String {
    var isAbsoluteURL: Bool {
        guard let end = utf8.firstRange(of: "://".utf8) else { return false }
        return self[..<end.lowerBound].unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic }
    }
}
