import HTTPChainCore
import HTTPTypes

/// The transfers that calls wait for, until the heads of their responses arrive.
///
/// A transfer runs in a separate task, because no single caller owns it. The task ends before the last caller returns:
/// when the last caller is cancelled, it cancels the task and waits for its end.
package final class SharedTransfers: Sendable {
    private struct Waiter {
        let continuation: CheckedContinuation<Response, any Error>
        /// The object that keeps the response's cookies, if any.
        let cookieKeeper: (any AnyObject & Sendable)?
    }

    private struct Transfer {
        let key: CoalescingKey
        /// The call that began the transfer.
        let first: Int
        let cookieKeeper: (any AnyObject & Sendable)?
        let task: Task<Void, Never>
        var waiters: [Int: Waiter]
    }

    private struct State {
        var transfers: [Int: Transfer] = [:]
        /// The transfers that calls may still join.
        var open: [CoalescingKey: Int] = [:]
        /// The transfer that each call waits for.
        var joined: [Int: Int] = [:]
        /// The cancelled tasks, by the last call, which has to wait for the end.
        var cancelled: [Int: Task<Void, Never>] = [:]
        var lastID = 0

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }

        mutating func remove(_ id: Int) -> Transfer? {
            guard let transfer = transfers.removeValue(forKey: id) else { return nil }
            if open[transfer.key] == id { open[transfer.key] = nil }
            return transfer
        }
    }

    private let state = Locked(State())
    private let partition: CoalescingPartition
    private let window: ByteCount
    private let spill: ByteCount

    init(partition: CoalescingPartition = .none, window: ByteCount, spill: ByteCount) {
        self.partition = partition
        self.window = window
        self.spill = spill
    }

    /// The number of transfers waiting for the head of a response.
    package var count: Int { state.withLock { $0.transfers.count } }

    /// The number of calls waiting for the head of a response.
    package var waiterCount: Int { state.withLock { $0.joined.count } }

    /// Waits for the head of a response until the call's deadline, which also applies to reading its body.
    func send(_ request: consuming Request, _ key: CoalescingKey, _ next: Next) async throws -> Response {
        guard let timer = request.callTimer else { return try await share(request, key, next) }
        let passed = request
        var response = try await timer.run { try await self.share(passed, key, next) }
        timer.answered(response.head)
        response.body = timer.keep(response.body)
        return response
    }

    private func share(_ request: consuming Request, _ key: CoalescingKey, _ next: Next) async throws -> Response {
        // Passed in a box, so that only the call that begins a transfer keeps its request, and for no longer.
        let keeper = request.options[CookieKeeper.self]
        let box = Locked<Request?>(request)
        let call = state.withLock { $0.nextID() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation {
                    join(key, call, Waiter(continuation: $0, cookieKeeper: keeper), box, next)
                }
            } onCancel: {
                leave(call)
            }
        } catch {
            await state.withLock { $0.cancelled.removeValue(forKey: call) }?.value
            if error is NotShared, let own = box.withLock({ $0.take() }) { return try await next(own) }
            throw error
        }
    }

    /// Prevents further calls from joining the transfers to an origin.
    func close(to origin: Origin) {
        state.withLock { state in
            for key in state.open.keys where key.origin == origin { state.open[key] = nil }
        }
    }

    private func join(
        _ key: CoalescingKey,
        _ call: Int,
        _ waiter: Waiter,
        _ request: Locked<Request?>,
        _ next: Next
    ) {
        let isCancelled = state.withLock { state in
            // A cancellation before the waiter was registered had nothing to cancel.
            if Task.isCancelled { return true }
            if let id = state.open[key] {
                state.transfers[id]?.waiters[call] = waiter
                state.joined[call] = id
                return false
            }
            let id = state.nextID()
            let task = Task { [self] in
                await transfer(id, request, next)
            }
            state.transfers[id] = Transfer(
                key: key,
                first: call,
                cookieKeeper: waiter.cookieKeeper,
                task: task,
                waiters: [call: waiter]
            )
            state.open[key] = id
            state.joined[call] = id
            return false
        }
        if isCancelled { waiter.continuation.resume(throwing: CancellationError()) }
    }

    private func transfer(_ id: Int, _ box: Locked<Request?>, _ next: Next) async {
        do {
            try Task.checkCancellation()
            guard var request = box.withLock({ $0.take() }) else { throw CancellationError() }
            request.options[SharedExchange.self] = true
            let sent = Request(head: request.head, options: request.options)
            let response = try await next(request)
            let isOwned = await isStillOwned(sent, of: id)
            deliver(response, to: sent, of: id, isOwned: isOwned)
        } catch {
            for (_, waiter) in finish(id)?.waiters ?? [] { waiter.continuation.resume(throwing: error) }
        }
    }

    /// Whether the user is still the one whose calls wait; if another user has logged in, it is unknown whose
    /// credentials the request carried.
    private func isStillOwned(_ request: Request, of id: Int) async -> Bool {
        guard partition.seesUsers else { return true }
        let owner = state.withLock { state -> String? in
            guard let transfer = state.transfers[id] else { return nil }
            // No call may join after the check.
            if state.open[transfer.key] == id { state.open[transfer.key] = nil }
            return transfer.waiters.count > 1 ? transfer.key.partition : nil
        }
        guard let owner else { return true }
        return await partition.isOwner(owner, of: request)
    }

    /// Removes a transfer, and returns it with its waiters in the order in which they came.
    private func finish(_ id: Int) -> (transfer: Transfer, waiters: [(call: Int, waiter: Waiter)])? {
        state.withLock { state in
            guard let transfer = state.remove(id) else { return nil }
            for call in transfer.waiters.keys { state.joined[call] = nil }
            return (transfer, transfer.waiters.map { ($0.key, $0.value) }.sorted { $0.call < $1.call })
        }
    }

    /// Delivers the head to all callers, and a separate body to each; a single caller gets the response's own.
    private func deliver(_ response: Response, to request: Request, of id: Int, isOwned: Bool) {
        guard let (transfer, all) = finish(id) else { return }
        let first = transfer.first
        var waiters = all
        if response.head.headerFields.contains(.setCookie) {
            // Otherwise, one user's cookies would go into other users' jars.
            waiters.removeAll { $0.waiter.cookieKeeper !== transfer.cookieKeeper }
        }
        if !isOwned { waiters.removeAll { $0.call != first } }
        // An event stream has no end at which slower readers catch up: the others request separate streams.
        if response.head.isEventStream { waiters.removeSubrange(min(1, waiters.count)...) }
        let sharing = Set(waiters.map(\.call))
        for (call, waiter) in all where !sharing.contains(call) { waiter.continuation.resume(throwing: NotShared()) }
        var bodies: [HTTPBody] = []
        if waiters.count > 1, !response.body.isReplayable {
            let exchange = ExchangeSnapshot(
                request.head,
                response: response.head,
                redaction: request.redaction
            )
            bodies = SharedBody.bodies(
                response.body,
                readers: waiters.count,
                window: window,
                spill: spill,
                exchange: exchange
            )
        }
        for (call, waiter) in waiters {
            var own = response
            if let body = bodies.popLast() { own.body = body }
            if call != first { own.options[CoalescedResponse.self] = true }
            waiter.continuation.resume(returning: own)
        }
    }

    private func leave(_ call: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let id = state.joined.removeValue(forKey: call),
                let waiter = state.transfers[id]?.waiters.removeValue(forKey: call)
            else { return (nil, nil) }
            guard state.transfers[id]?.waiters.isEmpty ?? false, let transfer = state.remove(id) else {
                return (waiter, nil)
            }
            state.cancelled[call] = transfer.task
            return (waiter, transfer.task)
        }
        task?.cancel()
        waiter?.continuation.resume(throwing: CancellationError())
    }
}

/// The response isn't shared with this call: it is an event stream, it may be another user's, or it sets cookies in
/// another jar.
private struct NotShared: Error {}
