public import HTTPChainCore

extension StageHarness {
    /// Sends one request through the stage while a script answers its calls to `next` by hand.
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
    /// The call ends with the script: if the stage is still running, it is cancelled, and this function returns when it
    /// has stopped. If the script and the stage would wait for each other forever, an error is thrown; see
    /// ``StageRun/nextCall()`` and ``StageRun/response()``. The harness can't detect other waits of a stage, so advance
    /// the clock if it isn't automatic, and give the test a time limit.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - script: A closure that plays the rest of the chain.
    /// - Returns: The result of the script.
    /// - Throws: The error of the script.
    nonisolated(nonsending) public func drive<Value>(
        _ request: Request,
        script: nonisolated(nonsending) (StageRun) async throws -> Value
    ) async throws -> Value {
        let run = StageRun()
        let request = prepared(request)
        let task = Task { [stage] in
            let result = await Result.of { try await stage.intercept(request, next: Next(to: run.transport)) }
            run.state.update { $0.result = result }
        }
        run.setCancel { task.cancel() }
        return try await withTaskCancellationHandler {
            let result = await Result.of { try await script(run) }
            task.cancel()
            run.close()
            await task.value
            return try result.get()
        } onCancel: {
            task.cancel()
        }
    }
}

/// A request passing through a stage that is driven by hand.
public final class StageRun: Sendable {
    struct State: Sendable {
        /// The calls of the stage that the script has not taken yet.
        var waiting: [StageCall] = []
        /// The calls that the script has taken.
        var taken: [StageCall] = []
        var result: Result<Response, any Error>?
        var callCount = 0
        var isClosed = false

        /// The first call that the script took, but neither answered nor marked as deliberately unanswered.
        var forgotten: StageCall? { taken.first { $0.isForgotten } }
    }

    let state = Watched(State())
    private let cancellation = Locked<(@Sendable () -> Void)?>(nil)

    var transport: any Transport { HandDrivenNext(run: self) }

    /// Waits for the stage's next call of `next`.
    ///
    /// Calls taken earlier must have been answered, or marked with ``StageCall/hold()``.
    ///
    /// - Throws: An error if the stage finishes instead, or is waiting for an answer to an earlier call;
    ///   `CancellationError` if the test is cancelled.
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
    /// - Throws: The error of the stage; another error if the stage calls `next` again, or is waiting for an
    ///   answer; `CancellationError` if the test is cancelled.
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
    package var callCount: Int { state.value.callCount }

    /// Cancels the stage's task, as a caller does that no longer needs the response.
    public func cancel() {
        cancellation.withLock { $0 }?()
    }

    func setCancel(_ cancel: @escaping @Sendable () -> Void) {
        cancellation.withLock { $0 = cancel }
    }

    /// Ends the remaining calls when the script has ended, because nothing would answer them.
    func close() {
        let calls = state.update { state in
            state.isClosed = true
            return state.waiting + state.taken
        }
        for call in calls { call.fail(CancellationError()) }
    }
}

/// The rest of the chain, whose calls are answered by a script.
private struct HandDrivenNext: Transport {
    let capabilities: TransportCapabilities = [.streamsUploads, .keepsRepeatedFields]
    let run: StageRun

    func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        let seen = request
        let call = run.state.update { [run] state -> StageCall? in
            guard !state.isClosed else { return nil }
            state.callCount += 1
            // An answer changes the conditions that the run waits for, so they are evaluated again.
            let call = StageCall(seen, number: state.callCount) { [weak run] in run?.state.update { _ in } }
            state.waiting.append(call)
            return call
        }
        guard let call else { throw CancellationError() }
        return try await call.result()
    }
}

extension Result<Response, any Error> {
    /// The stage's result as a phrase that can follow "it".
    var summary: String {
        switch self {
        case .success(let response): "returned \(response.status.label)"
        case .failure(let error): "threw \(error)"
        }
    }
}
