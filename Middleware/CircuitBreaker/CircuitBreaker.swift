public import HTTPChainCore
import HTTPTypes

/// The circuits of all origins, or of another grouping: the state that one or more ``CircuitBreakerMiddleware`` share.
///
/// ```swift
/// let breaker = CircuitBreaker(.consecutive(failures: 5))
/// let chain = try Chain(transport: transport) { CircuitBreakerMiddleware(breaker) }
/// Task { for await change in breaker.changes() { print(change) } }
/// breaker.isolate("https://api.example.com")   // maintenance
/// ```
///
/// Chains with the same breaker share its circuits, and must use the same clock. A breaker can be used concurrently.
public final class CircuitBreaker: Sendable {
    /// The policy for opening and closing circuits.
    package let policy: CircuitBreakerPolicy
    /// The rule by which requests share a circuit.
    package let group: RequestGroup
    private let circuits: GroupTable<Circuit>
    private let listeners: ChangeListeners

    /// Creates a breaker whose circuits are closed.
    ///
    /// - Parameters:
    ///   - policy: The policy for opening and closing circuits.
    ///   - group: The rule by which requests share a circuit; by origin by default.
    ///   - limit: The maximum number of circuits; 1,000 by default. Beyond it, the least recently used are forgotten.
    ///   - observer: Receives each change of state immediately, in order for each circuit. It must return quickly.
    public init(
        _ policy: CircuitBreakerPolicy = CircuitBreakerPolicy(),
        by group: RequestGroup = .origin,
        limit: Int = 1000,
        observer: (@Sendable (CircuitChange) -> Void)? = nil
    ) {
        let listeners = ChangeListeners(observer)
        self.policy = policy
        self.group = group
        self.listeners = listeners
        circuits = GroupTable(group, limit: limit) { Circuit($0, policy, listeners) }
    }

    func circuit(for request: borrowing Request) -> Circuit? { circuits.entry(for: request) }

    /// Returns the state of a circuit; a circuit that hasn't been used is closed.
    ///
    /// - Parameters:
    ///   - key: The origin, such as "https://api.example.com", or the key of another grouping.
    ///   - environment: The clock that the chains use; the live one by default.
    public func state(of key: String, in environment: ChainEnvironment = .live) -> CircuitState {
        circuits.existing(key)?.state(environment) ?? .closed
    }

    /// Opens a circuit; it is probed when the open time has passed.
    ///
    /// - Parameters:
    ///   - key: The origin, or the key of another grouping.
    ///   - time: The time to stay open; `nil`, the default, for the policy's time.
    ///   - environment: The clock that the chains use; the live one by default.
    public func open(_ key: String, for time: Duration? = nil, in environment: ChainEnvironment = .live) {
        circuits.entry(of: key).change { rules in
            rules.open(for: time, at: environment.time.elapsed, random: environment.random)
        }
    }

    /// Closes a circuit and resets its counts.
    ///
    /// - Parameters:
    ///   - key: The origin, or the key of another grouping.
    ///   - environment: The clock that the chains use; the live one by default.
    public func close(_ key: String, in environment: ChainEnvironment = .live) {
        circuits.entry(of: key).change { $0.close(at: environment.time.elapsed) }
    }

    /// Opens a circuit until it is closed manually.
    ///
    /// - Parameter key: The origin, or the key of another grouping.
    public func isolate(_ key: String) {
        circuits.entry(of: key).change { $0.isolate() }
    }

    /// Returns a stream of state changes from now on.
    ///
    /// - Parameter limit: The number of latest changes kept for a slow reader; 100 by default.
    public func changes(bufferingNewest limit: Int = 100) -> AsyncStream<CircuitChange> {
        listeners.stream(max(1, limit))
    }

    /// Returns a table of the circuits: key, state, and the counts in the window.
    ///
    /// - Parameter environment: The clock that the chains use; the live one by default.
    public func explain(in environment: ChainEnvironment = .live) -> String {
        let rows = circuits.all.map { key, circuit in [key.isEmpty ? "all" : key] + circuit.row(environment) }
        return TextTable.format([["circuit", "state", "calls", "failures", "slow"]] + rows)
    }

    /// The keys of circuits that aren't closed, in order.
    var keysNotClosed: [String] {
        circuits.all.filter { $0.entry.lastState != .closed }.map { $0.key.isEmpty ? "all" : $0.key }
    }
}

