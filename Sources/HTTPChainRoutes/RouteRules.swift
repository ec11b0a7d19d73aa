import Foundation
import HTTPChainCache
import HTTPChainCookies
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainURLBuilder
import HTTPTypes

/// The validation rules of a route, from code or from a file.
enum RouteRules {
    /// The maximum number of cookies in a request: the default limit of the cookie jar.
    static let maximumCookies = CookieLimits.standard.perRequest

    /// A problem with a property of a route.
    struct Problem {
        var key: Route.Key?
        /// The index in an array, or the name of a header field or cookie.
        var part: String?
        var text: String
        /// Whether some calls of the route can still work, so that the table is valid.
        var isWarning = false
    }

    static func problems(of route: Route, among routes: [String: Route], hasBase: Bool) -> [Problem] {
        var problems = pathProblems(route.path, hasBase: hasBase).map { Problem(key: .path, text: $0) }
        if route.name.isEmpty { problems.append(Problem(text: "a route needs a name")) }
        if let type = route.contentType, MediaType(type) == nil {
            problems.append(
                Problem(key: .contentType, text: "\"\(type)\" is not a media type; write it like text/plain")
            )
        }
        if let lifetime = route.cacheTTL, lifetime < .zero {
            problems.append(Problem(key: .cacheTTL, text: "a lifetime cannot be negative"))
        }
        for (index, name) in route.invalidates.enumerated() {
            func add(_ text: String, isWarning: Bool) {
                problems.append(Problem(key: .invalidates, part: "\(index)", text: text, isWarning: isWarning))
            }
            if let other = routes[name] {
                if !other.isStored { add("it has no effect, because \(other.unstored); remove it", isWarning: true) }
            } else {
                add("there is no route named \"\(name)\"", isWarning: false)
            }
        }
        if route.saveAsFile, !route.responseRootKeyPath.isWhole {
            problems.append(
                Problem(
                    key: .responseRootKeyPath,
                    text: "a response that is saved as a file is not decoded; remove this or saveAsFile"
                )
            )
        }
        return problems + contentProblems(of: route) + cookieProblems(of: route) + cacheProblems(of: route)
    }

    private static func cacheProblems(of route: Route) -> [Problem] {
        var keys: [Route.Key] = []
        if route.cacheTTL != nil, !route.method.hasCacheKey(withIdentifier: true) { keys.append(.cacheTTL) }
        if route.cacheIgnoresQuery, !route.isStored { keys.append(.cacheIgnoresQuery) }
        return keys.map { key in
            Problem(key: key, text: "it has no effect, because \(route.unstored); remove it", isWarning: true)
        }
    }

    private static func contentProblems(of route: Route) -> [Problem] {
        var problems: [Problem] = []
        let encodesContent = [.json, .form].contains(route.serialization)
        if !encodesContent, !route.requestRootKeyPath.isWhole {
            let text = "it has no effect with the serialization \(route.serialization.rawValue)"
            problems.append(Problem(key: .requestRootKeyPath, text: text))
        }
        if !encodesContent, route.saveAsFile, route.mapper != nil {
            let text = "it has no content to encode, and a response that is saved as a file is not decoded"
            problems.append(Problem(key: .mapper, text: "\(text); remove this or saveAsFile"))
        }
        let hasNoContent = [.get, .head, .delete].contains(route.method) && route.serialization != .json
        if hasNoContent, route.gzip {
            problems.append(Problem(key: .gzip, text: "\(route.method) sends no content here to compress"))
        }
        guard route.serialization == .query else { return problems }
        let text = "with the serialization query, it has an effect only on the data of a call"
        if route.contentType != nil { problems.append(Problem(key: .contentType, text: text, isWarning: true)) }
        if route.gzip, !hasNoContent { problems.append(Problem(key: .gzip, text: text, isWarning: true)) }
        return problems
    }

    private static func cookieProblems(of route: Route) -> [Problem] {
        guard route.cookies.count <= maximumCookies else {
            return [Problem(key: .cookies, text: "there are more than \(maximumCookies) cookies")]
        }
        var problems = route.cookies.filter { !$0.isSound }.map { cookie in
            Problem(
                key: .cookies,
                part: cookie.name,
                text: "a cookie cannot have this name or value; remove \"=\", \";\" and control characters"
            )
        }
        if let use = route.cookieUse, !use.sends, !route.cookies.isEmpty {
            problems.append(Problem(key: .cookies, text: "this route sends no cookies; remove them, or cookieUse"))
        }
        return problems
    }

    static func addressProblems(of address: ServiceAddress) -> [(key: String, text: String)] {
        var problems: [(key: String, text: String)] = []
        if !["http", "https"].contains(address.scheme) {
            problems.append(("protocol", "\"\(address.scheme)\" is neither https nor http"))
        }
        if let problem = address.port.flatMap(PortNumber.problem(of:)) { problems.append(("port", problem)) }
        let plain = ServiceAddress(scheme: "https", host: address.host)
        let isHost = !address.host.utf8.contains { "/?#@{}%\\ \t\r\n".utf8.contains($0) } && !address.host.isEmpty
        if !isHost || (try? URLBuilder(base: plain.description)) == nil || Origin(plain.description)?.port != 443 {
            problems.append(
                (
                    "host",
                    "\"\(Redaction.standard.authority(address.host))\" is not a host; write one like api.example.com, and the port separately"
                )
            )
        }
        if address.path.utf8.contains(where: { "?#{}".utf8.contains($0) || $0 < 0x21 || $0 == 0x7F }) {
            problems.append(("path", "\"\(Redaction.standard.url(address.path))\" is not a plain path"))
        }
        return problems
    }

    private static func pathProblems(_ path: String, hasBase: Bool) -> [String] {
        if path.isEmpty { return hasBase ? [] : ["an empty path needs a service"] }
        // This is the limit of most servers. Parsing a template of several megabytes would take seconds.
        if path.utf8.count > 8_192 { return ["a path is at most 8192 bytes"] }
        if path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return ["a path cannot contain control characters"]
        }
        do {
            _ = try VariableNotations.all.variableNames(in: path)
        } catch {
            return ["\(error.reason)"]
        }
        guard let end = path.utf8.firstRange(of: "://".utf8) else { return [] }
        let scheme = path[..<end.lowerBound].lowercased()
        guard scheme.unicodeScalars.allSatisfy({ $0.properties.isAlphabetic }) else { return [] }
        if scheme != "http", scheme != "https" { return ["\"\(scheme)\" is neither https nor http"] }
        return path[end.upperBound...].utf8.first.map { "/?#".utf8.contains($0) } ?? true ? ["the URL has no host"] : []
    }
}

extension Route {
    /// Whether a cache may store the route's responses: a call has an identifier if its route has a lifetime.
    fileprivate var isStored: Bool { method.hasCacheKey(withIdentifier: cacheTTL != nil) }

    fileprivate var unstored: String { "responses to \(method) are not stored here" }
}
