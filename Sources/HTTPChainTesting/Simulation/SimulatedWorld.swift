public import HTTPChainCore

/// The origins of the servers of a simulation.
public struct SimulatedOrigins: Sendable, Hashable {
    /// The server whose users the calls belong to: "https://api.example.com".
    public let own = "https://api.example.com"
    /// Somebody else's server, to which redirects lead and which must see no secret: "https://elsewhere.example.net".
    public let foreign = "https://elsewhere.example.net"
}

/// The surroundings that a ``ChainSimulation`` gives to a chain: servers to talk to, users to be, and time that passes
/// by itself.
public struct SimulatedWorld: Sendable {
    /// The origins of the servers.
    public let origins = SimulatedOrigins()
    /// The users whose calls are made.
    public let users: [String]
    /// The transport to put under the chain.
    public let transport: any Transport
    /// The clock and the random numbers of each call, for stages that want them when they are made.
    public let environment: ChainEnvironment

    /// The same in which the transport is an object of its own, so that it is seen when nobody has it any more.
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

    /// Gets a new bearer token for a user, as from a token endpoint: it takes its time, and now and then it fails.
    ///
    /// - Returns: The token; those before it are no longer valid.
    /// - Throws: `TransportError`; `CancellationError` as soon as the task is cancelled.
    public func token(for user: String) async throws -> Secret {
        try await clock.sleep(for: .milliseconds(1 + Int(random.next() % 500)))
        if random.chance(0.02) {
            throw TransportError(.cannotConnect, sent: .nothing, stage: "SimulatedWorld", detail: "simulated")
        }
        return Secret(simulated.withServer { $0.issueToken(for: user) })
    }

    /// The password of a user, who may prove it with Basic or Digest authentication instead of a token.
    public func password(of user: String) -> Secret { Secret(SimulatedServer.password(of: user)) }
}

/// A transport that the chains of a run hold, and nothing else does.
final class SimulatedLink: Transport {
    private let transport: SimulatedTransport

    init(_ transport: SimulatedTransport) {
        self.transport = transport
    }

    var name: String { transport.name }
    var capabilities: TransportCapabilities { transport.capabilities }

    func send(_ request: consuming Request) async throws -> Response { try await transport.send(request) }
}

/// The call of a simulation that a request belongs to.
struct SimulatedCall: Sendable, Hashable {
    var number: Int
    var user: String
}

enum SimulatedCallOption: RequestOption {
    static var defaultValue: SimulatedCall { SimulatedCall(number: -1, user: "") }
}

extension Request {
    /// The user of a simulation whose call this is, for partitions; empty outside a ``ChainSimulation``.
    public var simulatedUser: String { options[SimulatedCallOption.self].user }
}
