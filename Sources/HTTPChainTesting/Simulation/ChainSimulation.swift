import Foundation
public import HTTPChainCore

/// Runs a chain of yours through many calls over a network and servers that fail in every way, and checks what must
/// hold whatever fails.
///
/// ```swift
/// let simulation = ChainSimulation { world in
///     let cache = CacheMiddleware(store: .memory(limit: .mebibytes(8)), partition: .by { $0.simulatedUser })
///     return { user in
///         let tokens = ClosureAccessTokenProvider { _, _ in AccessToken(try await world.token(for: user)) }
///         return try Chain(transport: world.transport) {
///             RedirectMiddleware()
///             cache
///             RetryMiddleware()
///             BearerAuthMiddleware(tokens, for: world.origins.own)
///         }
///     }
/// }
/// let report = try await simulation.run(seed: 42)
/// #expect(report.violations.isEmpty, "\(report)")
/// ```
///
/// Several users read, change and order things at the same time, with streams that can be sent once, in parts where the
/// chain has a stage for resumable uploads (tus), through redirects to their own and to foreign servers. Connections
/// are refused, lost before and after the server has acted, and cut in the content; content is truncated inside its
/// coding; servers are slow, ask for patience, and revoke tokens; calls are cancelled between any two steps.
/// ``SimulationReport/Invariant`` lists what is checked.
///
/// **One seed, one run.** Time is virtual, and all tasks of a simulation, those that stages start by themselves
/// included, run on one thread in an order that the seed chooses. A seed that finds something finds it again, as long as
/// the stages take time and random numbers from ``/HTTPChainCore/Request/environment`` and wait for nothing outside,
/// such as a disk. Simulations may run side by side.
public struct ChainSimulation: Sendable {
    /// Makes the chain of one user.
    public typealias ChainForUser = @Sendable (_ user: String) throws -> Chain
    /// Makes what the users' chains share, and returns what makes each of them.
    public typealias Build = @Sendable (SimulatedWorld) throws -> ChainForUser

    /// The number of calls that are made in a run; 200 by default.
    public var calls = 200
    /// The number of calls that are made at the same time; 8 by default.
    public var concurrency = 8
    /// The number of users; 3 by default.
    public var users = 3
    /// The share of requests with which something goes wrong; 0.3 by default.
    public var faultRate = 0.3
    /// The share of calls that are cancelled; 0.06 by default.
    public var cancellationRate = 0.06
    /// The number of pieces of work after which the run is stopped; a hundred thousand for each call by default.
    public var stepsPerCall = 100_000

    private let build: Build

    /// Makes a simulation.
    ///
    /// - Parameter build: Called once in each run; what it makes there is shared by the users' chains.
    public init(build: @escaping Build) {
        self.build = build
    }

    /// Makes the calls.
    ///
    /// - Parameter seed: Chooses everything that is left to chance.
    /// - Returns: What happened.
    /// - Throws: What `build` throws; ``SimulationError`` where the runtime of Swift does not let a simulation order its
    ///   tasks.
    public func run(seed: UInt64) async throws -> SimulationReport {
        guard SimulatedScheduler.isSupported else { throw SimulationError() }
        return try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                let result = Result { try SimulationRun(self, seed: seed, build: build).perform() }
                continuation.resume(with: result)
            }
            thread.name = "HTTPChain simulation \(seed)"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}

/// A ``ChainSimulation`` cannot run here.
public struct SimulationError: HTTPChainError, Hashable {
    /// Always "ChainSimulation".
    public var stage: String { "ChainSimulation" }
    /// The sentence that says what is missing.
    public var reason: String {
        "the runtime of Swift in this process has no swift_task_enqueueGlobal_hook, without which the order of tasks "
            + "cannot be chosen; link the standard library dynamically"
    }
}
