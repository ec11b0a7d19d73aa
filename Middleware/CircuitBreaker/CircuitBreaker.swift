public import HTTPChainCore
import HTTPTypes

/// The circuits of all origins, or of another grouping: the state behind one or more ``CircuitBreakerMiddleware``.
///
/// ```swift
/// let breaker = CircuitBreaker(.consecutive(failures: 5))
/// let chain = try Chain(transport: transport) { CircuitBreakerMiddleware(breaker) }
/// Task { for await change in breaker.changes() { print(change) } }
/// breaker.isolate("https://api.example.com")   // maintenance
/// ```
///
/// Chains that are given the same breaker share its circuits; their clock must be the same. It can be used by any
/// number of tasks at a time.
public final class CircuitBreaker: Sendable {
    /// The policy.
    public let policy: CircuitBreakerPolicy
    /// The rule by which requests share a circuit.
    public let group: RequestGroup
    private let circuits: GroupTable<Circuit>
    private let listeners: ChangeListeners

    /// Makes a breaker whose circuits are closed.
    ///
    /// - Parameters:
    ///   - policy: When circuits open and close.
    ///   - group: What has a circuit of its own; each origin by default.
    ///   - limit: How many circuits are remembered; beyond it those used least recently are forgotten; 1,000 by default.
    ///   - observer: Told of each change of state, at once and in order for each circuit; it must return quickly.
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

    /// The state of a circuit; one that was not used yet is closed.
    ///
    /// - Parameters:
    ///   - key: The origin, such as "https://api.example.com", or the key of another grouping.
    ///   - environment: The clock that the chains use; the live one by default.
    public func state(of key: String, in environment: ChainEnvironment = .live) -> CircuitState {
        circuits.existing(key)?.state(environment) ?? .closed
    }

    /// Opens a circuit, which is probed when the time is over.
    ///
    /// - Parameters:
    ///   - key: The origin, or the key of another grouping.
    ///   - time: For how long; `nil`, the default, for the policy's time.
    ///   - environment: The clock that the chains use; the live one by default.
    public func open(_ key: String, for time: Duration? = nil, in environment: ChainEnvironment = .live) {
        circuits.entry(of: key).change { rules in
            rules.open(for: time, at: environment.time.elapsed, random: environment.random)
        }
    }

    /// Closes a circuit and forgets what was counted.
    ///
    /// - Parameters:
    ///   - key: The origin, or the key of another grouping.
    ///   - environment: The clock that the chains use; the live one by default.
    public func close(_ key: String, in environment: ChainEnvironment = .live) {
        circuits.entry(of: key).change { $0.close(at: environment.time.elapsed) }
    }

    /// Opens a circuit until it is closed by hand.
    ///
    /// - Parameter key: The origin, or the key of another grouping.
    public func isolate(_ key: String) {
        circuits.entry(of: key).change { $0.isolate() }
    }

    /// The changes of state from now on, as they come.
    ///
    /// - Parameter limit: How many are kept for a slow reader, the latest; 100 by default.
    public func changes(bufferingNewest limit: Int = 100) -> AsyncStream<CircuitChange> {
        listeners.stream(max(1, limit))
    }

    /// The circuits as a table: key, state, and what was counted in the window.
    ///
    /// - Parameter environment: The clock that the chains use; the live one by default.
    public func explain(in environment: ChainEnvironment = .live) -> String {
        let rows = circuits.all.map { key, circuit in [key.isEmpty ? "all" : key] + circuit.row(environment) }
        return TextTable.format([["circuit", "state", "calls", "failures", "slow"]] + rows)
    }

    /// The keys of circuits that are not closed, in order.
    var keysNotClosed: [String] {
        circuits.all.filter { $0.entry.lastState != .closed }.map { $0.key.isEmpty ? "all" : $0.key }
    }
}

/// One circuit that tasks share.
final class Circuit: Sendable {
    let key: String
    let policy: CircuitBreakerPolicy
    /// Whether 2xx and 3xx are successes and nothing else is asked.
    let isPlain: Bool
    /// Whether it matters when a call began, or what it asked for.
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

    /// Lets a call through a closed circuit, for which neither time nor chance is needed; nil where it is not closed.
    @inline(__always)
    func admitAtOnce() -> CircuitRules.Permit? { rules.withLock { $0.permitWhileClosed } }

    func admit(_ environment: ChainEnvironment) -> Result<CircuitRules.Permit, CircuitRules.Refusal> {
        change { $0.admit(at: environment.time.elapsed, random: environment.random) }
    }

    /// Counts a success through a closed circuit, which needs no chance and changes no state.
    ///
    /// - Returns: Whether it is counted; otherwise it has to be recorded as any other result.
    @inline(__always)
    func recordSuccess(_ permit: CircuitRules.Permit, at now: Duration) -> Bool {
        rules.withLock { $0.recordSuccessWhileClosed(permit, at: now) }
    }

    func change<Value: Sendable>(_ change: (inout CircuitRules) -> Value) -> Value {
        let (value, hasChanges) = rules.withLock { rules in (change(&rules), rules.hasChanges) }
        if hasChanges { tell() }
        return value
    }

    /// Tells of the changes in their order: whoever takes them from the rules tells them under the listeners' lock.
    private func tell() {
        listeners.tell { [key, rules] in
            rules.withLock { $0.takeChanges() }.map { CircuitChange(key, $0) }
        }
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

/// Whoever wants to know of changes.
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

    /// Tells of the changes that `take` takes, with no lock held, one after the other.
    func tell(_ take: () -> [CircuitChange]) {
        let isMine = state.withLock { state in
            state.queue += take()
            defer { state.isTelling = true }
            return !state.isTelling
        }
        // Whoever tells already goes on with what was added.
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
                // Taken out first: what ends with it must not end under the lock.
                let ended = self?.state.withLock { $0.streams.removeValue(forKey: id) }
                _ = ended
            }
        }
    }
}
