import Foundation
public import HTTPChainCore

/// Runs many calls through your chain over a network and servers that fail in many ways, and checks invariants.
///
/// ```swift
/// let simulation = ChainSimulation { world in
///     let cache = CacheMiddleware(store: .memory(limit: .mebibytes(8)), partition: .by { $0.simulatedUser })
///     return { user in
///         try Chain(transport: world.transport) {
///             RedirectMiddleware()
///             cache
///             RetryMiddleware()
///             BearerAuthMiddleware(
///                 .asking { _, _ in AccessToken(try await world.token(for: user)) },
///                 for: world.origin
///             )
///         }
///     }
/// }
/// let report = try await simulation.run(seed: 42)
/// #expect(report.violations.isEmpty, "\(report)")
/// ```
///
/// Several users concurrently read, change and order things. They do so with streams that can be sent only once, in
/// parts if the chain has a stage for resumable uploads (tus), and through redirects to their own and to foreign
/// servers. Connections are refused, lost before and after the server has acted, and cut off in the content. Content is
/// truncated inside its coding. Servers are slow, ask clients to wait, and revoke tokens. Calls are cancelled between
/// any two steps. The page of the module lists the invariants that are checked.
///
/// **Reproducible runs.** Time is virtual. All tasks of a simulation, including those that stages start themselves, run
/// on one thread in an order determined by the seed. A seed that finds a violation therefore reproduces it, if the
/// stages get the time and random numbers from ``/HTTPChainCore/Request/environment`` and don't wait for anything
/// external, such as a disk. Simulations may run concurrently.
public struct ChainSimulation: Sendable {
    /// A closure that creates the chain of one user.
    package typealias ChainForUser = @Sendable (_ user: String) throws -> Chain
    /// A closure that creates the objects shared by the users' chains, and returns a closure that creates each chain.
    package typealias Build = @Sendable (SimulatedWorld) throws -> ChainForUser

    package var calls: Int
    package var concurrency: Int
    package var users: Int
    package var faultRate: Double
    /// The share of cancelled calls; 0.06 by default.
    package var cancellationRate = 0.06
    /// The number of steps per call after which the run is stopped; 100,000 by default.
    package var stepsPerCall = 100_000

    private let build: Build

    /// Creates a simulation.
    ///
    /// - Parameters:
    ///   - calls: The number of calls in a run; 200 by default.
    ///   - concurrency: The number of concurrent calls; 8 by default.
    ///   - users: The number of users; 3 by default.
    ///   - faultRate: The share of requests with a fault; 0.3 by default.
    ///   - build: A closure that is called once in each run, creates the objects shared by the users' chains, and
    ///     returns a closure that creates the chain of each user.
    public init(
        calls: Int = 200,
        concurrency: Int = 8,
        users: Int = 3,
        faultRate: Double = 0.3,
        build: @escaping @Sendable (SimulatedWorld) throws -> @Sendable (_ user: String) throws -> Chain
    ) {
        self.calls = max(0, calls)
        self.concurrency = concurrency
        self.users = users
        self.faultRate = faultRate
        self.build = build
    }

    /// Runs the simulation.
    ///
    /// - Parameter seed: The seed that determines all random choices.
    /// - Returns: The report of the run.
    /// - Throws: Any error of `build`; another error if a simulation can't order its tasks, because the Swift runtime
    ///   doesn't support that.
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

/// An error for a ``ChainSimulation`` that can't run in this process.
package struct SimulationError: HTTPChainError, Hashable {
    package var stage: String { "ChainSimulation" }
    package var reason: String {
        "the runtime of Swift in this process has no swift_task_enqueueGlobal_hook, without which the order of tasks "
            + "cannot be chosen; link the standard library dynamically"
    }
}
