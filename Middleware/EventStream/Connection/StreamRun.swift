import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The state shared by all connections of a stream.
final class StreamRun: Sendable {
    let request: Request
    let options: EventStreamOptions
    let control: StreamControl
    let policy: ReconnectionPolicy
    private let transport: any Transport

    init(_ request: Request, over transport: any Transport, _ options: EventStreamOptions) {
        var request = request
        // All connections belong to one call of the application, and so to one user.
        request.bindToOneUser()
        self.request = request
        self.transport = transport
        self.options = options
        policy = options.policy(for: request)
        control = StreamControl(lastEventID: options.lastEventID ?? request.head.headerFields[.lastEventID])
    }

    var time: any TimeSource { request.environment.time }

    /// The outcome of an operation that can be interrupted.
    enum Outcome<Value: Sendable>: Sendable {
        case value(Value)
        case failure(any Error)
        /// The operation took longer than the limit.
        case late(Duration)
        /// An interruption is pending in the control.
        case interrupted
    }

    /// Opens the stream.
    func open(at position: EventStreamPosition, limit: Duration?) async throws -> Outcome<Response> {
        let request = request(at: position)
        return try await run(limit: limit) { [transport] in try await transport.send(request) }
    }

    private func request(at position: EventStreamPosition) -> Request {
        var request = request
        request.options[LongLivedResponseNote.self] = true
        var fields = request.head.headerFields
        if fields[.accept] == nil { fields[.accept] = options.format.mediaTypes.joined(separator: ", ") }
        // Added as browsers do, so that no cache responds.
        if fields[.cacheControl] == nil { fields[.cacheControl] = "no-cache" }
        // HTML standard §9.2.3: the last event ID is sent as UTF-8 unless it is the empty string. A field can't contain
        // control characters, and a modified ID would identify another event.
        fields[.lastEventID] = position.lastEventID.flatMap { $0.utf8.contains(where: ASCII.isFieldControl) ? nil : $0 }
        request.head.headerFields = fields
        options.prepare?(&request, position)
        return request
    }

    /// Runs a cancellable operation, and cancels it if it takes too long or if the stream is closed, paused or
    /// restarted.
    ///
    /// - Throws: `CancellationError` if this task was cancelled.
    func run<Value: Sendable>(
        limit: Duration?,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Outcome<Value> {
        try Task.checkCancellation()
        let watch = ReadWatch()
        // The alarm is set before the operation begins, because on a virtual clock the operation may advance the time
        // itself.
        let alarm = limit.map { limit in
            time.alarm(at: time.elapsed + limit, for: "a stream of events that is silent") { watch.expire() }
        }
        defer { alarm?.cancel() }
        guard control.begin({ watch.cancel() }) else { return .interrupted }
        defer { control.end() }
        let task = Task { try await work() }
        watch.start(task)
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        try Task.checkCancellation()
        if control.interruption != nil { return .interrupted }
        if watch.hasExpired, let limit { return .late(limit) }
        switch result {
        case .success(let value): return .value(value)
        case .failure(let error): return .failure(error)
        }
    }
}

/// Cancels a task that may not have begun yet.
private final class ReadWatch: Sendable {
    private struct State: Sendable {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
        var hasExpired = false
    }
    private let state = Locked(State())

    var hasExpired: Bool { state.withLock { $0.hasExpired } }

    func start<Value: Sendable>(_ task: Task<Value, any Error>) {
        let isCancelled = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func expire() {
        state.withLock { $0.hasExpired = true }
        cancel()
    }

    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }
}
