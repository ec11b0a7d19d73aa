import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A call and its attempts.
///
/// The attempts and the wait for the next one are child tasks of one group, so none of them outlives the call. A child
/// task returns a response whose body hasn't been read, so the body can be read after the group has ended.
struct HedgedCall: Sendable {
    private enum Event: Sendable {
        case ended(Int, Result<Response, any Error>, latency: Duration)
        /// The wait for the next attempt has ended.
        case woken
    }

    /// The state of the call.
    private struct Progress: Sendable {
        var rules: HedgeRules
        /// Shared by all copies of the state, so that no copy retains a response that was dropped.
        private let results = Locked<[Int: Result<Response, any Error>]>([:])
        /// The number of attempts that certainly didn't reach the server.
        private var unsent = 0
        /// Whether a response has set cookies, which the request doesn't have.
        var hasOldCookies = false

        init(rules: HedgeRules) { self.rules = rules }

        mutating func begin(at now: Duration) -> Int {
            // An earlier failure is no longer the result, and keeping its response would occupy a place under a limit.
            results.withLock { $0.removeAll() }
            return rules.begin(at: now)
        }

        consuming func result(of index: Int) throws -> Response {
            let result = results.withLock { $0.removeValue(forKey: index) }
            if case .failure(let error) = result { throw unsent < rules.begun ? error.afterSending : error }
            guard var response = try result?.get() else { throw CancellationError() }
            if rules.begun > 1 { response.attempts += rules.begun - 1 }
            return response
        }

        /// Keeps the result of an attempt if it may become that of the call.
        ///
        /// Only the last failure is kept. If another attempt is in flight, no failure is kept, because that attempt may
        /// be waiting for the failed response's place under a limit.
        mutating func keep(_ result: Result<Response, any Error>, of index: Int, isFailure: Bool) {
            if case .failure(let error) = result, error.isBeforeSending { unsent += 1 }
            results.withLock { results in
                if isFailure {
                    results.removeAll()
                    if rules.hasAttemptInFlight { return }
                }
                results[index] = result
            }
        }
    }

    let time: any TimeSource
    let request: Request
    let next: Next
    let policy: HedgingPolicy
    let budget: RetryBudget?
    let latencies: Latencies

    /// Makes the attempts, and returns the result.
    func run(_ rules: HedgeRules) async throws -> Response {
        var progress = Progress(rules: rules)
        guard rules.needsFailure else { return try await race(progress) }
        // The first attempt runs outside a group, because another one is made only if it fails.
        let end = try await makeFirst(&progress)
        if case .finish(let index) = progress.rules.step(at: end) { return try progress.result(of: index) }
        return try await race(progress)
    }

    /// Makes the first attempt, and stores its result in `progress`.
    ///
    /// - Returns: The time at which it ended.
    private func makeFirst(_ progress: inout Progress) async throws -> Duration {
        let event = await attempt(progress.begin(at: time.elapsed), hasOldCookies: false)
        guard !Task.isCancelled else { throw CancellationError() }
        let end = time.elapsed
        take(event, into: &progress, at: end)
        return end
    }

    private func race(_ initial: Progress) async throws -> Response {
        try await withThrowingTaskGroup(of: Event.self) { group in
            var progress = initial
            var wakesAt: Duration?
            while true {
                let now = time.elapsed
                switch progress.rules.step(at: now) {
                case .finish(let index):
                    // The other attempts are cancelled here, and awaited at the end of the group. Their events, and so
                    // their responses, are dropped.
                    group.cancelAll()
                    return try progress.result(of: index)
                case .attempt:
                    guard progress.rules.begun == 0 || budget?.take(at: now) ?? true else {
                        progress.rules.stop()
                        continue
                    }
                    let index = progress.begin(at: now)
                    group.addTask { [hasOldCookies = progress.hasOldCookies] in
                        await attempt(index, hasOldCookies: hasOldCookies)
                    }
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
                    if case .woken = event { wakesAt = nil } else { take(event, into: &progress, at: time.elapsed) }
                }
            }
        }
    }

    /// Records the result of an attempt.
    private func take(_ event: Event, into progress: inout Progress, at now: Duration) {
        guard case .ended(let index, let result, let latency) = event else { return }
        let outcome = judge(result)
        if case .success(let response) = result, response.headers.contains(.setCookie) { progress.hasOldCookies = true }
        if case .success = result, case .final = outcome { latencies.record(latency) }
        progress.rules.end(index, outcome, at: now)
        let isFailure = if case .nonFatal = outcome { true } else { false }
        progress.keep(result, of: index, isFailure: isFailure)
    }

    /// - Parameter hasOldCookies: Whether an earlier attempt's response has set cookies.
    private func attempt(_ index: Int, hasOldCookies: Bool) async -> Event {
        var request = request
        if index > 0 {
            if Task.isCancelled {
                budget?.giveBack()
                return .ended(index, .failure(CancellationError()), latency: .zero)
            }
            request.attempt += index
            if hasOldCookies { await request.renewCookies() }
            move(&request, index)
        }
        let started = time.elapsed
        do {
            let response = try await next(request)
            let latency = time.elapsed - started
            // If this failure becomes the result, the cookie stage stores its cookies again, which makes no difference.
            if isNonFatal(response) || Task.isCancelled { await request.keepCookies(of: response) }
            return .ended(index, .success(response), latency: latency)
        } catch {
            // Nothing was sent, so the attempt added no load.
            if index > 0, error is any RefusalError || error is UserChangedError { budget?.giveBack() }
            return .ended(index, .failure(error), latency: time.elapsed - started)
        }
    }

    /// Changes the origin of an attempt, and removes fields that are bound to the first origin.
    private func move(_ request: inout Request, _ index: Int) {
        guard !policy.origins.isEmpty,
            let origin = HedgingPolicy.origin(policy.origins[(index - 1) % policy.origins.count]),
            origin != request.origin
        else { return }
        request.removeCredentials(goingTo: origin, redaction: request.redaction)
        request.head.scheme = origin.scheme
        request.head.authority = origin.authority
    }

    private func isNonFatal(_ response: borrowing Response) -> Bool {
        policy.nonFatalStatuses.contains(response.status.code) || response.status.code == 429
    }

    private func judge(_ result: Result<Response, any Error>) -> HedgeRules.Outcome {
        switch result {
        case .success(let response):
            guard isNonFatal(response) else { return .final }
            return .nonFatal(pushback: RetryAfter.wait(in: response.headers, now: time.date))
        case .failure(let error as TransportError):
            return policy.nonFatalErrors.contains(error.kind) ? .nonFatal(pushback: nil) : .final
        case .failure(let error as any TimeoutFailure):
            return error.scope == .call ? .final : .nonFatal(pushback: nil)
        // Nothing was sent. Another attempt would also be refused, but those in flight may still get a response.
        case .failure(let error as any RefusalError):
            return .nonFatal(pushback: max(.microseconds(1), error.retryAfter ?? .seconds(1)))
        case .failure(let error as UserChangedError) where error.isBeforeSending:
            return .nonFatal(pushback: .seconds(1))
        case .failure: return .final
        }
    }
}
