#if Valkey
import HTTPChainCore
import NIOCore
import NIOPosix

/// A connection to a Valkey or Redis server.
///
/// It can be shared by several stores, and is re-established after it is lost.
///
/// ```swift
/// let client = ValkeyClient(ValkeySettings(host: "valkey.internal"))
/// let store = ValkeyRateLimitStore(client)
/// …
/// await client.shutdown()
/// ```
///
/// It connects on first use. All tasks share the connection, and their commands are pipelined. All of its work runs on
/// a SwiftNIO event loop, not on Swift's own threads. After a failure, the next connection attempt is delayed
/// (``ValkeySettings/reconnection``), and commands fail immediately until then.
///
/// It supports Valkey 7.2 and later, and Redis 6 and later.
public final class ValkeyClient: Sendable {
    private enum Link {
        case none
        case made(EventLoopFuture<any Channel>)
        case closed
    }

    private struct State {
        var link = Link.none
        /// The number of consecutive failures.
        var failures = 0
        var notBefore: NIODeadline?
        var pending = 0
        /// The digests of the scripts that the server has loaded.
        var digests: [String: String] = [:]
    }

    /// The settings of the client.
    package let settings: ValkeySettings
    private let loop: any EventLoop
    private let state = Locked(State())

    /// Creates a client without connecting.
    ///
    /// - Parameter settings: The address of the server, and the time limits.
    public init(_ settings: ValkeySettings = ValkeySettings()) {
        self.settings = settings
        loop = MultiThreadedEventLoopGroup.singleton.next()
    }

    deinit {
        if case .made(let channel) = state.withLock({ $0.link }) {
            channel.whenSuccess { $0.close(mode: .all, promise: nil) }
        }
    }

    /// The server's address, as in errors.
    package var server: String { "\(settings.host):\(settings.port)" }

    /// The number of pending commands.
    package var pendingCommands: Int { state.withLock { $0.pending } }

    /// Closes the connection; commands in flight and later ones fail.
    public func shutdown() async {
        let link = state.withLock { state in
            defer { state.link = .closed }
            return state.link
        }
        guard case .made(let future) = link, let channel = try? await future.get() else { return }
        try? await channel.close(mode: .all)
    }

    /// Sends a command and waits for its reply, within the time limit of the settings.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - isToEnd: Whether a cancelled task still waits for the reply.
    ///   - abandoned: A closure that receives a reply that arrives after the task was cancelled.
    /// - Throws: ``ValkeyError``, including for an error reply; `CancellationError`.
    package func send(
        _ command: ValkeyCommand,
        isToEnd: Bool = false,
        abandoned: (@Sendable (RESPValue) -> Void)? = nil
    ) async throws -> RESPValue {
        let value: RESPValue
        if isToEnd {
            value = try await start(command).get()
        } else {
            try Task.checkCancellation()
            let answer = Handover<Result<RESPValue, any Error>>()
            start(command).whenComplete { result in
                let isTaken = answer.give(result)
                if !isTaken, case .success(let value) = result { abandoned?(value) }
            }
            value = try await answer.value().get()
        }
        if case .error(let text) = value {
            throw ValkeyError(
                .server,
                server: server,
                detail: text,
                secrets: settings.password.map { [$0.revealed] } ?? []
            )
        }
        return value
    }

    /// Runs a script; it is sent to the server once, and then referred to by its digest.
    ///
    /// - Parameters:
    ///   - script: The Lua script.
    ///   - keys: The keys that the script reads and changes.
    ///   - arguments: The arguments.
    ///   - abandoned: A closure that receives a reply that arrives after the task was cancelled.
    package func run(
        _ script: String,
        keys: [String],
        arguments: [String],
        abandoned: (@Sendable (RESPValue) -> Void)? = nil
    ) async throws -> RESPValue {
        try await run(
            script,
            keys: keys.map { Array($0.utf8) },
            arguments: arguments.map { Array($0.utf8) },
            abandoned: abandoned
        )
    }

    /// Runs a script whose keys and arguments may be any bytes.
    ///
    /// - Parameters:
    ///   - script: The Lua script.
    ///   - keys: The keys that the script reads and changes.
    ///   - arguments: The arguments.
    ///   - isToEnd: Whether a cancelled task still waits for the reply.
    ///   - abandoned: A closure that receives a reply that arrives after the task was cancelled.
    package func run(
        _ script: String,
        keys: [[UInt8]],
        arguments: [[UInt8]],
        isToEnd: Bool = false,
        abandoned: (@Sendable (RESPValue) -> Void)? = nil
    ) async throws -> RESPValue {
        let rest = [Array("\(keys.count)".utf8)] + keys + arguments
        func command(_ name: String, _ what: String) -> ValkeyCommand {
            ValkeyCommand([Array(name.utf8), Array(what.utf8)] + rest)
        }
        if let digest = state.withLock({ $0.digests[script] }) {
            do {
                return try await send(command("EVALSHA", digest), isToEnd: isToEnd, abandoned: abandoned)
            } catch let error as ValkeyError where error.kind == .server && error.detail.begins(with: "NOSCRIPT") {
                // The server was restarted, or its scripts were flushed, so the script didn't run.
                state.withLock { $0.digests[script] = nil }
            }
        }
        let value = try await send(command("EVAL", script), isToEnd: isToEnd, abandoned: abandoned)
        if state.withLock({ $0.digests[script] }) == nil,
            let digest = try? await send(ValkeyCommand(["SCRIPT", "LOAD", script])).string
        {
            state.withLock { $0.digests[script] = digest }
        }
        return value
    }

