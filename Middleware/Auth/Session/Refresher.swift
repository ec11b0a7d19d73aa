import HTTPChainCore

/// A value that is refreshed from time to time, with one refresh at a time for any number of calls.
final class Refresher<Value: Sendable>: Sendable {
    typealias State = RefreshState<Value>

    /// The operations that create and store a value.
    struct Work: Sendable {
        /// Creates a new value to replace the given one.
        let refresh: @Sendable (_ old: Value?) async throws -> Value
        /// Saves the new value before it is used; nil removes the saved one.
        var save: (@Sendable (Value?) async throws -> Void)?
        /// Discards a new value that must not be used, because the old one was removed in the meantime.
        var discard: (@Sendable (Value) async -> Void)?
        /// Whether the old value stays in use if the refresh fails.
        let keepsOldValue: Bool
    }

    private enum Key { case only }

    let limit: RefreshLimit
    /// The kind of the value, such as "token".
    private let kind: String
    /// The name of the stage that sends it.
    private let stage: String
    private let state: Locked<State>
    private let flight = SingleFlight<Key, Void, State.Versioned>()

    init(_ value: Value?, _ kind: String, of stage: String, limit: RefreshLimit) {
        self.limit = limit
        self.kind = kind
        self.stage = stage
        state = Locked(State(value, limit: limit))
    }

    /// The number of calls that wait for a refresh.
    var waiterCount: Int { flight.waiterCount }

    /// Whether the current task is part of a refresh, or of work run by ``asPart(_:)``.
    var isInside: Bool { flight.isInside }

    /// Runs other work with the value, in which ``isInside`` is true.
    func asPart(_ work: @Sendable () async throws -> Void) async rethrows {
        try await flight.asPart { try await work() }
    }

    /// The value, even if it can't be used.
    var current: Value? { state.withLock { $0.current } }

    /// Returns the value that a call may use, and the current version.
    func look() -> (current: State.Versioned?, version: State.Version) {
        state.withLock { ($0.usable, $0.version) }
    }

    private func admits(_ version: State.Version, in identity: CallIdentity) -> Bool {
        identity.admits(epoch: version.epoch, of: self, binds: version.isSomebody)
    }

    /// Checks that a request may be sent with the value of a version.
    ///
    /// - Throws: `UserChangedError` if it isn't that of the call's user.
    func check(
        _ version: State.Version,
        for request: borrowing Request,
        after rejection: Rejection? = nil
    ) throws(UserChangedError) {
        guard let identity = request.callIdentity, !admits(version, in: identity) else { return }
        throw changedUser(ExchangeSnapshot(request.head, response: rejection?.head, redaction: request.redaction))
    }

    /// Returns the error of a call whose user was replaced or removed.
    func changedUser(_ exchange: ExchangeSnapshot) -> UserChangedError {
        UserChangedError(kind, of: stage, exchange: exchange)
    }

    /// Records the user of a call that begins.
    func noteUser(in identity: CallIdentity) {
        _ = admits(state.withLock { $0.version }, in: identity)
    }

    /// Replaces the value with another user's, or removes it, and returns the old one.
    @discardableResult
    func replace(with value: Value?) -> Value? {
        state.withLock { state in
            let old = state.current
            state.replace(with: value)
            return old
        }
    }

    /// Marks the value of a version as rejected, so that the next call refreshes it.
    func reject(_ version: State.Version) {
        state.withLock { $0.reject(version) }
    }

    /// Records that a new value was rejected on a path.
    func noteRejection(on path: String?, time: any TimeSource) {
        state.withLock { $0.noteRejection(on: path, at: time.elapsed) }
    }

    /// Returns the advice for a call whose value was rejected.
    ///
    /// - Parameters:
    ///   - version: The version of the rejected value.
    ///   - path: The requested path.
    ///   - time: The clock of the call.
    func advice(for version: State.Version, rejectedOn path: String?, time: any TimeSource) -> State.Advice {
        state.withLock { $0.advice(for: version, on: path, at: time.elapsed) }
    }

    /// Returns a newer value than the given version, refreshing it if necessary or joining the refresh in flight.
    ///
    /// - Throws: The refresh's error, if it ended after the call had started; ``RefreshError``; `CancellationError` if
    ///   the caller is cancelled.
    func refreshed(after version: State.Version, time: any TimeSource, _ work: Work) async throws -> State.Versioned {
        switch state.withLock({ $0.advice(for: version, at: time.elapsed) }) {
        case .use(let current): return current
        case .fail(let error): throw error
        case .giveUp, .refuse: throw RefreshError.tooMany(limit)
        case .changedUser: throw RefreshError.changedUser
        case .refresh: break
        }
        let new = try await flight.run(.only) { [self] in try await refresh(after: version, time: time, work) }
        // The value may have been replaced meanwhile.
        guard version.admits(new.version) else { throw RefreshError.changedUser }
        return new
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
            // The value was replaced meanwhile, so the new one is discarded. This runs in a separate task, because a
            // sign-out usually cancels calls, which must not prevent discarding the value.
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
            // The application replaced and saved the value while the new one was being saved, so the current value is
            // saved again. This runs in a separate task, because a sign-out usually cancels calls, which must not
            // prevent saving.
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

    /// Saves the current value; repeats this if the value was replaced in the meantime.
    private func saveCurrent(_ save: @Sendable (Value?) async throws -> Void) async {
        var version: State.Version
        repeat {
            let (value, current) = state.withLock { ($0.current, $0.version) }
            version = current
            try? await save(value)
        } while version != state.withLock { $0.version }
    }
}

/// The reason why there is no new value, although creating one didn't fail.
enum RefreshError: Error {
    /// The limit on refreshes was reached.
    case tooMany(RefreshLimit)
    /// The value was removed during the refresh.
    case ended
    /// The value is now another user's.
    case changedUser
    /// The new value is a token that is empty or contains characters that aren't allowed in one.
    case malformed
    /// The new value couldn't be saved. It exists, and is saved before the next call uses it.
    case notSaved(any Error)
}
