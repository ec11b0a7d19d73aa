import Foundation
import HTTPChainCore
import HTTPTypes

/// A single call.
///
/// It sends the requests that the rules determine, and passes their results to the rules.
struct UploadRun {
    /// The caller's request, whose content is sent in parts.
    private let request: Request
    private let next: Next
    private let wire: any UploadWire
    private let content: UploadContent
    private let options: ResumableUploadOptions
    private let owner: UploadOwner
    private let saved: SavedUpload?
    private let progress: PartProgress?
    private let started: Duration

    private var rules: UploadRules
    private var patience: UploadPatience
    /// The upload in the store.
    private var kept: StoredUpload?
    /// Whether a response has set cookies, which the caller's request doesn't have.
    private var hasOldCookies = false
    /// Whether the server may have received a part of the upload, from this call or an earlier one that it resumes.
    private var hasSent: Bool

    init(
        _ request: Request,
        next: Next,
        wire: any UploadWire,
        content: UploadContent,
        options: ResumableUploadOptions,
        owner: UploadOwner,
        saved: SavedUpload?
    ) async throws {
        self.request = request
        self.next = next
        self.wire = wire
        self.content = content
        self.options = options
        self.owner = owner
        self.saved = saved
        progress = PartProgress(request, length: content.length)
        started = request.environment.time.elapsed
        kept = try await saved?.find(length: content.length)
        hasSent = kept != nil
        let plan = UploadPlan(
            length: content.length,
            partSize: options.partSize?.bytes,
            createsWithContent: options.createsWithContent && wire.completesByOffset,
            asksForLimits: options.asksForLimits,
            neededExtensions: options.checksum == nil ? ["creation"] : ["creation", "checksum"],
            completesByOffset: wire.completesByOffset,
            isIdempotent: request.method.isIdempotent,
            lostStatuses: wire.lostStatuses
        )
        rules = UploadRules(
            plan,
            resuming: kept.map { UploadPosition(url: $0.url.revealed, offset: $0.offset, expiry: $0.expires) }
        )
        patience = UploadPatience(options)
    }

    /// Sends requests until there is a result.
    ///
    /// - Throws: ``UploadError``; errors of inner stages that another request wouldn't change; errors from the store;
    ///   `CancellationError`. If an earlier request may have reached the server, the error doesn't claim that nothing
    ///   was sent.
    consuming func finish(cancellation: ResumableUploadOptions.Cancellation) async throws -> Response {
        var run = self
        do {
            return try await run.exchange()
        } catch let error as CancellationError {
            if cancellation == .terminates {
                try? await run.saved?.forget()
                await run.terminate()
            }
            throw error
        } catch {
            throw run.hasSent ? error.afterSending : error
        }
    }

    private mutating func exchange() async throws -> Response {
        while true {
            try Task.checkCancellation()
            let before = rules.furthest
            let action = rules.action
            let outcome = try await send(action)
            if action != .discover, outcome.failure?.isBeforeSending != true { hasSent = true }
            if outcome.response?.headers.contains(.setCookie) == true { hasOldCookies = true }
            let verdict =
                outcome.answer.map { rules.take($0) }
                ?? rules.takeFailure(mayHaveArrived: outcome.failure?.isBeforeSending != true)
            if rules.furthest > before { patience.noteProgress() }
            progress?.advance(to: rules.furthest)
            if !rules.isComplete {
                // If another user has logged in, the response may be about that user's upload.
                do { try await checkOwner(outcome) } catch {
                    await outcome.discard()
                    throw error
                }
            }
            try await keep()
            switch verdict {
            case .proceed: await outcome.discard()
            case .finish:
                if let response = outcome.response { return try await finished(response) }
            case .tryAgain(let asked):
                if let response = try await pause(after: outcome, asked: asked) { return try await finished(response) }
            case .fail(let problem):
                await outcome.discard()
                try await saved?.forget()
                throw error(problem, outcome)
            case .abandon(let problem):
                await outcome.discard()
                try await saved?.forget()
                await terminate()
                throw error(problem, outcome)
            }
        }
    }

    // MARK: - One request

    /// The outcome of a request.
    private struct Outcome {
        var request: Request
        var response: Response?
        var answer: UploadAnswer?
        var failure: (any Error)?

        func discard() async {
            guard let response else { return }
            await request.keepCookies(of: response)
            await response.body.drain(time: request.environment.time)
        }
    }

    private func send(_ action: UploadAction) async throws -> Outcome {
        let part = try await partRequest(action)
        var outcome = Outcome(request: part)
        try await checkOwner(outcome)
        do {
            var response = try await next(part)
            outcome.answer = try await read(&response, to: part)
            outcome.response = response
        } catch {
            if error is CancellationError || Task.isCancelled { throw CancellationError() }
            guard error.passes else { throw error }
            outcome.failure = error
        }
        return outcome
    }

    /// - Throws: ``UploadError/Problem/userChanged``; errors of the partition's closure.
    private func checkOwner(_ outcome: Outcome) async throws {
        guard try await owner.isOwner(of: request) else { throw error(.userChanged, outcome) }
    }

    private func partRequest(_ action: UploadAction) async throws -> Request {
        let url = rules.position?.url ?? request.url
        var part: Request
        switch action {
        case .discover: part = request.ofUpload(.options, to: request.url)
        case .create(let range):
            part = try wire.creation(of: request, length: content.length, hasContent: !range.isEmpty)
        case .findOffset: part = request.ofUpload(.head, to: url)
        case .append: part = request.ofUpload(.patch, to: url)
        case .terminate: part = request.ofUpload(.delete, to: url)
        }
        if case .create = action {} else { wire.complete(&part, for: action) }
        if rules.position != nil { part.options[NoRedirectsNote.self] = true }
        if hasOldCookies { await part.renewCookies() }
        guard let range = action.content else { return part }
        part.body = try await content.part(range)
        if let checksum = options.checksum, wire is Tus {
            part.headers[.uploadChecksum] = try await checksum.fieldValue(of: part.body)
        }
        progress?.follow(&part, from: range.lowerBound)
        return part
    }

