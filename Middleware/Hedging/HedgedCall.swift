import HTTPChainCore
import HTTPTypes

/// One call and its attempts.
///
/// The attempts, and the wait for the next of them, are children of one task group: nothing outlives the call. What a
/// child returns is a response whose body nobody has begun to read, so that the end of the group does not touch it.
struct HedgedCall: Sendable {
    private enum Event: Sendable {
        case ended(Int, Result<Response, any Error>, latency: Duration)
        /// A wait for the next attempt is over.
        case woken
    }

    private let request: Request
    private let next: Next
    private let policy: HedgingPolicy
    private let budget: RetryBudget?
    private let latencies: Latencies
    private let time: any TimeSource

    init(
        _ request: Request,
        next: Next,
        policy: HedgingPolicy,
        budget: RetryBudget?,
        latencies: Latencies
    ) {
        self.request = request
        self.next = next
        self.policy = policy
        self.budget = budget
        self.latencies = latencies
        time = request.environment.time
    }

    func run(_ initial: HedgeRules) async throws -> Response {
        try await withThrowingTaskGroup(of: Event.self) { group in
            var rules = initial
            var results: [Int: Result<Response, any Error>] = [:]
            var begun = 0
            var wakesAt: Duration?
            while true {
                let now = time.elapsed
                switch rules.step(at: now) {
                case .finish(let index):
                    // The others are cancelled here and awaited at the end of the group; their responses are dropped
                    // with the events that nobody takes.
                    group.cancelAll()
                    guard let result = results.removeValue(forKey: index) else { throw CancellationError() }
                    results.removeAll()
                    return try finish(result, attempts: begun)
                case .attempt:
                    guard begun == 0 || budget?.take(at: now) ?? true else {
                        rules.stop()
                        continue
                    }
                    let index = rules.begin(at: now)
                    begun += 1
                    group.addTask { await attempt(index) }
                case .wait(let until):
                    if let until, wakesAt.map({ until < $0 }) ?? true {
                        wakesAt = until
                        group.addTask {
                            try? await time.sleep(for: until - now)
                            return .woken
                        }
                    }
                    guard let event = try await group.next() else { throw CancellationError() }
                    guard !Task.isCancelled else { throw CancellationError() }
                    switch event {
                    case .woken: wakesAt = nil
                    case .ended(let index, let result, let latency):
                        let outcome = judge(result)
                        if case .success = result, case .final = outcome { latencies.record(latency) }
                        rules.end(index, outcome, at: time.elapsed)
                        results[index] = result
                        // Of several failures the last one is the result: those before are dropped now.
                        if case .nonFatal = outcome { results = results.filter { $0.key == index } }
                    }
                }
            }
        }
    }

    private func attempt(_ index: Int) async -> Event {
        var request = request
        if index > 0 {
            request.attempt += index
            move(&request, index)
        }
        let started = time.elapsed
        do {
            let response = try await next(request)
            return .ended(index, .success(response), latency: time.elapsed - started)
        } catch {
            return .ended(index, .failure(error), latency: time.elapsed - started)
        }
    }

    /// Sends an attempt to another origin, without what is bound to the first.
    private func move(_ request: inout Request, _ index: Int) {
        guard !policy.origins.isEmpty, let origin = Origin(policy.origins[(index - 1) % policy.origins.count]),
            origin != request.origin
        else { return }
        request.removeFields(boundToOthersThan: origin)
        request.options.removeCredentials()
        request.head.headerFields[.authorization] = nil
        request.head.headerFields[.cookie] = nil
        request.head.scheme = origin.scheme
        request.head.authority = String(origin.description.dropFirst(origin.scheme.count + 3))
    }

    private func judge(_ result: Result<Response, any Error>) -> HedgeRules.Outcome {
        switch result {
        case .success(let response):
            guard policy.nonFatalStatuses.contains(response.status.code) || response.status.code == 429 else {
                return .final
            }
            return .nonFatal(pushback: RetryAfter.wait(in: response.headers, now: time.date))
        case .failure(let error as TransportError):
            return policy.nonFatalErrors.contains(error.kind) ? .nonFatal(pushback: nil) : .final
        case .failure(let error as any TimeoutFailure):
            return error.scope == .call ? .final : .nonFatal(pushback: nil)
        // Nothing was sent: the next attempt would be refused as well, and what is in flight may still be answered.
        case .failure(let error as any RefusalError):
            return .nonFatal(pushback: max(.microseconds(1), error.retryAfter ?? .seconds(1)))
        case .failure: return .final
        }
    }

    private func finish(_ result: Result<Response, any Error>, attempts: Int) throws -> Response {
        var response = try result.get()
        if attempts > 1 { response.attempts += attempts - 1 }
        return response
    }
}
