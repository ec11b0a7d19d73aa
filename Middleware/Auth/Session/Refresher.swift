import HTTPChainCore

/// A value that is refreshed now and then: one refresh at a time, for any number of calls.
final class Refresher<Value: Sendable>: Sendable {
    typealias State = RefreshState<Value>

    /// How a new value is made and kept.
    struct Work: Sendable {
        /// Makes a new value in place of the one given.
        let refresh: @Sendable (_ old: Value?) async throws -> Value
        /// Saves the new value before it is used; nil removes the saved one.
        var save: (@Sendable (Value?) async throws -> Void)?
        /// Puts an end to a new value that nobody is to use, because the old one was taken away while it was made.
        var discard: (@Sendable (Value) async -> Void)?
        /// Whether the old value stays in use when none could be made.
        let keepsOldValue: Bool
    }

    private enum Key { case only }

    let limit: RefreshLimit
    private let state: Locked<State>
    private let flight = SingleFlight<Key, State.Versioned>()

    init(_ value: Value?, limit: RefreshLimit) {
        self.limit = limit
        state = Locked(State(value, limit: limit))
    }

    /// The number of calls that wait for a refresh.
    var waiterCount: Int { flight.waiterCount }

    /// The value as it is, used or not.
    var current: Value? { state.withLock { $0.current } }

    /// The value that a call may use, and the version to ask for another with.
    func look() -> (current: State.Versioned?, version: State.Version) {
        state.withLock { ($0.usable, $0.version) }
    }

    /// Puts another value in place, or ends the use of the one there is, which is returned.
    @discardableResult
    func replace(with value: Value?) -> Value? {
        state.withLock { state in
            let old = state.current
            state.replace(with: value)
            return old
        }
    }

    /// Notes that the server rejects the value of a version, so that the next call refreshes it.
    func reject(_ version: State.Version) {
        state.withLock { $0.reject(version) }
    }

    /// Returns the advice for a call that was rejected with the value of a version.
    ///
    /// - Parameter path: What was asked for, when the call was rejected by the server.
    func advice(for version: State.Version, on path: String? = nil, time: any TimeSource) -> State.Advice {
        state.withLock { $0.advice(for: version, on: path, at: time.elapsed) }
    }

    /// Notes that a value that was new was rejected for a path.
    func noteRejection(on path: String?, time: any TimeSource) {
        state.withLock { $0.noteRejection(on: path, at: time.elapsed) }
    }

    /// A newer value than that of the version; made if need be, or by the refresh that runs.
    ///
    /// - Throws: What the refresh throws, also when it ended after the call had begun; ``RefreshError``;
    ///   `CancellationError` when the caller is cancelled.
    func refreshed(after version: State.Version, time: any TimeSource, _ work: Work) async throws -> State.Versioned {
        switch advice(for: version, time: time) {
        case .use(let current): return current
        case .fail(let error): throw error
        case .giveUp, .refuse: throw RefreshError.tooMany(limit)
        case .refresh: break
        }
        return try await flight.run(.only) { [self] in
            try await RefreshScope.run(for: self) { try await refresh(after: version, time: time, work) }
        }
    }

    private func refresh(after version: State.Version, time: any TimeSource, _ work: Work) async throws
        -> State.Versioned
    {
        switch state.withLock({ $0.begin(for: version, at: time.elapsed) }) {
        case .use(let current): return current
        case .save(let current): return try await save(current, work)
        case .refused: throw RefreshError.tooMany(limit)
        case .refresh(let old, let refresh):
            let value: Value
            do {
                value = try await work.refresh(old)
            } catch {
                return try end(refresh, with: error, keepsValue: work.keepsOldValue)
            }
            let (new, other) = state.withLock { state in
                let new = state.finish(refresh, with: value, isSaved: work.save == nil)
                return (new, state.usable)
            }
            if let new { return try await save(new, work) }
            // The value was replaced meanwhile: what was made in place of the old one is not for anybody. A task of its
            // own, because a sign-out is followed by the cancellation of calls, which would leave the new value open.
            if let discard = work.discard { await Task { await discard(value) }.value }
            guard let other else { throw RefreshError.ended }
            return other
        }
    }

    private func end(_ refresh: State.Refresh, with error: any Error, keepsValue: Bool) throws -> State.Versioned {
        if Task.isCancelled || error is CancellationError {
            state.withLock { $0.abandon(refresh) }
            throw CancellationError()
        }
        guard let other = state.withLock({ $0.fail(refresh, with: error, keepsValue: keepsValue) }) else { throw error }
        return other
    }

    private func save(_ current: State.Versioned, _ work: Work) async throws -> State.Versioned {
        guard let save = work.save else { return current }
        let failure: (any Error)?
        do {
            try await save(current.value)
            failure = nil
        } catch {
            failure = error
        }
        guard state.withLock({ $0.isCurrent(current) }) else {
            // The application replaced the value, and saved its own, while this one was saved. A separate task, because
            // a sign-out is followed by the cancellation of calls, which would leave the new value open.
            await Task { [self] in
                await saveCurrent(save)
                await work.discard?(current.value)
            }.value
            guard let other = state.withLock({ $0.usable }) else { throw RefreshError.ended }
            return other
        }
        if let failure {
            if Task.isCancelled || failure is CancellationError { throw CancellationError() }
            throw RefreshError.notSaved(failure)
        }
        state.withLock { $0.saved(current) }
        return current
    }

    /// Saves the value in use, until it is the last one.
    private func saveCurrent(_ save: @Sendable (Value?) async throws -> Void) async {
        var version: State.Version
        repeat {
            let (value, current) = state.withLock { ($0.current, $0.version) }
            version = current
            try? await save(value)
        } while version != state.withLock { $0.version }
    }
}

/// Why there is no new value, where making one did not fail.
enum RefreshError: Error {
    /// More than the limit allows.
    case tooMany(RefreshLimit)
    /// The value that was to be refreshed was taken away meanwhile.
    case ended
    /// The new value could not be kept; it is there, and is kept before the next call uses it.
    case notSaved(any Error)
}
