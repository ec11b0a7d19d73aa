import Foundation
import HTTPChainCore
import HTTPTypes

extension CacheMiddleware {
    /// Records the state of the cache when a request is sent.
    func exchange(
        _ question: CacheQuestion,
        of request: borrowing Request,
        variants: [CacheEntry]
    ) -> CacheExchange {
        CacheExchange(question, of: request, variants: variants, questions.partition, contents.log)
    }

    /// Sends a request for which the cache is off and that doesn't change anything stored.
    ///
    /// This skips the rules, the key, the partition and the log of invalidations, which were half the cost of the chain
    /// in the README.
    nonisolated(nonsending) func pass(_ request: consuming Request, _ next: Next) async throws -> Response {
        let reason = CacheReason.off.forward
        request.noteEvent("httpchain.cache.forward", [("httpchain.cache.reason", .string(reason.rawValue))])
        var response = try await next(request)
        reports.attachOff(to: &response)
        return response
    }

    /// Sends the request unchanged, or with a request for validation if it is a refresh.
    nonisolated(nonsending) func forward(
        _ request: consuming Request,
        _ question: CacheQuestion,
        _ reason: CacheReason,
        variants: [CacheEntry],
        _ next: Next
    ) async throws -> Response {
        let time = request.environment.time
        let exchange = exchange(question, of: request, variants: variants)
        if question.isRefresh { request.head.headerFields.askForValidation() }
        request.noteEvent("httpchain.cache.forward", [("httpchain.cache.reason", .string(reason.forward.rawValue))])
        let response = try await next(request)
        let status = reports.status(reason, answered: response.status.code)
        return await take(response, exchange, status, receivedAt: time.date)
    }

    /// Validates stored responses with the server, RFC 9111 §4.3.
    func validate(
        _ request: consuming Request,
        _ question: CacheQuestion,
        _ validation: CacheValidation,
        variants: [CacheEntry],
        _ next: Next
    ) async throws -> Response {
        let time = request.environment.time
        let canRepeat = request.body.isReplayable
        let own = request
        var asking = own
        asking.head.headerFields = validation.fields
        asking.noteEvent(
            "httpchain.cache.forward",
            [("httpchain.cache.reason", .string(validation.reason.forward.rawValue))]
        )
        if question.isRefresh { asking.head.headerFields.askForValidation() }
        let exchange = exchange(question, of: own, variants: variants)
        let response: Response
        do {
            response = try await next(asking)
        } catch {
            if let instead = await self.instead(of: error, validation, question) { return instead }
            throw error
        }
        let received = time.date
        var status = reports.status(validation.reason, answered: response.status.code)
        let isOwned = await exchange.isStillOwned
        switch rules.conclude(validation, with: exchange.received(response, at: received), to: question) {
        case .freshened where !isOwned:
            // The server validated one user's response for another user, who may not be allowed to see it.
            break
        case .freshened(let found, let answer):
            await response.body.drain(time: time)
            let updates = recorder.filtered(found, question.request)
            await contents.update(updates)
            status.describe(answer)
            var served = await serve(answer, status, question)
            served?.source = .stored(received: response.head)
            // Readers of the removed bodies can still read them to the end.
            await contents.removeForbidden(updates)
            if let served {
                await invalidate(by: question, answered: response.head)
                if let key = question.key { reports.events.emit(.revalidated(key, status)) }
                return served
            }
        case .serveStored(let answer):
            status.describe(answer)
            if var served = await serve(answer, status, question) {
                served.source = .stored(received: response.head)
                await response.body.drain(time: time)
                if let key = question.key { reports.events.emit(.stale(key, status)) }
                return served
            }
            return await take(response, exchange, status, receivedAt: received)
        case .passOn:
            return await take(response, exchange, status, receivedAt: received)
        case .sendUnconditionally: break
        }
        // The validated response is gone, or the 304 matched no stored response, so the request is repeated without
        // conditions.
        guard canRepeat else { return await take(response, exchange, status, receivedAt: received) }
        return try await forward(own, question, validation.reason, variants: variants, next, discarding: response)
    }

