public import Foundation
public import HTTPChainCore

/// The origins that a credential may be sent to.
///
/// Can be written as a string literal, `"https://api.example.com"`, or an array of several. An invalid origin admits no
/// requests, and a stage reports it when its chain is built. To admit all origins, write `any` explicitly.
public struct OriginSet: Sendable, Hashable {
    /// The origins.
    package let origins: Set<Origin>
    /// The given texts that aren't valid origins.
    package let invalid: [String]
    /// Whether the set contains every origin, as ``any`` does.
    package let isAny: Bool

    private init(origins: Set<Origin> = [], invalid: [String] = [], isAny: Bool = false) {
        self.origins = origins
        self.invalid = invalid
        self.isAny = isAny
    }

    package init(_ origins: some Sequence<Origin>) {
        self.init(origins: Set(origins))
    }

    /// Makes a set from absolute URLs, using only scheme, host and port.
    package init(urls: some Sequence<String>) {
        self.init(origins: Set(urls.compactMap { Origin($0) }), invalid: urls.filter { Origin($0) == nil })
    }

    /// Returns the origins of several sets.
    fileprivate static func joined(_ sets: [OriginSet]) -> OriginSet {
        OriginSet(
            origins: sets.reduce(into: []) { $0.formUnion($1.origins) },
            invalid: sets.flatMap(\.invalid),
            isAny: sets.contains(where: \.isAny)
        )
    }

    static let everyOrigin = OriginSet(isAny: true)

    /// Whether credentials may be sent to the origin.
    public func contains(_ origin: Origin) -> Bool {
        isAny || origins.contains(origin)
    }

    /// Returns one problem for each text that isn't an origin, for a stage's
    /// ``/HTTPChainCore/ChainAwareMiddleware/problems(at:)``.
    ///
    /// - Parameter stage: The stage's name.
    package func problems(of stage: String) -> [ChainProblem] {
        invalid.map { text in
            ChainProblem(
                stage: stage,
                problem: "\(stage) is bound to \"\(Redaction.standard.url(text))\", which is not an origin",
                fix: "write scheme and host, such as \"https://api.example.com\""
            )
        }
    }
}

extension OriginSet {
    /// The origins without TLS that aren't on this machine.
    package var exposed: [Origin] {
        origins.filter { !$0.isConfidential }.sorted { $0.description < $1.description }
    }

    /// Whether the sets have an origin in common.
    package func overlaps(_ other: OriginSet) -> Bool {
        if isAny { return other.isAny || !other.origins.isEmpty }
        return other.isAny ? !origins.isEmpty : !origins.isDisjoint(with: other.origins)
    }

    /// Returns a problem for each origin that a secret would be sent to without TLS.
    package func plaintextProblems(of stage: String, sending what: String) -> [ChainProblem] {
        exposed.map { origin in
            ChainProblem(
                stage: stage,
                problem: "\(stage) would send \(what) to \(origin) without TLS, readable on the network",
                fix: "use https, or set allowsPlaintext if the network is your own"
            )
        }
    }
}

extension OriginSet: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// One origin, as a URL.
    public init(stringLiteral text: String) {
        self.init(urls: [text])
    }

    /// Several origins, as URLs.
    public init(arrayLiteral texts: String...) {
        self.init(urls: texts)
    }
}

/// A type that names the origins that a credential may be sent to: a string, a `URL`, an origin, or several of them.
///
/// ```swift
/// let base = "https://api.example.com/v2"
/// BasicAuthMiddleware(user: "ada", password: password, for: base)   // scheme, host and port count
/// ```
public protocol OriginSetConvertible: Sendable {
    /// The origins that are named.
    var originSet: OriginSet { get }
}

/// A type of this package, the standard library or Foundation that names origins.
///
/// Its public interface has only the member of ``OriginSetConvertible``.
package protocol BuiltInOriginSetConvertible: OriginSetConvertible {
    /// The origins that are named.
    var namedOrigins: OriginSet { get }
}

extension BuiltInOriginSetConvertible {
    /// The origins that are named.
    public var originSet: OriginSet { namedOrigins }
}

extension OriginSetConvertible where Self == OriginSet {
    /// Every origin, for a provider that checks ``ProtectionSpace/origin`` itself, such as a prompt that shows it to
    /// the user.
    ///
    /// Any server that a request is redirected to can then request credentials, for a realm of its choice.
    public static var any: OriginSet { OriginSet.everyOrigin }
}

extension OriginSet: OriginSetConvertible, BuiltInOriginSetConvertible {
    /// The set itself.
    package var namedOrigins: OriginSet { self }
}

extension String: OriginSetConvertible, BuiltInOriginSetConvertible {
    /// The origin of an absolute URL.
    package var namedOrigins: OriginSet { OriginSet(urls: [self]) }
}

extension URL: OriginSetConvertible, BuiltInOriginSetConvertible {
    /// The origin of an absolute URL.
    package var namedOrigins: OriginSet { OriginSet(urls: [absoluteString]) }
}

extension Origin: OriginSetConvertible, BuiltInOriginSetConvertible {
    /// A set with only this origin.
    package var namedOrigins: OriginSet { OriginSet([self]) }
}

extension Array: OriginSetConvertible, BuiltInOriginSetConvertible where Element: OriginSetConvertible {
    /// The origins of all elements.
    package var namedOrigins: OriginSet { .joined(map(\.originSet)) }
}

extension Set: OriginSetConvertible, BuiltInOriginSetConvertible where Element: OriginSetConvertible {
    /// The origins of all elements.
    package var namedOrigins: OriginSet { .joined(map(\.originSet)) }
}

extension OriginSet: CustomStringConvertible, DescribedValue {
    /// The origins, in alphabetical order.
    package var words: String {
        if isAny { return "any origin" }
        return origins.isEmpty ? "none" : origins.map(\.description).sorted().joined(separator: ", ")
    }
}