    /// Runs a script without waiting for its reply.
    ///
    /// - Parameter mayBeLost: Whether the script is referred to by its digest after the first time. If the server's
    ///   scripts are flushed, running the script then does nothing until it has been loaded again.
    package func post(_ script: String, keys: [String], arguments: [String], mayBeLost: Bool = false) {
        let rest = ["\(keys.count)"] + keys + arguments
        guard mayBeLost, let digest = state.withLock({ $0.digests[script] }) else {
            _ = start(ValkeyCommand(["EVAL", script] + rest))
            guard mayBeLost else { return }
            return start(ValkeyCommand(["SCRIPT", "LOAD", script])).whenSuccess { [state] answer in
                guard let digest = answer.string else { return }
                state.withLock { $0.digests[script] = digest }
            }
        }
        start(ValkeyCommand(["EVALSHA", digest] + rest)).whenSuccess { [state] answer in
            guard case .error(let text) = answer, text.begins(with: "NOSCRIPT") else { return }
            state.withLock { $0.digests[script] = nil }
        }
    }

    private func start(_ command: ValkeyCommand) -> EventLoopFuture<RESPValue> {
        let isRoom = state.withLock { state in
            guard state.pending < max(1, settings.maximumPending) else { return false }
            state.pending += 1
            return true
        }
        guard isRoom else { return loop.makeFailedFuture(ValkeyError(.busy, server: server)) }
        let server = server
        let pending = PendingCommand(command, within: settings.commandTimeout, on: loop, server)
        // Captures only the state, so that a late reply doesn't keep the client alive.
        pending.future.whenComplete { [state] _ in state.withLock { $0.pending -= 1 } }
        channel().whenComplete { result in
            switch result {
            case .success(let channel): ValkeyConnector.send(pending, over: channel, server)
            case .failure(let error): pending.answer(.failure(error))
            }
        }
        return pending.future
    }

    /// Returns the connection; if there is none and the delay has passed, connects first.
    private func channel() -> EventLoopFuture<any Channel> {
        let promise = self.loop.makePromise(of: (any Channel).self)
        let found = state.withLock { state -> EventLoopFuture<any Channel>? in
            switch state.link {
            case .made(let channel): return channel
            case .closed: return self.loop.makeFailedFuture(ValkeyError(.closed, server: server))
            case .none:
                if let notBefore = state.notBefore, NIODeadline.now() < notBefore {
                    let error = ValkeyError(.unavailable, server: server, detail: "waiting before the next attempt")
                    return self.loop.makeFailedFuture(error)
                }
                state.link = .made(promise.futureResult)
                return nil
            }
        }
        if let found {
            promise.fail(ValkeyError(.closed, server: server))
            return found
        }
        let (settings, state) = (settings, state)
        let loop = loop
        // Everything runs on the event loop, because trust roots are read from a file.
        loop.flatSubmit { ValkeyConnector.connect(settings, on: loop) }.whenComplete { result in
            switch result {
            case .success(let channel):
                let isWanted = state.withLock { state in
                    state.failures = 0
                    state.notBefore = nil
                    if case .closed = state.link { return false }
                    return true
                }
                channel.closeFuture.whenComplete { _ in Self.lost(state, settings) }
                if !isWanted { channel.close(mode: .all, promise: nil) }
            case .failure: Self.lost(state, settings)
            }
            promise.completeWith(result)
        }
        return promise.futureResult
    }

    /// Records that a connection ended or failed.
    ///
    /// This delays the next one, by a time that grows with consecutive failures.
    private static func lost(_ state: Locked<State>, _ settings: ValkeySettings) {
        state.withLock { state in
            guard case .made = state.link else { return }
            state.link = .none
            // Another server doesn't have these scripts, nor does the same one after a restart.
            state.digests = [:]
            state.failures += 1
            let wait = Backoff(base: settings.reconnection.lowerBound, cap: settings.reconnection.upperBound)
                .wait(beforeRetry: state.failures, times: 0.5...1, random: SystemRandom())
            state.notBefore = .now() + wait.timeAmount
        }
    }
}
#endif
