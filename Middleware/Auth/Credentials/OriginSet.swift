public import HTTPChainCore

/// The origins that a credential may be sent to.
///
/// Written as text where it is needed: `"https://api.example.com"`, or several in an array. Text that is not an origin
/// admits none; a stage reports it when its chain is built (``problems(of:)``).
public struct OriginSet: Sendable, Hashable {
    /// The origins.
    public let origins: Set<Origin>
    /// What was given and is not an origin.
    public let invalid: [String]

    /// Makes a set of origins.
    public init(_ origins: some Sequence<Origin>) {
        self.origins = Set(origins)
        invalid = []
    }

    /// Makes a set of absolute URLs; of each, scheme, host and port count.
    public init(urls: some Sequence<String>) {
        origins = Set(urls.compactMap { Origin($0) })
        invalid = urls.filter { Origin($0) == nil }
    }

    /// Whether credentials may go there.
    public func contains(_ origin: Origin) -> Bool {
        origins.contains(origin)
    }

    /// What ``HTTPChainCore/Middleware/problems(at:)`` of a stage with this set returns: one problem for each text that
    /// is not an origin.
    ///
    /// - Parameter stage: The stage's name.
    public func problems(of stage: String) -> [ChainProblem] {
        invalid.map { text in
            ChainProblem(
                stage: stage,
                problem: "\(stage) is bound to \"\(Redaction.standard.url(text))\", which is not an origin",
                fix: "write scheme and host, such as \"https://api.example.com\""
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

extension OriginSet: CustomStringConvertible {
    /// The origins, in alphabetical order.
    public var description: String {
        origins.isEmpty ? "none" : origins.map(\.description).sorted().joined(separator: ", ")
    }
}
