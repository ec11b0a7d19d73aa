import HTTPChainCore

/// A call of a stage under test.
///
/// It runs in a separate task, so that a stage that hangs is reported instead of hanging the test.
struct ConformanceCall: Sendable {
    private let outcome = Watched<Result<Response, any Error>?>(nil)
    private let task: Task<Void, Never>
    private let next: ConformanceNext
    private let suite: StageConformance
    private let check: StageConformance.Check
    private let stageName: String

    /// Starts the call.
    init(
        _ request: sending Request,
        through stage: any Middleware,
        next: ConformanceNext,
        check: StageConformance.Check,
        suite: StageConformance
    ) {
        self.next = next
        self.suite = suite
        self.check = check
        stageName = stage.summary.name
        // Passed in a box, so that the task's closure doesn't retain the request.
        let box = Locked<Request?>(request)
        task = Task { [outcome] in
            guard let request = box.withLock({ $0.take() }) else { return }
            let result = await Result.of { try await stage.intercept(request, next: Next(to: next)) }
            outcome.update { $0 = result }
        }
    }

    func cancel() {
        task.cancel()
    }

    /// Returns the result of the stage.
    ///
    /// - Throws: An error if the stage doesn't end, or keeps calling `next`.
    func result(_ waitingFor: String = "the call to end") async throws -> Result<Response, any Error> {
        let finished = try await patiently(waitingFor) { [outcome] in
            // The result is removed from the outcome, so that nothing here retains the response.
            try await outcome.wait { outcome in outcome.take() }
        }
        // Waits until the task has released its captures, too.
        await task.value
        if next.state.value.callCount > ConformanceNext.callLimit {
            throw failure("next was called more than \(ConformanceNext.callLimit) times in one call")
        }
        return finished
    }

    /// Waits until the call is suspended in `next`.
    ///
    /// - Returns: `true` if it is; `false` if the stage has ended without that.
    func untilSuspended() async throws -> Bool {
        try await patiently("next to be called") { [outcome, next] in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await next.state.wait { $0.suspendedCount > 0 ? true : nil }
                }
                group.addTask {
                    try await outcome.wait { $0 == nil ? nil : false }
                }
                let first = try await group.next()
                group.cancelAll()
                return first ?? false
            }
        }
    }

    func failure(_ detail: String) -> StageConformanceFailure {
        StageConformanceFailure(check: check, stage: stageName, detail: detail)
    }

    private func patiently<Value: Sendable>(
        _ waitingFor: String,
        _ event: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let value = try await suite.patience.wait(for: event) { return value }
        task.cancel()
        next.close()
        throw failure("waiting for \(waitingFor) took longer than \(suite.patience.length)")
    }
}
