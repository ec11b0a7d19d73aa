import HTTPChainCore
import HTTPChainSupport

/// A registry of running calls, found and cancelled by id, value, type, key and tag.
///
/// ```swift
/// let registry = CallRegistry()
/// let chain = try Chain(transport: URLSessionTransport()) {
///     CallRegistryMiddleware(registry)
///     URLBuilderMiddleware(base: "https://api.example.com")
/// }
/// // elsewhere: the user leaves the page
/// registry.cancel(tag: "search")
/// ```
///
/// A ``Client`` has its own registry. A cancelled call leaves the registry immediately, and its result is ignored if
/// the response still arrives. The call itself ends when the transport returns.
public final class CallRegistry: Sendable {
    private struct State: Sendable {
        var table = CallTable()
        var isClosed = false
        /// The index for finding duplicates; `nil` until the first call excludes duplicates, so that other calls don't
        /// pay for it.
        var index: CallIndex?

        mutating func remove(_ id: CallID) -> CallTable.Entry? {
            index?.remove(id)
            return table.remove(id)
        }

        /// Returns the first running call that duplicates one with this value and key.
        mutating func twin(
            of value: (any Sendable)?,
            _ key: (any Hashable & Sendable)?,
            _ hashes: CallIndex.Hashes
        ) -> CallInfo? {
            if index == nil {
                var index = CallIndex()
                for info in table.infos { index.insert(info.id, CallIndex.Hashes(key: info.key, value: info.value)) }
                self.index = index
            }
            for id in index?.candidates(for: hashes) ?? [] {
                if let info = table[id]?.info, info.isTwin(of: value, key) { return info }
            }
            return nil
        }
    }

    private let state = Locked(State())

    /// Creates an empty registry.
    public init() {}

    /// The number of running calls.
    package var count: Int { state.withLock { $0.table.count } }

    /// The running calls, in the order in which they began.
    public var calls: [CallInfo] { infos.sorted { $0.id.number < $1.id.number } }

    /// Whether a running call matches a condition, which is called outside the registry's lock.
    package func contains(where condition: (CallInfo) -> Bool) -> Bool {
        infos.contains(where: condition)
    }

    /// Cancels the calls that match a condition.
    ///
    /// - Parameter condition: A closure that is called for each running call, outside the registry's lock.
    /// - Returns: The number of calls cancelled.
    @discardableResult
    public func cancel(where condition: (CallInfo) -> Bool) -> Int {
        infos.count { condition($0) && cancel($0.id) }
    }

    /// Cancels a call.
    ///
    /// - Returns: Whether it was running.
    @discardableResult
    public func cancel(_ id: CallID) -> Bool {
        let entry = state.withLock { $0.remove(id) }
        entry?.task?.cancel()
        return entry != nil
    }

    /// Cancels all calls.
    ///
    /// - Returns: The number of calls cancelled.
    @discardableResult
    public func cancelAll() -> Int {
        let entries = state.withLock { state in
            state.index = nil
            return state.table.removeAll()
        }
        for entry in entries { entry.task?.cancel() }
        return entries.count
    }

    /// Cancels all calls, and any later call before it begins.
    package func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    /// Performs an operation as a call of this registry.
    ///
    /// The operation runs in a task that the registry can cancel. It begins on the caller's thread if the system
    /// supports that.
    ///
    /// - Parameters:
    ///   - value: The value that the call is made from.
    ///   - registration: The call's key, tags, and whether duplicates are excluded.
    ///   - operation: The call's work, which receives the call's id.
    ///   - keep: A closure that attaches the call's place to a result that continues the call, such as a body that is
    ///     still arriving. The call ends when the place is released. If the closure is `nil`, the result ends the call.
    /// - Throws: ``DuplicateCallError`` and ``CallIdentityError`` before the operation begins; `CancellationError`
    ///   before it begins if the calling task is cancelled, and if the call was cancelled in the registry, regardless of
    ///   the operation's result; any error of the operation.
    package func perform<Result: Sendable>(
        value: (any Sendable)?,
        registration: CallRegistration,
        _ operation: @escaping @Sendable (_ id: CallID) async throws -> Result,
        keeping keep: (@Sendable (Result, CallPlace) -> Result)? = nil
    ) async throws -> Result {
        let operation = ClosureOperation(value, registration, operation, keep)
        return unsafeDowncast(try await perform(operation), to: ResultBox<Result>.self).value
    }