    private func read(_ response: inout Response, to part: Request) async throws -> UploadAnswer {
        var answer = wire.answer(response.head, now: request.environment.time.date)
        if rules.position == nil || response.status.kind == .redirection {
            let own = request.origin
            answer.location = UploadLocation(of: response.head, from: response.url ?? part.url) { origin in
                origin == own || options.otherOrigins.contains(origin)
            }
        }
        if wire is Draft, Draft.mayHaveProblem(response.head) {
            let (preview, body) = try await response.body.peek(upTo: .kibibytes(16))
            response.body = body
            answer.problem = Draft.problem(in: preview.bytes)
        }
        return answer
    }

    // MARK: - Continuing

    /// Waits before the upload continues after a failure.
    ///
    /// - Returns: The response that becomes the result, if the upload doesn't continue and a response gives the reason.
    private mutating func pause(after outcome: Outcome, asked: Duration?) async throws -> Response? {
        let time = request.environment.time
        let circumstances = UploadPatience.Circumstances(
            asked: asked,
            elapsed: time.elapsed - started,
            remaining: request.remainingTime
        )
        guard let wait = patience.wait(circumstances, random: request.environment.random) else {
            // If the upload isn't stored, a caller that retries would create a second one, even after a response that
            // invites retries.
            if rules.mayHaveActed, kept == nil {
                await outcome.discard()
                throw error(.outcomeUnknown, outcome)
            }
            if let response = outcome.response, outcome.answer?.isTransient == true { return response }
            await outcome.discard()
            throw error(.interrupted(offset: rules.furthest, length: content.length), outcome)
        }
        await outcome.discard()
        request.noteRetry()
        request.noteEvent("httpchain.upload.backoff", [("httpchain.delay", .number(wait.inSeconds))])
        try await time.sleep(for: wait)
        return nil
    }

    /// Saves the upload's progress in the store.
    private mutating func keep() async throws {
        guard let saved else { return }
        guard let position = rules.position else {
            if kept != nil { try await saved.forget() }
            kept = nil
            return
        }
        let upload = StoredUpload(
            url: Secret(position.url),
            offset: position.offset,
            length: content.length,
            created: kept?.created ?? request.environment.time.date,
            expires: position.expiry
        )
        guard upload != kept, !rules.isComplete else { return }
        try await saved.keep(upload)
        kept = upload
    }

    private func finished(_ response: consuming Response) async throws -> Response {
        if rules.isComplete || !Self.leavesUpload(response.head.status.code) { try await saved?.forget() }
        guard let position = rules.position else { return response }
        if wire.completesByOffset, rules.isComplete, response.headers[.location] == nil {
            response.headers[.location] = position.url
        }
        response.options[UploadSummaryFact.self] = UploadSummary(
            url: Secret(position.url),
            isComplete: rules.isComplete,
            resumedAt: rules.resumedAt,
            attempts: patience.attempts,
            restarts: rules.restarts
        )
        return response
    }

    /// Returns whether a later call may continue an upload after a response that ended this one.
    ///
    /// It may do so if the response is about the sender or the time, rather than about the upload.
    private static func leavesUpload(_ status: Int) -> Bool {
        status >= 500 || [401, 402, 403, 407, 408, 423, 425, 429].contains(status)
    }

    private func error(_ problem: UploadError.Problem, _ outcome: Outcome) -> UploadError {
        let exchange = ExchangeSnapshot(
            outcome.response?.request ?? outcome.request.head,
            response: outcome.response?.head,
            redaction: request.redaction
        )
        return UploadError(problem, exchange: exchange, hasSent: hasSent, underlyingError: outcome.failure)
    }

    /// Asks the server to remove the upload.
    ///
    /// The result is ignored.
    ///
    /// If the call has been cancelled, this happens in a separate task, and the call waits for it for a short time.
    private func terminate() async {
        guard rules.position != nil, var part = try? await partRequest(.terminate) else { return }
        let deadline = DeadlineNote.Mark(request.environment.time.elapsed + Self.terminationLimit)
        part.removeDeadline()
        part.options[DeadlineNote.self] = deadline
        var own = request
        own.removeDeadline()
        own.options[DeadlineNote.self] = deadline
        await Task { [next, part, own, owner] in
            // Another user's credentials aren't used to remove the upload.
            guard (try? await owner.isOwner(of: own)) == true else { return }
            guard let response = try? await part.withinDeadline({ try await next(part) }) else { return }
            await part.keepCookies(of: response)
            await response.body.drain(time: part.environment.time)
        }.value
    }

    /// The time limit for the request that removes the upload.
    private static let terminationLimit = Duration.seconds(5)
}

extension Error {
    /// Whether the failure is temporary: the connection failed, or an inner stage failed to fetch something.
    fileprivate var passes: Bool {
        switch self {
        case let error as TransportError:
            [.hostNotFound, .cannotConnect, .connectionLost, .truncatedBody, .timedOut].contains(error.kind)
        case let error as any NetworkFailure: error.networkFailure?.passes ?? false
        case let error as any TimeoutFailure: error.scope != .call
        default: false
        }
    }
}
