public import HTTPChainCore

extension StageHarness {
    /// Sends one request through the stage while a script answers its calls of `next` by hand.
    ///
    /// ```swift
    /// let response = try await StageHarness(stage).drive(.get("https://example.com/a")) { run in
    ///     let call = try await run.nextCall()
    ///     #expect(call.request.head.headerFields[.accept] == "application/json")
    ///     call.answer(Response(.ok))
    ///     return try await run.response()
    /// }
    /// ```
    ///
    /// When the script ends, so does the call: the stage is cancelled if it is still at work, and this function
    /// returns when it has stopped. A script and a stage that would wait for each other for ever are told apart with a
    /// ``StageHarnessError``; see ``StageRun/nextCall()`` and ``StageRun/response()``. What the harness cannot know is
    /// what else a stage waits for: move the clock if it is one that stands still, and give the test a time limit.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - script: What the rest of the chain does.
    /// - Returns: What the script returns.
    /// - Throws: What the script throws.
    nonisolated(nonsending) public func drive<Value>(
        _ request: Request,
        script: nonisolated(nonsending) (StageRun) async throws -> Value
    ) async throws -> Value {
        let run = StageRun()
        let request = prepared(request)
        let task = Task { [stage] in
            do {
                run.finish(.success(try await stage.intercept(request, next: Next(to: run.transport))))
            } catch {
                run.finish(.failure(error))
            }
        }
        run.setCancel { task.cancel() }
        return try await withTaskCancellationHandler {
            do {
                let value = try await script(run)
                task.cancel()
                run.close()
                await task.value
                return value
            } catch {
                task.cancel()
                run.close()
                await task.value
                throw error
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// One request that passes through a stage that is driven by hand.
public final class StageRun: Sendable {
    struct State: Sendable {
        /// The calls that the stage made and the script has not taken.
        var waiting: [StageCall] = []
        /// The calls that the script has taken.
        var taken: [StageCall] = []
        var result: Result<Response, any Error>?
        var callCount = 0
        var isClosed = false

        /// The first taken call that has no answer and was not declared to stay without.
        var forgotten: StageCall? { taken.first { $0.isForgotten } }
    }

    let state = Watched(State())
    private let cancellation = Locked<(@Sendable () -> Void)?>(nil)

    var transport: any Transport { HandDrivenNext(run: self) }

    /// Waits for the stage to call `next`, the first or another time.
    ///
    /// The calls taken before must have been answered, or declared to wait with ``StageCall/hold()``.
    ///
    /// - Throws: ``StageHarnessError`` when the stage finishes instead, or waits for an answer to a call taken before;
    ///   `CancellationError` when the test is cancelled.
    public func nextCall() async throws -> StageCall {
        try await state.wait { state -> Result<StageCall, StageHarnessError>? in
            if let forgotten = state.forgotten { return .failure(forgotten.unanswered) }
            if !state.waiting.isEmpty {
                let call = state.waiting.removeFirst()
                state.taken.append(call)
                return .success(call)
            }
            return state.result.map { result in
                .failure(StageHarnessError(.finishedInstead(call: state.callCount + 1, result: result.summary)))
            }
        }.get()
    }

    /// Waits for the stage to finish and returns its response.
    ///
    /// - Throws: What the stage threw; ``StageHarnessError`` when the stage calls `next` again, or waits for an answer;
    ///   `CancellationError` when the test is cancelled.
    public func response() async throws -> Response {
        try await state.wait { state -> Result<Response, any Error>? in
            if let result = state.result { return result }
            if let forgotten = state.forgotten { return .failure(forgotten.unanswered) }
            return state.waiting.first { !$0.isSettled }.map { call in
                .failure(StageHarnessError(.calledAgain(call: call.number, request: call.request.summary)))
            }
        }.get()
    }

    /// The number of times that the stage has called `next` so far.
    public var callCount: Int { state.value.callCount }

    /// Cancels the task that the stage runs in, as a caller does who has lost interest.
    public func cancel() {
        cancellation.withLock { $0 }?()
    }

    func setCancel(_ cancel: @escaping @Sendable () -> Void) {
        cancellation.withLock { $0 = cancel }
    }

    /// Ends what is left of the calls when the script is over: nobody would answer them.
    func close() {
        let calls = state.update { state in
            state.isClosed = true
            return state.waiting + state.taken
        }
        for call in calls { call.fail(CancellationError()) }
    }

    func finish(_ result: Result<Response, any Error>) {
        state.update { $0.result = result }
    }
}

/// The rest of the chain as the calls that a script answers.
private struct HandDrivenNext: Transport {
    let capabilities: TransportCapabilities = [.streamsUploads, .keepsRepeatedFields]
    let run: StageRun

    func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        let seen = request
        let call = run.state.update { [run] state -> StageCall? in
            guard !state.isClosed else { return nil }
            state.callCount += 1
            // An answer changes what the run waits for, so it has to look again.
            let call = StageCall(seen, number: state.callCount) { [weak run] in run?.state.update { _ in } }
            state.waiting.append(call)
            return call
        }
        guard let call else { throw CancellationError() }
        return try await call.result()
    }
}

extension Result<Response, any Error> {
    /// The stage's acts, to complete "it …".
    var summary: String {
        switch self {
        case .success(let response): "returned \(response.status.summary)"
        case .failure(let error): "threw \(error)"
        }
    }
}
