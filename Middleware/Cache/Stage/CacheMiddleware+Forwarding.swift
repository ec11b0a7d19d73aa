import Foundation
import HTTPChainCore
import HTTPTypes

extension CacheMiddleware {
    /// The details of an exchange with the server that are needed to store its response.
    struct Exchange {
        let question: CacheQuestion
        let variants: [CacheEntry]
        /// The clock of the call.
        let time: any TimeSource
        let sentAt: Date
        /// The invalidation stamp at the time the request was sent.
        var stamp: UInt64
        /// The number of responses stored by the time the request was sent.
        let commits: UInt64
        /// The recording counter at the time the request was sent.
        let claims: UInt64
        /// The request to evaluate the partition for again; nil if the partition's result never changes.
        let owned: Request?
        private let partition: UserPartition

        init(
            _ question: CacheQuestion,
            of request: borrowing Request,
            variants: [CacheEntry],
            _ cache: CacheMiddleware
        ) {
            let log = cache.invalidations
            self.question = question
            self.variants = variants
            time = request.environment.time
            sentAt = time.date
            partition = cache.partition
            owned = partition.seesUsers ? copy request : nil
            stamp = log.stamp
            commits = log.commits
            claims = log.claims.stamp
        }

        /// The same exchange, for storing its response as the response to another request of the same user.
        init(_ question: CacheQuestion, _ other: Exchange, _ log: InvalidationLog) {
            self.question = question
            variants = []
            time = other.time
            sentAt = other.sentAt
            partition = other.partition
            owned = other.owned
            stamp = log.stamp
            commits = log.commits
            claims = log.claims.stamp
        }

        /// Whether the user is still the one the request was sent for.
        func isStillOwned(_ key: CacheKey) async -> Bool {
            guard let owned else { return true }
            return await partition.isOwner(key.partition, of: owned)
        }

        /// Whether the user is still the one whose stored responses serve the request.
        var isStillOwned: Bool {
            get async {
                guard let key = question.key else { return true }
                return await isStillOwned(key)
            }
        }

        static let disowned = "the user has changed since the request"
        static let remembered = "a fallback remembered it from an earlier call"
    }

    /// Sends a request for which the cache is off, and that changes nothing that is stored.
    ///
    /// The rules, the key, the partition and the log of invalidations aren't needed: they accounted for half the cost
    /// of the README's chain.
    func pass(_ request: consuming Request, _ next: Next) async throws -> Response {
        let reason = CacheReason.off
        request.noteEvent("httpchain.cache.forward", [("httpchain.cache.reason", .string(reason.forward.rawValue))])
        var response = try await next(request)
        attach(
            CacheStatus(cache: name, forward: reason.forward, forwardStatus: response.status.code, reason: reason),
            to: &response
        )
        return response
    }

