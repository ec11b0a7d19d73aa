#if Tracing
public import HTTPChainCore
import HTTPChainSupport

/// A rule that says which servers are told of the trace that a request belongs to.
///
/// The fields name a trace and may carry baggage, which is whatever the application has put there. By default they go
/// to every server, as they do with other clients; list your own where requests leave your system.
///
/// ```swift
/// TracingMiddleware(propagatingTo: .origins("https://api.example.com", "https://*.internal.example.com"))
/// ```
public struct TracePropagation: Sendable, CustomStringConvertible {
    private enum Rule: Sendable {
        // Of these two no request has to be taken apart.
        case all
        case none
        case origins(@Sendable (Origin) -> Bool)
    }

    private let rule: Rule
    /// The rule, in a few words.
    public let description: String
    /// The texts that were given as origins and are none.
    let invalid: [String]

    private init(
        _ description: String,
        invalid: [String] = [],
        _ rule: Rule
    ) {
        self.description = description
        self.invalid = invalid
        self.rule = rule
    }

    /// All servers.
    public static let everywhere = TracePropagation("all servers", .all)

    /// No server.
    public static let nowhere = TracePropagation("no server", .none)

    /// The servers of these origins.
    ///
    /// - Parameter origins: Absolute URLs, of which scheme, host and port count (RFC 6454 §4). A host that begins with
    ///   `*.` stands for all hosts below it, and not for itself. A dot at the end of a host makes no difference: it is
    ///   the same server. A text that is not an origin allows none, and a chain is not built with it.
    public static func origins(_ origins: String...) -> TracePropagation { .origins(origins) }

    /// The servers of these origins, in an array.
    public static func origins(_ origins: [String]) -> TracePropagation {
        let patterns = origins.compactMap(OriginPattern.init)
        let invalid = origins.filter { OriginPattern($0) == nil }
        let text = patterns.isEmpty ? "no server" : patterns.map(\.text).joined(separator: ", ")
        return TracePropagation(text, invalid: invalid, .origins { origin in patterns.contains { $0.matches(origin) } })
    }

    /// The servers that a closure allows.
    public static func custom(_ rule: @escaping @Sendable (Origin) -> Bool) -> TracePropagation {
        TracePropagation("servers of a rule", .origins(rule))
    }

    /// Whether a server is told.
    public func allows(_ origin: Origin) -> Bool {
        switch rule {
        case .all: true
        case .none: false
        case .origins(let rule): rule(origin)
        }
    }

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

/// An origin, or those of all hosts below one.
struct OriginPattern: Sendable {
    let text: String
    private let scheme: String
    private let port: Int
    private let hosts: HostPattern

    init?(_ text: String) {
        // A star is a character that a host may have.
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
