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
    private struct Entry: Sendable {
        let info: CallInfo
        var task: Task<ErasedResult, any Error>?
    }

    private struct State: Sendable {
        var lastNumber: UInt64 = 0
        var entries: [UInt64: Entry] = [:]
        var isClosed = false
        /// The index in which duplicates are found; `nil` until a call first excludes them, so that others do not pay
        /// for it.
        var index: CallIndex?

        mutating func remove(_ id: CallID) -> Entry? {
            index?.remove(id.number)
            return entries.removeValue(forKey: id.number)
        }

        /// The first of the running calls that are the same as one with a value and perhaps a key.
        mutating func twin(
            of value: (any Sendable)?,
            _ key: (any Hashable & Sendable)?,
            _ hashes: CallIndex.Hashes
        ) -> CallInfo? {
            if index == nil {
                var index = CallIndex()
                for (number, entry) in entries {
                    index.insert(number, CallIndex.Hashes(key: entry.info.key, value: entry.info.value))
                }
                self.index = index
            }
            for number in index?.candidates(for: hashes) ?? [] {
                if let info = entries[number]?.info, info.isTwin(of: value, key) { return info }
            }
            return nil
        }
    }

    private let state = Locked(State())

    /// Makes an empty registry.
    public init() {}

    /// The number of calls that are running.
    public var count: Int { state.withLock { $0.entries.count } }

    /// The calls that are running, in the order they began.
    public var calls: [CallInfo] {
        state.withLock { $0.entries.values.map(\.info) }.sorted { $0.id.number < $1.id.number }
    }

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
            let entries = Array(state.entries.values)
            state.entries = [:]
            state.index = nil
            return entries
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
    /// - Throws: ``DuplicateCallError`` before the operation begins; `CancellationError` when the call was cancelled in
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
        return ResultBox.value(in: try await perform(operation))
    }

    /// Performs an operation as a call of this registry; what it gives is the operation's own result.
    func perform(_ operation: any CallOperation) async throws -> ErasedResult {
        let id = try enter(operation.value, operation.registration)
        let task = Self.begin(operation, as: id)
        attach(task, to: id)
        let result: ErasedResult
        do {
            result = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            guard leave(id) else { throw CancellationError() }
            throw error
        }
        guard operation.keepsPlace else {
            guard leave(id) else { throw CancellationError() }
            return result
        }
        let place = CallPlace(id: id, registry: self)
        guard place.isHeld else { throw CancellationError() }
        return operation.keep(result, place)
    }

    private var infos: [CallInfo] { state.withLock { $0.entries.values.map(\.info) } }

    private func enter(_ value: (any Sendable)?, _ registration: CallRegistration) throws -> CallID {
        let key = registration.key
        let hashes = registration.excludesDuplicates ? CallIndex.Hashes(key: key, value: value) : nil
        return try state.withLock { state in
            guard !state.isClosed else { throw CancellationError() }
            if let hashes, let running = state.twin(of: value, key, hashes) {
                throw DuplicateCallError(running: running.id, isByKey: key != nil)
            }
            state.lastNumber += 1
            let info = CallInfo(
                id: CallID(number: state.lastNumber),
                value: value,
                key: registration.key,
                tags: registration.tags
            )
            state.entries[info.id.number] = Entry(info: info)
            state.index?.insert(info.id.number, hashes ?? CallIndex.Hashes(key: key, value: value))
            return info.id
        }
    }

    private func attach(_ task: Task<ErasedResult, any Error>, to id: CallID) {
        let isRunning = state.withLock { state in
            guard let index = state.entries.index(forKey: id.number) else { return false }
            state.entries.values[index].task = task
            return true
        }
        if !isRunning { task.cancel() }
    }

    /// The call is over.
    ///
    /// - Returns: Whether it was running: a call that was cancelled is not.
    @discardableResult
    fileprivate func leave(_ id: CallID) -> Bool {
        state.withLock { $0.remove(id) != nil }
    }

    fileprivate func holds(_ id: CallID) -> Bool {
        state.withLock { $0.entries[id.number] != nil }
    }

    /// Begins at once where the system can, which spares a change of threads.
    private static func begin(_ operation: any CallOperation, as id: CallID) -> Task<ErasedResult, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { try await operation.perform(as: id) }
        }
        return Task { try await operation.perform(as: id) }
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