/// A circuit shared by tasks.
final class Circuit: Sendable {
    let key: String
    let policy: CircuitBreakerPolicy
    /// Whether 2xx and 3xx responses are successes without further checks.
    let isPlain: Bool
    /// Whether results are recorded with the start time or the request of their call.
    let needsDetails: Bool
    private let rules: Locked<CircuitRules>
    private let listeners: ChangeListeners

    init(_ key: String, _ policy: CircuitBreakerPolicy, _ listeners: ChangeListeners) {
        self.key = key
        self.policy = policy
        needsDetails = policy.verdict != nil || policy.slowCalls != nil
        isPlain = !needsDetails && !(200..<400).contains { policy.failureStatuses.contains($0) }
        rules = Locked(CircuitRules(policy))
        self.listeners = listeners
    }

    /// Admits a call to a closed circuit; needs neither the time nor a random number.
    ///
    /// Returns `nil` if the circuit isn't closed.
    @inline(__always)
    func admitAtOnce() -> CircuitRules.Permit? { rules.withLock { $0.permitWhileClosed } }

    func admit(_ environment: ChainEnvironment) -> Result<CircuitRules.Permit, CircuitRules.Refusal> {
        change { $0.admit(at: environment.time.elapsed, random: environment.random) }
    }

    /// Counts a success in a closed circuit; needs no random number, and doesn't change the state.
    ///
    /// - Returns: Whether the success was counted. If not, it must be recorded like any other result.
    @inline(__always)
    func recordSuccess(_ permit: CircuitRules.Permit, at now: Duration) -> Bool {
        rules.withLock { $0.recordSuccessWhileClosed(permit, at: now) }
    }

    func change<Value: Sendable>(_ change: (inout CircuitRules) -> Value) -> Value {
        let (value, hasChanges) = rules.withLock { rules in (change(&rules), rules.hasChanges) }
        if hasChanges {
            // The changes are reported in order, because they are taken while holding the listeners' lock.
            listeners.tell { rules.withLock { $0.takeChanges() }.map { CircuitChange(key, $0) } }
        }
        return value
    }

    func state(_ environment: ChainEnvironment) -> CircuitState {
        change { rules in
            rules.advance(to: environment.time.elapsed, random: environment.random)
            return rules.state
        }
    }

    var lastState: CircuitState { rules.withLock { $0.state } }

    func row(_ environment: ChainEnvironment) -> [String] {
        let state = state(environment)
        let counts = rules.withLock { $0.counts }
        return [state.description, "\(counts.calls)", "\(counts.failures)", "\(counts.slow)"]
    }
}

/// The listeners for changes.
final class ChangeListeners: Sendable {
    private struct State: Sendable {
        var streams: [Int: AsyncStream<CircuitChange>.Continuation] = [:]
        var lastID = 0
        var queue: [CircuitChange] = []
        var isTelling = false
    }

    private let observer: (@Sendable (CircuitChange) -> Void)?
    private let state = Locked(State())

    init(_ observer: (@Sendable (CircuitChange) -> Void)?) {
        self.observer = observer
    }

    /// Reports the changes returned by `take` one by one, without holding a lock.
    func tell(_ take: () -> [CircuitChange]) {
        let isMine = state.withLock { state in
            state.queue += take()
            defer { state.isTelling = true }
            return !state.isTelling
        }
        // Another task is already reporting, and also reports the changes just added.
        guard isMine else { return }
        while let (change, streams) = nextChange() {
            observer?(change)
            for stream in streams { stream.yield(change) }
        }
    }

    private func nextChange() -> (CircuitChange, [AsyncStream<CircuitChange>.Continuation])? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.isTelling = false
                return nil
            }
            return (state.queue.removeFirst(), Array(state.streams.values))
        }
    }

    func stream(_ limit: Int) -> AsyncStream<CircuitChange> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            let id = state.withLock { state in
                state.lastID += 1
                state.streams[state.lastID] = continuation
                return state.lastID
            }
            continuation.onTermination = { [weak self] _ in
                // Removed while holding the lock, but released afterwards, because its deinitialization must not run
                // under the lock.
                let ended = self?.state.withLock { $0.streams.removeValue(forKey: id) }
                _ = ended
            }
        }
    }
}
