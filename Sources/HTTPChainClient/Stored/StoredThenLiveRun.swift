import HTTPChainCore
import HTTPChainSupport

/// One iteration's race between a live call and the store; its deallocation cancels both.
final class StoredThenLiveRun<Kind: StoredRequest>: Sendable {
    typealias Output = Kind.Output

    enum Step: Sendable {
        case stored(StoredReply<Output>)
        case notStored(NoStoredReply)
        case live(Result<Output, any Error>)
    }

    struct State: Sendable {
        var stored: Result<StoredReply<Output>?, any Error>?
        var live: Result<Output, any Error>?
        /// Whether the live call has its reply, which may not have been stored yet.
        var hasReply = false
        var hasGivenStored = false
        var hasGivenLive = false

        /// Returns the next step, `.some(nil)` at the end, or `nil` if it isn't known yet.
        mutating func next(_ dependency: StoredReplyDependency) -> Step?? {
            if !hasGivenStored {
                if hasReply && dependency != .never || live.map(dependency.drops) == true {
                    hasGivenStored = true
                    return .some(.notStored(.dropped))
                }
                guard let stored else { return nil }
                hasGivenStored = true
                switch stored {
                case .success(let reply?): return .some(.stored(reply))
                case .success(nil): return .some(.notStored(.nothing))
                case .failure(let error): return .some(.notStored(.failed(error)))
                }
            }
            if hasGivenLive { return .some(nil) }
            guard let live else { return nil }
            hasGivenLive = true
            return .some(.live(live))
        }
    }

    private let core: ClientCore
    private let request: Kind
    private let settings: CallSettings
    private let dependency: StoredReplyDependency
    private let state = Watched(State())
    private let admission = Locked<Result<AdmittedCall<Kind>, any Error>?>(nil)
    private let tasks = Locked<(reading: Task<Void, Never>, calling: Task<Void, Never>)?>(nil)

    init(of call: Call<Kind>, _ dependency: StoredReplyDependency) {
        core = call.client.core
        request = call.request
        settings = call.settings
        self.dependency = dependency
    }

    deinit { cancel() }

    /// Returns the next step; `nil` at the end.
    ///
    /// - Throws: `CancellationError` if the calling task is cancelled.
    func next() async throws -> Step? {
        begin()
        do {
            let step = try await state.wait { [dependency] in $0.next(dependency) }
            // Nothing needs the stored reply anymore.
            if case .notStored(.dropped) = step { tasks.withLock { $0?.reading.cancel() } }
            return step
        } catch {
            cancel()
            throw error
        }
    }

    func nextReply() async throws -> ReplyUpdate<Output>? {
        while let step = try await next() {
            switch step {
            case .stored(let reply): return ReplyUpdate(value: reply.value, storedAt: reply.date)
            case .live(let result): return ReplyUpdate(value: try result.get(), storedAt: nil)
            case .notStored: break
            }
        }
        return nil
    }

    func nextStep() async throws -> StoredThenLiveStep<Output>? {
        switch try await next() {
        case .stored(let reply): .stored(reply)
        case .notStored(let reason): .notStored(reason)
        case .live(let result): .live(CallOutcome(result))
        case nil: nil
        }
    }

    /// Registers the call, which ``next()`` then sends.
    @discardableResult
    func register() -> Result<AdmittedCall<Kind>, any Error> {
        if let admission = admission.withLock({ $0 }) { return admission }
        let (state, dependency) = (state, dependency)
        var settings = settings
        // Waits for the read, so that it doesn't return the reply that the live call is about to store.
        settings.beforeStoring = {
            state.update { $0.hasReply = true }
            if dependency == .never { try? await state.wait { $0.stored == nil ? nil : () } }
        }
        let admitted = Result { [settings] in try core.admit(request, settings) }
        admission.withLock { $0 = admitted }
        return admitted
    }

    /// Registers the call, sends its request, and reads the store concurrently.
    ///
    /// Does nothing if called again. Neither task retains this object, so an iterator's deallocation cancels them.
    private func begin() {
        guard tasks.withLock({ $0 == nil }) else { return }
        let (core, request, settings, state) = (core, request, settings, state)
        let admission = register()
        let reading = Task {
            let stored = await Result.of { try await core.storedReply(for: request, settings) }
            state.update { $0.stored = stored }
        }
        // The call's task is unstructured: it doesn't inherit the cancellation of this task.
        let isCancelled = Task.isCancelled
        let calling = Task {
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            let live = await Result.of { try await core.perform(admission.get()).value }
            state.update { $0.live = live }
        }
        tasks.withLock { $0 = (reading, calling) }
    }

    private func cancel() {
        tasks.withLock { tasks in
            tasks?.reading.cancel()
            tasks?.calling.cancel()
        }
    }
}

extension StoredReplyDependency {
    func drops<Output>(after live: Result<Output, any Error>) -> Bool {
        switch (self, live) {
        case (.never, _): false
        case (_, .success): true
        case (.onSuccess, .failure): false
        case (.onSuccessOrCancellation, .failure(let error)): error is CancellationError || error is DuplicateCallError
        }
    }
}