    /// Returns the stored response to serve in place of an error, RFC 9111 §4.2.4 and RFC 5861 §4.
    private func instead(
        of error: any Error,
        _ validation: CacheValidation,
        _ question: CacheQuestion
    ) async -> Response? {
        guard !(error is CancellationError), !Task.isCancelled else { return nil }
        let isDisconnected = error.isDisconnection
        if let answer = isDisconnected ? validation.whenDisconnected : validation.whenFailing {
            var status = reports.status(validation.reason)
            status.describe(answer)
            guard var response = await serve(answer, status, question) else { return nil }
            response.options[CacheFailureFact.self] = error
            if let key = question.key { reports.events.emit(.stale(key, status)) }
            return response
        }
        guard isDisconnected, validation.mustBeValidated else { return nil }
        let status = CacheStatus(cache: reports.name, forward: validation.reason.forward, reason: .mustRevalidate)
        return unavailable(status, because: error)
    }

    /// Validates in the background, RFC 5861 §3.
    func revalidateInBackground(
        _ request: consuming Request,
        _ question: CacheQuestion,
        _ variants: [CacheEntry],
        _ next: Next
    ) {
        guard let key = question.key, request.body.isReplayable else { return }
        // Conditions and ranges are removed, because they were for the caller, who already has a response.
        for name in [HTTPField.Name.range, .ifRange, .ifNoneMatch, .ifModifiedSince] {
            request.head.headerFields[name] = nil
        }
        let plain = question.asking(request.head)
        guard case .serveAndRevalidate(_, let validation) = rules.decide(plain, among: variants) else { return }
        // The validation continues after the call has ended.
        request.removeDeadline()
        let request = request
        recorder.revalidator.start(key) { [self] in
            var failure: (any Error)?
            do {
                let response = try await validate(request, plain, validation, variants: variants, next)
                await request.options[CookieKeeperNote.self]?
                    .keep(response.receivedFields, sentAs: response.request, for: request)
                if let error = response.cacheFailure { failure = error }
                // The body is read to its end, because a response is stored only as it is read.
                if !(response.cacheStatus?.isFromStore ?? true) { for try await _ in response.body {} }
            } catch {
                failure = error
            }
            reports.events.emit(.revalidatedInBackground(key, failure))
        }
    }

    private func invalidate(by question: CacheQuestion, answered head: HTTPResponse) async {
        for selection in rules.invalidations(by: question, answering: head) { await contents.invalidate(selection) }
    }

    /// Handles a response from the server: invalidates, updates and stores.
    func take(
        _ response: consuming Response,
        _ exchange: CacheExchange,
        _ status: CacheStatus,
        receivedAt received: Date
    ) async -> Response {
        let question = exchange.question
        let head = exchange.received(response, at: received)
        var exchange = exchange
        let isCurrent = question.key.map { contents.log.isCurrent($0.url, since: exchange.stamp) } ?? false
        await invalidate(by: question, answered: response.head)
        // Invalidations by the call itself don't affect its own response.
        if isCurrent { exchange.stamp = contents.log.stamp }
        var status = status
        if let key = question.key ?? question.keyOfGet, question.settings.use != .off,
            !(await exchange.isStillOwned(key))
        {
            reports.events.emit(.notStored(key, reason: CacheExchange.disowned))
        } else if response.source.isRemembered {
            // The response may be old, and without `Date` that can't be detected.
            if let key = question.key { reports.events.emit(.notStored(key, reason: CacheExchange.remembered)) }
        } else if question.request.method == .head, question.settings.use != .off {
            let updates = rules.updates(byHead: head, to: question, among: exchange.variants)
            let filtered = recorder.filtered(updates, question.request)
            await contents.update(filtered)
            await contents.removeForbidden(filtered)
        } else if question.key != nil {
            switch rules.storage(of: head, answering: question) {
            case .store(let found):
                if let metadata = recorder.filtered(found, question.request) {
                    status.isStored = await recorder.record(&response, metadata, exchange)
                } else if let key = question.key {
                    reports.events.emit(.notStored(key, reason: "the application does not want it stored"))
                    await recorder.supersede(by: response.head, exchange)
                }
            case .skip(let reason):
                if let key = question.key { reports.events.emit(.notStored(key, reason: reason)) }
                await recorder.supersede(by: response.head, exchange)
            }
        } else if let get = rules.questionOfGet(question, answeredBy: response.head),
            case .store(let found) = rules.storage(of: head, answering: get),
            let metadata = recorder.filtered(found, get.request)
        {
            status.isStored = await recorder.record(&response, metadata, exchange.asking(get, contents.log))
        }
        if let key = question.key { reports.events.emit(.miss(key, status)) }
        reports.attach(status, to: &response)
        return response
    }
}

extension Error {
    /// Whether the server was unreachable or didn't respond: a transport error is among the causes.
    fileprivate var isDisconnection: Bool { causes.contains { $0 is TransportError } }
}
