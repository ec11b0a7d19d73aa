#if Tracing
public import HTTPChainCore
import HTTPChainSupport

/// A rule that determines which servers receive the trace context of a request.
///
/// The fields identify a trace, and may contain baggage with any data of the application. By default, they are sent to
/// all servers, as in other clients. If requests leave your system, list your own servers.
///
/// ```swift
/// TracingMiddleware(propagatingTo: .origins(["https://api.example.com", "https://*.internal.example.com"]))
/// ```
public struct TracePropagation: Sendable, CustomStringConvertible, DescribedValue {
    private enum Rule: Sendable {
        // With this rule and the next, the request's URL doesn't have to be parsed.
        case all
        case none
        case origins(@Sendable (Origin) -> Bool)
    }

    private let rule: Rule
    /// A short description of the rule.
    package let words: String
    /// The texts that were passed as origins, but aren't valid ones.
    var invalid: [String] = []

    /// Propagates to all servers.
    public static let everywhere = TracePropagation(rule: .all, words: "all servers")

    /// Doesn't propagate to any server.
    package static let nowhere = TracePropagation(rule: .none, words: "no server")

    /// Propagates to the servers of these origins.
    ///
    /// If there are none, doesn't propagate to any server.
    ///
    /// - Parameter origins: Absolute URLs, of which only the scheme, host and port are used (RFC 6454 §4). A host that
    ///   begins with `*.` matches all hosts below the rest, but not the rest itself. A trailing dot of a host is
    ///   ignored. An invalid origin matches no server, and causes `Chain.init` to throw.
    public static func origins(_ origins: [String]) -> TracePropagation {
        let patterns = origins.compactMap(OriginPattern.init)
        let invalid = origins.filter { OriginPattern($0) == nil }
        let text = patterns.isEmpty ? "no server" : patterns.map(\.text).joined(separator: ", ")
        let rule = Rule.origins { origin in patterns.contains { $0.matches(origin) } }
        return TracePropagation(rule: rule, words: text, invalid: invalid)
    }

    /// Propagates to the servers that a closure allows.
    public static func custom(_ rule: @escaping @Sendable (Origin) -> Bool) -> TracePropagation {
        TracePropagation(rule: .origins(rule), words: "servers of a rule")
    }

    /// Returns whether the server of a request receives the trace context.
    func allows(_ request: borrowing Request) -> Bool {
        switch rule {
        case .all: return true
        case .none: return false
        case .origins(let rule):
            guard let origin = request.origin else { return false }
            return rule(origin)
        }
    }
}

/// An origin, or the origins of all hosts below a domain.
struct OriginPattern: Sendable {
    let text: String
    private let scheme: String
    private let port: Int
    private let hosts: HostPattern

    init?(_ text: String) {
        // A host may contain a star.
        guard let origin = Origin(text), let hosts = HostPattern(origin.host) else { return nil }
        self.text = text
        scheme = origin.scheme
        port = origin.port
        self.hosts = hosts
    }

    func matches(_ other: Origin) -> Bool {
        other.scheme == scheme && other.port == port && hosts.matches(other.server)
    }
}
#endif
