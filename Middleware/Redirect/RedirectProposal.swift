public import HTTPChainCore
public import HTTPTypes

/// A redirect that could be followed, for a ``RedirectPolicy`` to judge.
public struct RedirectProposal: Sendable {
    /// The response that redirects.
    public let response: HTTPResponse
    /// The hop that is proposed.
    public let hop: RedirectHop
    /// The hops that were followed before it.
    public let hops: [RedirectHop]

    /// Makes a proposal, as a test of a policy needs one.
    public init(response: HTTPResponse, hop: RedirectHop, hops: [RedirectHop] = []) {
        self.response = response
        self.hop = hop
        self.hops = hops
    }

    /// The origin that redirects.
    public var source: Origin? { Origin(hop.from) }

    /// The origin that would be asked next.
    public var destination: Origin? { Origin(hop.to) }

    /// Whether the hop stays on scheme, host and port.
    public var isSameOrigin: Bool { destination != nil && source == destination }
}
