import HTTPChainCore
import HTTPTypes

/// The transfers that calls are waiting for; each is here until the head of its response arrives.
package final class SharedTransfers: Sendable {
    fileprivate final class Caller: Sendable {
        /// The object that stores the cookies of responses, if any.
        let cookieKeeper: (any CookieKeeping)?
        let deadline: Duration?

        init(_ options: RequestOptions) {
            cookieKeeper = options[CookieKeeperNote.self]
            deadline = options[DeadlineNote.self]?.instant
        }
    }

    private let flights = SingleFlight<CoalescingKey, Caller, Response>(overlaps: true)
    private let partition: UserPartition
    private let window: ByteCount
    private let spill: ByteCount

    init(partition: UserPartition = .none, window: ByteCount, spill: ByteCount) {
        self.partition = partition
        self.window = window
        self.spill = spill
    }

    /// The number of transfers waiting for the head of a response.
    package var count: Int { flights.count }

    /// The number of calls waiting for the head of a response.
    package var waiterCount: Int { flights.waiterCount }

    /// Waits for the head of a response until the call's deadline; the deadline also applies to reading the body.
    func send(_ request: consuming Request, _ key: CoalescingKey, _ next: Next) async throws -> Response {
        guard let timer = request.callTimer else { return try await share(request, key, next) }
        let passed = request
        var response = try await timer.run { try await self.share(passed, key, next) }
        timer.answered(response.head)
        response.body = timer.keep(response.body)
        return response
    }

    private func share(_ request: consuming Request, _ key: CoalescingKey, _ next: Next) async throws -> Response {
        let caller = Caller(request.options)
        // The request is in a box, so that only the call that begins a transfer keeps its request, and no longer than
        // necessary.
        let box = Locked<Request?>(request)
        do {
            return try await flights.run(key, for: caller) { [self] flight in
                guard let request = box.withLock({ $0.take() }) else { throw CancellationError() }
                return try await transfer(request, key, next, begunBy: caller, flight)
            }
        } catch  where error is NotShared || error is SingleFlightReentry || error is UserChangedError {
            // The user of the call that began the transfer has changed, but this call's user hasn't.
            guard let own = box.withLock({ $0.take() }) else { throw error }
            return try await next(own)
        }
    }

    /// Prevents further calls from joining the transfers to an origin.
    func close(to origin: Origin) {
        flights.close { $0.origin == origin }
    }

    private func transfer(
        _ request: consuming Request,
        _ key: CoalescingKey,
        _ next: Next,
        begunBy first: Caller,
        _ flight: Int
    ) async throws -> @Sendable ([Caller]) -> [Result<Response, any Error>] {
        // Outer stages enforce each caller's own deadline. Inner stages see the latest one.
        request.removeDeadline()
        request.options[SharedDeadlineNote.self] = { [flights] in flights.callers(of: flight).latestDeadline }
        let sent = Request(head: request.head, options: request.options)
        let response = try await next(request)
        let isOwned = await isStillOwned(sent, key, flight)
        return { [self] callers in deliver(response, to: sent, callers, begunBy: first, isOwned: isOwned) }
    }

    /// Whether the user is still the one that the waiting calls belong to.
    ///
    /// If another user has logged in, it is unclear whose credentials the request had.
    private func isStillOwned(_ request: Request, _ key: CoalescingKey, _ flight: Int) async -> Bool {
        guard partition.seesUsers else { return true }
        // Closed first, so that no call joins after the check.
        flights.close(flight)
        guard let owner = key.partition, flights.callers(of: flight).count > 1 else { return true }
        return await partition.isOwner(owner, of: request)
    }

    /// Delivers the head to all callers, and a separate body to each.
    ///
    /// A single caller gets the response's original body.
    private func deliver(
        _ response: Response,
        to request: Request,
        _ callers: [Caller],
        begunBy first: Caller,
        isOwned: Bool
    ) -> [Result<Response, any Error>] {
        let setsCookies = response.head.headerFields.contains(.setCookie)
        var sharing = callers.filter { caller in
            // Otherwise, one user's cookies would be stored in other users' jars.
            (!setsCookies || caller.cookieKeeper === first.cookieKeeper) && (isOwned || caller === first)
        }
        // Slower readers of an event stream couldn't catch up at its end, because it has none. The other calls
        // therefore request separate streams.
        if response.head.isEventStream { sharing = Array(sharing.prefix(1)) }
        var bodies: [HTTPBody] = []
        if sharing.count > 1, !response.body.isReplayable {
            bodies = SharedBody.bodies(
                response.body,
                readers: sharing.count,
                window: window,
                spill: spill,
                exchange: ExchangeSnapshot(request.head, response: response.head, redaction: request.redaction)
            )
        }
        let identities = Set(sharing.map(ObjectIdentifier.init))
        return callers.map { caller in
            guard identities.contains(ObjectIdentifier(caller)) else { return .failure(NotShared()) }
            var own = response
            if let body = bodies.popLast() { own.body = body }
            if caller !== first { own.options[CoalescingFact.self] = true }
            return .success(own)
        }
    }
}

extension [SharedTransfers.Caller] {
    /// The latest deadline of the callers; `nil` if one of them has none.
    fileprivate var latestDeadline: Duration? {
        contains { $0.deadline == nil } ? nil : lazy.compactMap(\.deadline).max()
    }
}

/// The error for a call that the response isn't shared with.
///
/// The response is an event stream, it may be another user's, or it sets cookies in another jar.
private struct NotShared: Error {}