    /// Sends the request unchanged, except for asking for validation if it is a refresh.
    func forward(
        _ request: consuming Request,
        _ question: CacheQuestion,
        _ reason: CacheReason,
        variants: [CacheEntry],
        _ next: Next
    ) async throws -> Response {
        let time = request.environment.time
        let exchange = Exchange(question, of: request, variants: variants, self)
        if question.isRefresh { request.head.headerFields.askForValidation() }
        request.noteEvent("httpchain.cache.forward", [("httpchain.cache.reason", .string(reason.forward.rawValue))])
        let response = try await next(request)
        let status = CacheStatus(
            cache: name,
            forward: reason.forward,
            forwardStatus: response.status.code,
            reason: reason
        )
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
        let exchange = Exchange(question, of: own, variants: variants, self)
        let response: Response
        do {
            response = try await next(asking)
        } catch {
            if let instead = await self.instead(of: error, validation, question) { return instead }
            throw error
        }
        let received = time.date
        var status = CacheStatus(
            cache: name,
            forward: validation.reason.forward,
            forwardStatus: response.status.code,
            reason: validation.reason
        )
        let isOwned = await exchange.isStillOwned
        let conclusion = rules.conclude(
            validation,
            with: response.head,
            to: question,
            sentAs: response.request,
            sentAt: exchange.sentAt,
            receivedAt: received
        )
        switch conclusion {
        case .freshened where !isOwned:
            // The server validated one user's response for another user, who may not be entitled to it.
            break
        case .freshened(let found, let answer):
            await response.body.drain(time: time)
            let updates = found.map {
                (entry: $0.entry, metadata: $0.metadata.flatMap { storing.apply(to: $0, question.request) })
            }
            await update(updates)
            status.age = answer.freshness.ageField
            status.timeToLive = answer.freshness.wholeTimeToLive
            status.reason = .validated
            var served = await serve(answer, status, question)
            served?.source = .stored(received: response.head)
            // Readers of their bodies continue to the end.
            await removeForbidden(updates)
            if let served {
                if let key = question.key { events.emit(.revalidated(key, status)) }
                return served
            }
        case .serveStored(let answer):
            status.age = answer.freshness.ageField
            status.timeToLive = answer.freshness.wholeTimeToLive
            status.reason = answer.reason
            if var served = await serve(answer, status, question) {
                served.source = .stored(received: response.head)
                await response.body.drain(time: time)
                if let key = question.key { events.emit(.stale(key, status)) }
                return served
            }
            return await take(response, exchange, status, receivedAt: received)
        case .passOn:
            return await take(response, exchange, status, receivedAt: received)
        case .sendUnconditionally: break
        }
        // The validated response is gone, or the 304 matched nothing stored: the cache's conditions were useless.
        guard canRepeat else { return await take(response, exchange, status, receivedAt: received) }
        return try await forward(own, question, validation.reason, variants: variants, next, discarding: response)
    }

    /// Returns the stored response to serve instead of an error, RFC 9111 §4.2.4 and RFC 5861 §4.
    private func instead(
        of error: any Error,
        _ validation: CacheValidation,
        _ question: CacheQuestion
    ) async -> Response? {
        guard !(error is CancellationError), !Task.isCancelled else { return nil }
        let isDisconnected = error.isDisconnection
        if let answer = isDisconnected ? validation.whenDisconnected : validation.whenFailing {
            let status = CacheStatus(
                cache: name,
                forward: validation.reason.forward,
                timeToLive: answer.freshness.wholeTimeToLive,
                age: answer.freshness.ageField,
                reason: answer.reason
            )
            guard var response = await serve(answer, status, question) else { return nil }
            response.options[CacheFailure.self] = error
            if let key = question.key { events.emit(.stale(key, status)) }
            return response
        }
        guard isDisconnected, validation.mustBeValidated else { return nil }
        let status = CacheStatus(cache: name, forward: validation.reason.forward, reason: .mustRevalidate)
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
        // Conditions and ranges were the caller's, who already has a response.
        for name in [HTTPField.Name.range, .ifRange, .ifNoneMatch, .ifModifiedSince] {
            request.head.headerFields[name] = nil
        }
        let plain = question.asking(request.head)
        guard case .serveAndRevalidate(_, let validation) = rules.decide(plain, among: variants) else { return }
        // The validation outlives the call.
        request.removeDeadline()
        let request = request
        revalidator.start(key) { [self] in
            var failure: (any Error)?
            do {
                let response = try await validate(request, plain, validation, variants: variants, next)
                await request.options[CookieKeeper.self]?
                    .keep(response.receivedFields, sentAs: response.request, for: request)
                if let error = response.cacheFailure { failure = error }
                // Read to the end, because only what is read is stored.
                if !(response.cacheStatus?.isFromStore ?? true) { for try await _ in response.body {} }
            } catch {
                failure = error
            }
            events.emit(.revalidatedInBackground(key, failure))
        }
    }

    private func update(_ updates: [(entry: CacheEntry, metadata: CacheMetadata?)]) async {
        for (entry, metadata) in updates {
            guard let metadata else { continue }
            do {
                _ = try await store.update(entry, to: metadata)
            } catch {
                events.emit(.storeFailure(entry.key, error))
            }
        }
    }

