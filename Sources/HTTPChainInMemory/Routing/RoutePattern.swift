import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A pattern of URLs for a route.
struct RoutePattern: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case variable(String)
        /// The rest of the path, starting with a prefix.
        case tail(String)
    }

    private struct Parameter: Sendable {
        let name: String
        let value: String?
        let text: String
    }

    let text: String
    private let scheme: String?
    private let host: String?
    private let hosts: HostPattern?
    private let port: Int?
    private let segments: [Segment]
    private let query: [Parameter]

    init(_ text: String) {
        self.text = text
        var rest = Substring(text.unicodeScalars.prefix { $0 != "#" })
        var scheme: String?
        var authority: Substring?
        if let mark = rest.utf8.firstRange(of: "://".utf8),
            !rest[..<mark.lowerBound].utf8.contains(where: endsAuthority)
        {
            scheme = rest[..<mark.lowerBound].lowercased()
            rest = rest[mark.upperBound...]
            authority = Substring(rest.utf8.prefix { !endsAuthority($0) })
        } else if let hierarchy = rest.without(prefix: "//") {
            rest = hierarchy
            authority = Substring(rest.utf8.prefix { !endsAuthority($0) })
        }
        rest = rest[(authority ?? rest[..<rest.startIndex]).endIndex...]
        self.scheme = scheme
        let portMark = authority.flatMap { authority in
            authority.utf8.lastIndex(of: UInt8(ascii: ":"))
                .flatMap { Int(authority[authority.utf8.index(after: $0)...]) == nil ? nil : $0 }
        }
        let host = authority.map { $0[..<(portMark ?? $0.endIndex)].lowercased() }
        self.host = host
        hosts = host.flatMap { HostPattern($0) }
        port = authority.flatMap { authority in
            portMark.flatMap { Int(authority[authority.utf8.index(after: $0)...]) }
        }
        let path = Substring(rest.unicodeScalars.prefix { $0 != "?" })
        segments = path.isEmpty && authority != nil ? [.tail("")] : Self.segments(of: path)
        query = Substring(rest[path.endIndex...].unicodeScalars.dropFirst()).pieces(at: "&").map { pair in
            let parts = pair.pieces(at: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Parameter(
                name: decoded(parts[0]),
                value: parts.count > 1 ? decoded(parts[1]) : nil,
                text: String(pair)
            )
        }
    }

    private static func segments(of path: Substring) -> [Segment] {
        let pieces = RouteTarget.pieces(of: path)
        return pieces.enumerated().map { index, piece in
            if index == pieces.count - 1, let start = piece.without(suffix: "*") { return .tail(decoded(start)) }
            if piece == "*" { return .variable("*") }
            if let name = piece.without(prefix: ":"), !name.isEmpty { return .variable(String(name)) }
            return .literal(decoded(piece))
        }
    }

    /// Returns the variables of a target, or `nil` if it doesn't match.
    func match(_ target: RouteTarget) -> [String: String]? {
        guard schemeFits(target), hostFits(target), missingParameter(in: target) == nil,
            case .match(let variables) = matchPath(target)
        else { return nil }
        return variables
    }

    /// Returns the mismatches, and their distance, which is 0 for a match and grows with each mismatch.
    func differences(from target: RouteTarget) -> (texts: [String], distance: Double) {
        var texts: [String] = []
        var distance = 0.0
        if let scheme, !schemeFits(target) {
            texts.append("scheme is \(target.scheme), the route expects \(scheme)")
            distance += 1
        }
        if let host, !hostFits(target) {
            let wanted = port.map { "\(host):\($0)" } ?? host
            let actual = port == nil ? target.host : "\(target.host):\(target.port)"
            texts.append("host is \(actual), the route expects \(wanted)")
            distance += 2
        }
        if case .mismatch(let index) = matchPath(target) {
            texts.append(explain(mismatchAt: index, in: target))
            distance += 3 - 2 * Double(index) / Double(max(segments.count, target.segments.count, 1))
        }
        if let missing = missingParameter(in: target) {
            texts.append("query lacks \(Redaction.standard.url("?" + missing).without(prefix: "?") ?? "")")
            distance += 1
        }
        return (texts, distance)
    }

    private func schemeFits(_ target: RouteTarget) -> Bool {
        scheme == nil || scheme == target.scheme
    }

    private func hostFits(_ target: RouteTarget) -> Bool {
        guard host != nil else { return true }
        if let port, port != target.port { return false }
        return hosts?.matches(URLHost(canonical: target.host)) ?? false
    }

    private func missingParameter(in target: RouteTarget) -> String? {
        query.first { wanted in
            !target.query.contains { parameter in
                parameter.name.hasSameBytes(as: wanted.name)
                    && (wanted.value.map { parameter.value.hasSameBytes(as: $0) } ?? true)
            }
        }?.text
    }

    private enum PathResult {
        case match([String: String])
        /// The path stops matching at this index.
        case mismatch(at: Int)
    }

    private func matchPath(_ target: RouteTarget) -> PathResult {
        var variables: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if case .tail(let prefix) = segment {
                let rest = target.path(from: index)
                guard rest.utf8.starts(with: prefix.utf8) else { return .mismatch(at: index) }
                variables["*"] = String(Substring(rest.utf8.dropFirst(prefix.utf8.count)))
                return .match(variables)
            }
            guard index < target.segments.count else { return .mismatch(at: index) }
            let actual = target.segments[index]
            switch segment {
            case .literal(let wanted) where !wanted.hasSameBytes(as: actual): return .mismatch(at: index)
            case .variable where actual.isEmpty: return .mismatch(at: index)
            case .variable(let name): variables[name] = actual
            case .literal, .tail: break
            }
        }
        return target.segments.count == segments.count ? .match(variables) : .mismatch(at: segments.count)
    }

    private func explain(mismatchAt index: Int, in target: RouteTarget) -> String {
        if target.isPathHidden { return "path is not the route's" }
        guard index < segments.count else {
            return "path continues with \"\(shown("/" + target.path(from: index)))\" after the end of the route"
        }
        let wanted = describe(segments[index])
        if case .tail = segments[index] {
            return "path has \"\(shown(target.path(from: index)))\", the route expects \(wanted)"
        }
        guard index < target.segments.count else { return "path ends, the route expects \(wanted)" }
        let actual = target.segments[index]
        return "path has \(actual.isEmpty ? "nothing" : "\"\(shown(actual))\""), the route expects \(wanted)"
    }

    private func shown(_ path: String) -> String { Redaction.standard.url(path) }

    private func describe(_ segment: Segment) -> String {
        switch segment {
        case .literal(""): "a slash at its end"
        case .literal(let text): "\"\(text)\""
        case .variable(let name): name == "*" ? "a segment" : "a value for :\(name)"
        case .tail(let prefix): "\"\(prefix)*\""
        }
    }
}

