public import HTTPChainCore
public import HTTPTypes

/// A redirect for which a ``RedirectPolicy`` decides whether to follow it.
public struct RedirectProposal: Sendable {
    /// The redirect response.
    public let response: HTTPResponse
    /// The proposed hop.
    public let hop: RedirectHop
    /// The hops followed before this one.
    public let hops: [RedirectHop]

    /// Makes a proposal, for testing a policy.
    package init(response: HTTPResponse, hop: RedirectHop, hops: [RedirectHop] = []) {
        self.response = response
        self.hop = hop
        self.hops = hops
    }

    /// The origin of the redirect.
    public var source: Origin? { Origin(hop.from) }

    /// The origin of the next request.
    public var destination: Origin? { Origin(hop.to) }

    /// Whether the hop keeps the scheme, host and port.
    package var isSameOrigin: Bool { destination != nil && source == destination }
}

extension RedirectProposal: DescribedValue, RedactedDisplay {
    /// The proposed hop, with secrets redacted.
    package var words: String { "\(hop)" }
}
