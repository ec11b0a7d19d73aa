import Foundation
import HTTPChainCore
import HTTPTypes

/// The state of a call after its first attempt.
///
/// It isn't needed if that attempt simply succeeded.
struct RetryRun: Sendable {
    private var request: Request
    private let next: Next
    private let settings: RetrySettings
    private var started: Duration?

    private var history = RetryHistory()
    /// The number of attempts, including those of inner stages.
    private var attempts = 0
    /// The number of attempts that count against the policy, reset when a download makes progress.
    private var counted = 0
    /// The position from which a download is resumed.
    private var offset: Int64?
    /// Whether an attempt may have reached the server.
    private var hasSent = false
    /// Whether the first response of a download sets cookies.
    ///
    /// The cookie stage stores them once the response is returned.
    private var hasOldCookies = false

    init(_ request: Request, next: Next, settings: RetrySettings, started: Duration?) {
        self.request = request
        self.next = next
        self.settings = settings
        self.started = started
    }

    /// Starts with the outcome of the first attempt, and continues until there is a result.
    consuming func finish(_ first: consuming Result<Response, any Error>) async throws -> Response {
        var result = consume first
        while case .retry(let wait) = try judge(result) {
            let rest = unread(result)
            if case .success(let response) = result { await request.renewCookies(after: response) }
            // The outcome is released before the wait, which cancels a transfer that isn't worth reading.
            result = .failure(CancellationError())
            try await pause(for: wait, draining: rest)
            result = await send()
        }
        switch result {
        case .success(let response):
            let position = DownloadPosition(response, to: request, settings)
            let response = annotated(response)
            guard let position else { return response }
            return resuming(response, from: position)
        case .failure(let error): throw annotated(error)
        }
    }

    /// Records the outcome of an attempt, and decides what to do.
    ///
    /// - Throws: `CancellationError` if cancellation ended the attempt.
    mutating func judge(_ result: Result<Response, any Error>) throws -> RetryDecision {
        let environment = request.environment
        if case .failure(let error) = result, error is CancellationError || Task.isCancelled {
            throw CancellationError()
        }
        let outcome = result.map(\.head)
        count(try? result.get())
        var decision = settings.policy.decide(
            CompletedAttempt(request: request.head, attempt: number, result: outcome),
            RetryCircumstances(
                attempts: counted,
                isReplayable: request.body.isReplayable,
                elapsed: started.map { environment.time.elapsed - $0 } ?? .zero,
                remaining: request.remainingTime,
                date: environment.time.date
            ),
            random: environment.random
        )
        if case .retry = decision, let budget = settings.budget, !budget.take(at: environment.time.elapsed) {
            decision = .stop(.budgetSpent)
        }
        if offset != nil, case .success(let head) = outcome, decision == .stop(.notNeeded) {
            decision = .stop(.cannotResume("the server answers \(head.status.code)"))
        }
        switch decision {
        case .retry(let wait): record(outcome, wait: wait, stop: nil)
        case .stop(let stop): record(outcome, wait: nil, stop: stop)
        }
        return decision
    }

    /// Records an attempt to resume a download that needs no decision, because the server sent the rest or something
    /// else.
    mutating func settle(_ response: Response, _ stop: RetryStop) {
        count(response)
        record(.success(response.head), wait: nil, stop: stop)
    }

    private mutating func count(_ response: Response?) {
        attempts += response?.attempts ?? 1
        counted += 1
    }

    private mutating func record(_ outcome: Result<HTTPResponse, any Error>, wait: Duration?, stop: RetryStop?) {
        let isUnsent = if case .failure(let error) = outcome { error.isBeforeSending } else { false }
        if !isUnsent { hasSent = true }
        let attempt = RetryHistory.Attempt(number: number, offset: offset, outcome: outcome.map(\.status), wait: wait)
        history.append(attempt)
        if let stop { history.stop = stop }
        settings.observer?(
            RetryEvent(
                exchange: ExchangeSnapshot(request.head, response: try? outcome.get(), redaction: request.redaction),
                attempt: attempt,
                stop: stop
            )
        )
    }

    /// The number of the last attempt.
    private var number: Int { request.attempt + max(0, attempts - 1) }

    /// Returns the body of an unwanted response if draining it may keep the connection.
    func unread(_ result: Result<Response, any Error>) -> HTTPBody? {
        guard case .success(let response) = result, !response.body.isReplayable, settings.drainLimit > 0,
            response.body.length ?? 0 <= settings.drainLimit.bytes
        else { return nil }
        return response.body
    }

    /// Waits and, in the meantime, drains a body up to the limit or the end of the wait.
    ///
    /// If the wait is cancelled, the budget's token is returned, because no attempt is made.
    func pause(for wait: Duration, draining body: HTTPBody?) async throws {
        request.noteEvent("httpchain.retry.backoff", [("httpchain.delay", .number(wait.inSeconds))])
        do {
            try await sleep(for: wait, draining: body)
        } catch {
            settings.budget?.giveBack()
            throw error
        }
    }

    private func sleep(for wait: Duration, draining body: HTTPBody?) async throws {
        let time = request.environment.time
        guard let body else { return try await time.sleep(for: wait) }
        try await withThrowingTaskGroup(of: Void.self) { [limit = settings.drainLimit] group in
            group.addTask { await body.drain(upTo: limit, within: wait, time: time) }
            try await time.sleep(for: wait)
            group.cancelAll()
        }
    }

    /// Retries the request.
    ///
    /// - Parameter position: The position from which to resume a download, or `nil` for the whole response.
    mutating func send(from position: DownloadPosition? = nil) async -> Result<Response, any Error> {
        if position != nil, hasOldCookies {
            await request.renewCookies()
            hasOldCookies = false
        }
        var request = request
        request.attempt = number + 1
        request.noteRetry()
        position?.restrict(&request)
        offset = position?.offset
        do {
            let response = try await next(request)
            // The caller already has its response, so the cookie stage doesn't see this one.
            if position != nil { await self.request.renewCookies(after: response) }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }
}

extension RetryRun {
    /// Returns the response with its history, if there is anything to report.
    func annotated(_ response: Response) -> Response {
        guard history.attempts.count > 1 || history.stop != .notNeeded else { return response }
        var response = response
        if attempts != response.attempts { response.attempts = attempts }
        response.options[RetryHistoryFact.self] = history
        return response
    }

    /// Returns the error with its history, if it supports one and there is anything to report.
    ///
    /// The error says that nothing was sent only if that is true of all attempts.
    func annotated(_ error: any Error) -> any Error {
        let error = hasSent ? error.afterSending : error
        guard history.attempts.count > 1 || history.stop != .notRetryable, var error = error as? any AnnotatedError
        else { return error }
        error.notes[RetryHistoryNote.self] = history
        return error
    }

    /// Removes the response from the history, because its attempt ends only with its body.
    mutating func beginDownload(_ response: Response) {
        if history.attempts.isEmpty {
            attempts = response.attempts - 1
        } else {
            history.attempts.removeLast()
            attempts -= 1
            counted -= 1
        }
        hasOldCookies = response.headers.contains(.setCookie)
    }

    /// Returns whether an error is a temporary failure of the exchange rather than a cancellation.
    func isInterruption(_ error: any Error) -> Bool {
        !Task.isCancelled && settings.policy.isRetryable(.failure(error))
    }

    /// The date of the call's environment.
    var date: Date { request.environment.time.date }

    /// Restarts counting the attempts and the total time.
    mutating func noteProgress() {
        counted = 0
        if started != nil { started = request.environment.time.elapsed }
    }
}