    /// Removes entries that may not be stored with the server's latest fields, RFC 9111 §3.
    private func removeForbidden(_ updates: [(entry: CacheEntry, metadata: CacheMetadata?)]) async {
        for (entry, metadata) in updates where metadata == nil { await discard(.entry(entry.id)) }
    }

    /// Handles a response from the server: invalidates, updates and stores.
    func take(
        _ response: consuming Response,
        _ exchange: Exchange,
        _ status: CacheStatus,
        receivedAt received: Date
    ) async -> Response {
        let question = exchange.question
        let sent = response.request
        var exchange = exchange
        let isCurrent = question.key.map { invalidations.isCurrent($0.url, since: exchange.stamp) } ?? false
        for selection in rules.invalidations(by: question, answering: response.head) {
            await invalidate(selection)
        }
        // Invalidations by the call itself don't affect its own response.
        if isCurrent { exchange.stamp = invalidations.stamp }
        var status = status
        if let key = question.key ?? question.keyOfGet, question.settings.use != .off,
            !(await exchange.isStillOwned(key))
        {
            events.emit(.notStored(key, reason: Exchange.disowned))
        } else if response.source.isRemembered {
            // It may be old, and without Date nothing would show it.
            if let key = question.key { events.emit(.notStored(key, reason: Exchange.remembered)) }
        } else if question.request.method == .head, question.settings.use != .off {
            let updates = rules.updates(
                byHead: response.head,
                to: question,
                among: exchange.variants,
                sentAs: sent,
                sentAt: exchange.sentAt,
                receivedAt: received
            ).map { (entry: $0.entry, metadata: $0.metadata.flatMap { storing.apply(to: $0, question.request) }) }
            await update(updates)
            await removeForbidden(updates)
        } else if question.key != nil {
            let storage = rules.storage(
                of: response.head,
                answering: question,
                sentAs: sent,
                sentAt: exchange.sentAt,
                receivedAt: received
            )
            switch storage {
            case .store(let found):
                if let metadata = storing.apply(to: found, question.request) {
                    status.isStored = await record(&response, metadata, exchange)
                } else if let key = question.key {
                    events.emit(.notStored(key, reason: "the application does not want it stored"))
                    await supersede(by: response.head, exchange)
                }
            case .skip(let reason):
                if let key = question.key { events.emit(.notStored(key, reason: reason)) }
                await supersede(by: response.head, exchange)
            }
        } else if let get = rules.questionOfGet(question, answeredBy: response.head),
            case .store(let found) = rules.storage(
                of: response.head,
                answering: get,
                sentAs: sent,
                sentAt: exchange.sentAt,
                receivedAt: received
            ), let metadata = storing.apply(to: found, get.request)
        {
            let own = Exchange(get, exchange, invalidations)
            status.isStored = await record(&response, metadata, own)
        }
        if let key = question.key { events.emit(.miss(key, status)) }
        attach(status, to: &response)
        return response
    }

    /// Invalidates the responses superseded by a full response that isn't stored.
    func supersede(by response: HTTPResponse, _ exchange: Exchange) async {
        let superseded = rules.superseded(by: response, to: exchange.question, among: exchange.variants)
        await update(superseded.map { ($0.entry, $0.metadata) })
    }

    private func invalidate(_ selection: CacheSelection) async {
        invalidations.note(selection)
        await discard(selection)
    }

    private func discard(_ selection: CacheSelection) async {
        do {
            let count = try await store.remove(selection)
            if count > 0 { events.emit(.invalidated(selection, count: count)) }
        } catch {
            events.emit(.storeFailure(nil, error))
        }
    }
}

extension Error {
    /// Whether the server could not be reached, or did not respond: a transport error is the cause.
    fileprivate var isDisconnection: Bool { causes.contains { $0 is TransportError } }
}
