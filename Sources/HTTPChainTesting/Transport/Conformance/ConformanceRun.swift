import HTTPChainCore

/// A running check; it creates the transport and its peer, and describes failures.
struct ConformanceRun: Sendable {
    let suite: TransportConformance
    let check: TransportConformance.Check

    /// Whether the transport uses a network.
    var hasNetwork: Bool {
        if case .loopback = suite.wiring { true } else { false }
    }

    // MARK: Peers

    /// Runs `body` with a transport and a URL at which `handler` responds; the transport may have a network or not.
    func withPeer<Value: Sendable>(
        _ handler: @escaping TransportConformance.Handler,
        _ body: (any Transport, String) async throws -> Value
    ) async throws -> Value {
        switch suite.wiring {
        case .loopback:
            return try await withServer(answering(handler)) { try await body($0, $1.origin) }
        case .inMemory(let make):
            let transport = try await make(handler)
            return try await body(transport, "http://conformance.invalid")
        }
    }

    /// Runs `body` with a transport and a server that follows `script`.
    func withServer<Value: Sendable>(
        bufferSize: Int32? = nil,
        make: (@Sendable () async throws -> any Transport)? = nil,
        _ script: @escaping LoopbackServer.Script,
        _ body: (any Transport, LoopbackServer) async throws -> Value
    ) async throws -> Value {
        guard case .loopback(let usual) = suite.wiring else {
            throw failure(expected: "a transport with a network", seen: "one without")
        }
        let server = try await LoopbackServer.start(bufferSize: bufferSize, script: script)
        let transport = try await (make ?? usual)()
        let result = await Result.of { try await body(transport, server) }
        await server.stop()
        let end = await Result.of { try await suite.shutDown(transport) }
        let value = try result.get()
        try end.get()
        if let error = server.failures.first {
            throw failure(expected: "well-formed HTTP/1.1 at the server", seen: "\(error)")
        }
        return value
    }

    // MARK: Verdicts

    func failure(expected: String, seen: String, _ error: (any Error)? = nil) -> ConformanceFailure {
        ConformanceFailure(check: check, expected: expected, seen: seen, underlyingError: error)
    }

    func expect(_ condition: Bool, _ expected: String, seen: @autoclosure () -> String) throws {
        guard condition else { throw failure(expected: expected, seen: seen()) }
    }

    func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
        guard value == expected else {
            throw failure(expected: "\(what): \(expected)", seen: "\(what): \(value)")
        }
    }

    /// Returns the error, of the given type, that `operation` must throw.
    func expectError<Expected: Error, Result>(
        _ type: Expected.Type,
        _ when: String,
        _ operation: () async throws -> Result
    ) async throws -> Expected {
        do {
            let result = try await operation()
            throw failure(expected: "\(Expected.self) \(when)", seen: "success: \(result)")
        } catch let error as Expected {
            return error
        } catch let error as ConformanceFailure {
            throw error
        } catch {
            throw failure(expected: "\(Expected.self) \(when)", seen: "another error", error)
        }
    }

    // MARK: Time

    /// Runs `operation`, and fails if it takes longer than `limit`, even if it ignores cancellation.
    func within<Value: Sendable>(
        _ limit: Duration,
        _ expected: String,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let hanging = failure(expected: "\(expected) within \(limit)", seen: "nothing: it hangs")
        let outcome = Watched<Result<Value, any Error>?>(nil)
        let work = Task {
            let result = await Result.of(operation)
            outcome.update { $0 = $0 ?? result }
        }
        let watch = Task {
            try await Patience(lasting: limit).runOut()
            outcome.update { $0 = $0 ?? .failure(hanging) }
            work.cancel()
        }
        defer { watch.cancel() }
        return try await withTaskCancellationHandler {
            try await outcome.waitUninterrupted { $0 }.get()
        } onCancel: {
            work.cancel()
        }
    }

    /// Returns once `value` has not changed for a while, or `isOver` holds.
    ///
    /// That something doesn't change can only be observed by waiting. On a slow machine this may miss faults, but never
    /// reports false ones.
    func untilQuiet(_ value: () -> Int64, isOver: () -> Bool) async throws {
        var last = value()
        var quiet = 0
        while quiet < 5, !isOver() {
            try await Task.sleep(for: .milliseconds(60), clock: .continuous)
            let now = value()
            quiet = now == last ? quiet + 1 : 0
            last = now
        }
    }
}
