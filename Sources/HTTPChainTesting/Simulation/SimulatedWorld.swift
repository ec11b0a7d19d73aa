public import HTTPChainCore

/// The origins of the servers of a simulation.
enum SimulatedOrigins {
    /// The server that the users of the calls belong to: "https://api.example.com".
    static let own = "https://api.example.com"
    /// A foreign server that redirects lead to and that must not receive secrets: "https://elsewhere.example.net".
    static let foreign = "https://elsewhere.example.net"
}

/// The environment that a ``ChainSimulation`` gives a chain: servers, users, and virtual time.
public struct SimulatedWorld: Sendable {
    /// The origin of the server that the users of the calls belong to.
    public var origin: String { SimulatedOrigins.own }
    /// The users whose calls are made.
    package let users: [String]
    /// The transport for the chain.
    public let transport: any Transport
    /// The clock and random numbers of each call, for stages that need them at creation.
    public let environment: ChainEnvironment

    /// Returns a world with a separate transport object; its deallocation shows that the chains have been deallocated.
    func linked() -> (world: SimulatedWorld, link: SimulatedLink) {
        let link = SimulatedLink(simulated)
        let world = SimulatedWorld(
            users: users,
            transport: link,
            environment: environment,
            simulated: simulated,
            clock: clock,
            random: random
        )
        return (world, link)
    }

    let simulated: SimulatedTransport
    let clock: VirtualClock
    let random: SeededRandom

    /// Gets a new bearer token for a user, as from a token endpoint: it takes time and occasionally fails.
    ///
    /// - Returns: The token. Earlier tokens of the user become invalid.
    /// - Throws: `TransportError`; `CancellationError` as soon as the task is cancelled.
    public func token(for user: String) async throws -> Secret {
        try await clock.sleep(for: .milliseconds(1 + Int(random.next() % 500)))
        if random.chance(0.02) {
            throw TransportError(.cannotConnect, sent: .nothing, stage: "SimulatedWorld", detail: "simulated")
        }
        return Secret(simulated.withServer { $0.issueToken(for: user) })
    }

    /// Returns the password of a user, for Basic or Digest authentication instead of a token.
    public func password(of user: String) -> Secret { Secret(SimulatedServer.password(of: user)) }
}

/// A transport that only the chains of a run retain.
final class SimulatedLink: Transport {
    private let transport: SimulatedTransport

    init(_ transport: SimulatedTransport) {
        self.transport = transport
    }

    var name: String { transport.name }
    var capabilities: TransportCapabilities { transport.capabilities }

    func send(_ request: consuming Request) async throws -> Response { try await transport.send(request) }
}

/// The simulated call that a request belongs to.
struct SimulatedCall: Sendable, Hashable {
    var number: Int
    var user: String
}

enum SimulatedCallNote: RequestNote {
    static var defaultValue: SimulatedCall { SimulatedCall(number: -1, user: "") }
    static var affectsResponse: Bool { false }
}

extension Request {
    /// The simulated user who makes this call, for partitions; empty outside a ``ChainSimulation``.
    public var simulatedUser: String { options[SimulatedCallNote.self].user }
}
