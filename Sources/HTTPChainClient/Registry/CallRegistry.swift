import HTTPChainCore
import HTTPChainSupport

/// The calls that are running: found and cancelled by id, value, type, key and tag.
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
/// A ``Client`` has one of its own. A cancelled call is out of the registry at once, and its result is ignored even if
/// the transport answers late; the call itself ends when the transport has given it back.
public final class CallRegistry: Sendable {
    private struct State: Sendable {
        var table = CallTable()
        var isClosed = false
        /// The index in which duplicates are found; `nil` until a call first excludes them, so that others do not pay
        /// for it.
        var index: CallIndex?

        mutating func remove(_ id: CallID) -> CallTable.Entry? {
            index?.remove(id)
            return table.remove(id)
        }

        /// The first of the running calls that are the same as one with a value and perhaps a key.
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

    /// Makes an empty registry.
    public init() {}

    /// The number of calls that are running.
    public var count: Int { state.withLock { $0.table.count } }

    /// The calls that are running, in the order they began.
    public var calls: [CallInfo] { infos.sorted { $0.id.number < $1.id.number } }

    /// Whether any call is running that fits.
    ///
    /// - Parameter condition: Asked for each call that is running, outside the registry's lock.
    public func contains(where condition: (CallInfo) -> Bool) -> Bool {
        infos.contains(where: condition)
    }

    /// Cancels the calls that fit.
    ///
    /// - Parameter condition: Asked for each call that is running, outside the registry's lock.
    /// - Returns: How many calls were cancelled.
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
    /// - Returns: How many there were.
    @discardableResult
    public func cancelAll() -> Int {
        let entries = state.withLock { state in
            state.index = nil
            return state.table.removeAll()
        }
        for entry in entries { entry.task?.cancel() }
        return entries.count
    }

    /// Cancels all calls, and those that come later before they begin.
    public func close() {
        state.withLock { $0.isClosed = true }
        cancelAll()
    }

    /// Performs an operation as a call of this registry.
    ///
    /// The operation begins on the caller's thread, in a task that the registry can cancel.
    ///
    /// - Parameters:
    ///   - value: The value that the call is made from.
    ///   - registration: Key, tags, and whether duplicates are excluded.
    ///   - operation: What the call does; told its id.
    /// - Throws: ``DuplicateCallError`` and ``CallIdentityError`` before the operation begins; `CancellationError` when the call was cancelled in
    ///   the registry, whatever the operation came to; what the operation throws.
    public func perform<Result: Sendable>(
        value: (any Sendable)? = nil,
        registration: CallRegistration = CallRegistration(),
        _ operation: @escaping @Sendable (_ id: CallID) async throws -> Result
    ) async throws -> Result {
        try await perform(value: value, registration: registration, operation, keeping: nil)
    }

    /// ``perform(value:registration:_:)`` for a result that a call goes on with, such as a body that is still arriving:
    /// it takes the call's place, and the call is over when nobody has that any more.
    ///
    /// - Parameter keep: Gives the place to the result; without it the call is over with its result.
    func perform<Result: Sendable>(
        value: (any Sendable)?,
        registration: CallRegistration,
        _ operation: @escaping @Sendable (_ id: CallID) async throws -> Result,
        keeping keep: (@Sendable (Result, CallPlace) -> Result)?
    ) async throws -> Result {
        let operation = ClosureOperation(value, registration, operation, keep)
        return unsafeDowncast(try await perform(operation), to: ResultBox<Result>.self).value
    }

    /// Performs an operation as a call of this registry; what it gives is the operation's own result.
    func perform(_ operation: any CallOperation) async throws -> ErasedResult {
        try await perform(operation, as: enter(operation))
    }

    /// Performs an operation that ``enter(_:)`` has registered, once.
    func perform(_ operation: any CallOperation, as id: CallID) async throws -> ErasedResult {
        // It may have been cancelled since it was registered.
        guard holds(id) else { throw CancellationError() }
        let task = begin(operation, as: id)
        guard state.withLock({ $0.table.attach(task, to: id) }) else {
            // It has ended already, or was cancelled before the registry knew its task.
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

    /// Registers an operation that has not begun.
    func enter(_ operation: any CallOperation) throws -> CallID {
        guard operation.excludesDuplicates else { return try enter(operation, with: nil) }
        let hashes = CallIndex.Hashes(key: operation.registration.key, value: operation.value)
        guard hashes.twin != nil else { throw CallIdentityError(valueType: operation.value.map { "\(type(of: $0))" }) }
        return try enter(operation, with: hashes)
    }

    /// - Parameter twin: The hashes by which calls are found that exclude this one; `nil` for one that none excludes.
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

    /// Begins at once where the system can, which spares a change of threads.
    private func begin(_ operation: any CallOperation, as id: CallID) -> Task<ErasedResult, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { try await self.run(operation, as: id) }
        }
        return Task { try await self.run(operation, as: id) }
    }

    /// Does what the call is for, in its task; the call is over then, or goes on with its result.
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
        // The operation is no longer needed, and goes away where the lock is not held.
        let before = state.withLock { $0.table.goOn(id, as: subject) }
        guard before != nil else { throw CancellationError() }
        return operation.keep(result, CallPlace(id: id, registry: self))
    }

    /// The call is over.
    ///
    /// - Returns: Whether it was running: a call that was cancelled is not.
    @discardableResult
    fileprivate func leave(_ id: CallID) -> Bool {
        // What the call was made from may go away now, which takes locks of others.
        let entry = state.withLock { $0.remove(id) }
        return entry != nil
    }

    fileprivate func holds(_ id: CallID) -> Bool {
        state.withLock { $0.table[id] != nil }
    }
}

/// The place of one running call in its registry; the call is over when nobody has it any more.
final class CallPlace: Sendable {
    let id: CallID
    private let registry: CallRegistry

    init(id: CallID, registry: CallRegistry) {
        self.id = id
        self.registry = registry
    }

    deinit { leave() }

    /// The call is over.
    func leave() { registry.leave(id) }

    /// Whether the call was not cancelled.
    var isHeld: Bool { registry.holds(id) }
}