/// The URL of a request, parsed once for all routes.
struct RouteTarget: Sendable {
    let scheme: String
    let host: String
    let port: Int
    let segments: [String]
    let query: [(name: String, value: String)]
    /// Whether the path is omitted from differences.
    var isPathHidden = false

    init(_ head: HTTPRequest) {
        let origin = Origin(scheme: head.scheme, authority: head.authority)
        scheme = origin?.scheme ?? ""
        host = origin?.host ?? ""
        port = origin?.port ?? 0
        let text = (head.path ?? "").utf8
        // Compares bytes, because a combining character after a delimiter could hide it.
        let path = Substring(text.prefix { $0 != UInt8(ascii: "?") })
        segments = Self.pieces(of: path).map { decoded($0) }
        query = Substring(text.dropFirst(path.utf8.count + 1)).pieces(at: "&").map { pair in
            let parts = pair.pieces(at: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    func path(from index: Int) -> String {
        segments.dropFirst(index).joined(separator: "/")
    }

    static func pieces(of path: Substring) -> [Substring] {
        let path = path.utf8
        let slash = UInt8(ascii: "/")
        return path.dropFirst(path.first == slash ? 1 : 0).split(separator: slash, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }
}

/// Whether an authority ends before a byte, RFC 3986 §3.2; fragments have already been removed.
private func endsAuthority(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") }

private func decoded(_ text: Substring) -> String {
    text.utf8.contains(UInt8(ascii: "%")) ? text.removingPercentEncoding ?? String(text) : String(text)
}