    /// Performs an operation as a call of this registry, and returns the operation's own result object.
    func perform(_ operation: any CallOperation) async throws -> ErasedResult {
        try await perform(operation, as: enter(operation))
    }

    /// Performs an operation registered by ``enter(_:)``; call this once.
    func perform(_ operation: any CallOperation, as id: CallID) async throws -> ErasedResult {
        // The call's task is unstructured: it doesn't inherit the cancellation of this task.
        if Task.isCancelled { cancel(id) }
        // The call may have been cancelled since it was registered.
        guard holds(id) else { throw CancellationError() }
        let task = begin(operation, as: id)
        guard state.withLock({ $0.table.attach(task, to: id) }) else {
            // The call has already ended, or was cancelled before its task was attached.
            task.cancel()
            return try await task.value
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private var infos: [CallInfo] { state.withLock { $0.table.infos } }

    /// Registers an operation before it begins.
    func enter(_ operation: any CallOperation) throws -> CallID {
        guard operation.excludesDuplicates else { return try enter(operation, with: nil) }
        let hashes = CallIndex.Hashes(key: operation.registration.key, value: operation.value)
        guard hashes.twin != nil else { throw CallIdentityError(valueType: operation.value.map { "\(type(of: $0))" }) }
        return try enter(operation, with: hashes)
    }

    /// - Parameter twin: The hashes that find duplicates of this call; `nil` if it allows duplicates.
    private func enter(_ operation: any CallOperation, with twin: CallIndex.Hashes?) throws -> CallID {
        try state.withLock { state in
            guard !state.isClosed else { throw CancellationError() }
            if let twin {
                let key = operation.registration.key
                if let running = state.twin(of: operation.value, key, twin) {
                    throw DuplicateCallError(running: running.id, isByKey: key != nil)
                }
            }
            let id = state.table.insert(operation)
            if state.index != nil {
                let hashes = twin ?? CallIndex.Hashes(key: operation.registration.key, value: operation.value)
                state.index?.insert(id, hashes)
            }
            return id
        }
    }

    /// Starts immediately if the system supports it, which saves a thread switch.
    private func begin(_ operation: any CallOperation, as id: CallID) -> Task<ErasedResult, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { try await self.run(operation, as: id) }
        }
        return Task { try await self.run(operation, as: id) }
    }

    /// Performs the call in its task; the call then ends, or continues with its result.
    private func run(_ operation: any CallOperation, as id: CallID) async throws -> ErasedResult {
        let result: ErasedResult
        do {
            result = try await operation.perform(as: id)
        } catch {
            guard leave(id) else { throw CancellationError() }
            throw error
        }
        guard operation.keepsPlace else {
            guard leave(id) else { throw CancellationError() }
            return result
        }
        let subject = KeptCallSubject(operation)
        // The operation is no longer needed. It is deallocated outside the lock.
        let before = state.withLock { $0.table.goOn(id, as: subject) }
        guard before != nil else { throw CancellationError() }
        return operation.keep(result, CallPlace(id: id, registry: self))
    }

    /// Ends the call.
    ///
    /// - Returns: Whether it was running; `false` for a cancelled call.
    @discardableResult
    fileprivate func leave(_ id: CallID) -> Bool {
        // Releases the call's subject outside the lock, because its deallocation may take other locks.
        let entry = state.withLock { $0.remove(id) }
        return entry != nil
    }

    fileprivate func holds(_ id: CallID) -> Bool {
        state.withLock { $0.table[id] != nil }
    }
}

/// The place of a running call in its registry; the call ends when the place is deallocated.
package final class CallPlace: Sendable {
    let id: CallID
    private let registry: CallRegistry

    init(id: CallID, registry: CallRegistry) {
        self.id = id
        self.registry = registry
    }

    deinit { leave() }

    /// Ends the call.
    func leave() { registry.leave(id) }

    /// Whether the call is still in the registry.
    var isHeld: Bool { registry.holds(id) }
}
