/// Coalesces concurrent calls of an operation: the operation runs once, and each caller gets a result.
///
/// The operation runs in a separate task, because none of its callers owns it. The task ends before the last caller
/// returns: if the last one is cancelled, it cancels the task and waits for its end.
package final class SingleFlight<Key: Hashable & Sendable, Caller: Sendable, Value: Sendable>: Sendable {
    /// Makes a result for each caller, in order of arrival.
    package typealias Delivery = @Sendable ([Caller]) -> [Result<Value, any Error>]

    private struct Waiter {
        let caller: Caller
        let continuation: CheckedContinuation<Value, any Error>
        /// The number that determines the order; a call gets its ID earlier, and another call may arrive before it.
        var arrival = 0
    }

    private struct Flight {
        let key: Key
        let task: Task<Void, Never>
        var waiters: [Int: Waiter]

        /// The waiters, in order of arrival.
        var inOrder: [Waiter] { waiters.values.sorted { $0.arrival < $1.arrival } }
    }

    private struct State {
        /// The flights whose tasks haven't ended; a flight without waiters is abandoned.
        var flights: [Int: Flight] = [:]
        /// The flights that calls may still join.
        ///
        /// An abandoned flight is replaced by the next one.
        var open: [Key: Int] = [:]
        /// The flight that each call waits for.
        var joined: [Int: Int] = [:]
        /// The cancelled tasks, by the ID of the last call, which waits for the task's end.
        var cancelled: [Int: Task<Void, Never>] = [:]
        var lastID = 0

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }

        mutating func close(_ id: Int) {
            if let flight = flights[id], open[flight.key] == id { open[flight.key] = nil }
        }
    }

    private let state = Locked(State())
    private let overlaps: Bool

    /// - Parameter overlaps: Whether a flight may start while an abandoned one with the same key is ending. If not, it
    ///   waits for that end.
    package init(overlaps: Bool = false) {
        self.overlaps = overlaps
    }

    /// Returns the caller's result of the flight in progress for the key, or runs the operation if there is none.
    ///
    /// A failure goes to all callers. A later call starts again.
    ///
    /// - Parameters:
    ///   - key: The key of the operation.
    ///   - caller: The information about the caller that is used to deliver results.
    ///   - operation: The operation, which receives the number of its flight.
    /// - Throws: The operation's error; `CancellationError` if the caller is cancelled; ``SingleFlightReentry`` if the
    ///   operation waits for itself. A cancelled caller throws immediately. The last one also cancels the operation,
    ///   and throws when the operation has ended.
    package func run(
        _ key: Key,
        for caller: Caller,
        _ operation: @escaping @Sendable (_ flight: Int) async throws -> Delivery
    ) async throws -> Value {
        let id = state.withLock { $0.nextID() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation {
                    join(key, id, Waiter(caller: caller, continuation: $0), operation)
                }
            } onCancel: {
                leave(id)
            }
        } catch {
            await state.withLock { $0.cancelled.removeValue(forKey: id) }?.value
            throw error
        }
    }

    private func join(
        _ key: Key,
        _ id: Int,
        _ waiter: Waiter,
        _ operation: @escaping @Sendable (Int) async throws -> Delivery
    ) {
        let refusal: (any Error)? = state.withLock { state in
            // If the task was cancelled before the waiter was registered, there was nothing to cancel.
            if Task.isCancelled { return CancellationError() }
            let open = state.open[key]
            if let open, WorkScope.isInside(self, open) { return SingleFlightReentry() }
            var waiter = waiter
            waiter.arrival = state.nextID()
            if let open, state.flights[open]?.waiters.isEmpty == false {
                state.flights[open]?.waiters[id] = waiter
                state.joined[id] = open
                return nil
            }
            let flight = state.nextID()
            let previous = overlaps ? nil : open.flatMap { state.flights[$0]?.task }
            let task = Task { [self] in
                await previous?.value
                await fly(flight, operation)
            }
            state.flights[flight] = Flight(key: key, task: task, waiters: [id: waiter])
            state.open[key] = flight
            state.joined[id] = flight
            return nil
        }
        if let refusal { waiter.continuation.resume(throwing: refusal) }
    }

    private func fly(_ id: Int, _ operation: @Sendable (Int) async throws -> Delivery) async {
        let result: Result<Delivery, any Error>
        do {
            try Task.checkCancellation()
            result = .success(try await WorkScope.run(for: self, id) { try await operation(id) })
        } catch {
            result = .failure(error)
        }
        let waiters = state.withLock { state -> [Waiter] in
            state.close(id)
            guard let flight = state.flights.removeValue(forKey: id) else { return [] }
            for call in flight.waiters.keys { state.joined[call] = nil }
            return flight.inOrder
        }
        switch result {
        case .success(let deliver):
            for (waiter, own) in zip(waiters, deliver(waiters.map(\.caller))) { waiter.continuation.resume(with: own) }
        case .failure(let error):
            for waiter in waiters { waiter.continuation.resume(throwing: error) }
        }
    }

    private func leave(_ id: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let flight = state.joined.removeValue(forKey: id) else { return (nil, nil) }
            let waiter = state.flights[flight]?.waiters.removeValue(forKey: id)
            guard let abandoned = state.flights[flight], abandoned.waiters.isEmpty else { return (waiter, nil) }
            state.cancelled[id] = abandoned.task
            return (waiter, abandoned.task)
        }
        task?.cancel()
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// Prevents further calls from joining the flights with matching keys.
    package func close(where matches: (Key) -> Bool) {
        state.withLock { state in
            for key in state.open.keys where matches(key) { state.open[key] = nil }
        }
    }

    /// Prevents further calls from joining a flight.
    package func close(_ flight: Int) {
        state.withLock { $0.close(flight) }
    }

    /// Returns the callers that wait for a flight, in order of arrival.
    package func callers(of flight: Int) -> [Caller] {
        state.withLock { $0.flights[flight]?.inOrder.map(\.caller) ?? [] }
    }

    /// The number of flights, including abandoned ones.
    package var count: Int { state.withLock { $0.flights.count } }

    /// The number of callers waiting for a result.
    package var waiterCount: Int { state.withLock { $0.joined.count } }

    /// Whether the current task is part of a flight, or of work run by ``asPart(_:)``.
    package var isInside: Bool { WorkScope.isInside(self) }

    /// Runs other work of the flights' owner, in which ``isInside`` is true.
    package func asPart<Result: Sendable>(_ work: @Sendable () async throws -> Result) async rethrows -> Result {
        try await WorkScope.run(for: self) { try await work() }
    }
}

extension SingleFlight where Caller == Void {
    /// Returns the result of the flight in progress for the key, or runs the operation if there is none.
    ///
    /// A failure goes to all callers. A later call starts again.
    ///
    /// - Throws: The same errors as ``run(_:for:_:)``.
    package func run(_ key: Key, _ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await run(key, for: ()) { _ in
            let value = try await operation()
            return { callers in callers.map { .success(value) } }
        }
    }
}

/// The error thrown if an operation requests its own result, which would deadlock.
package struct SingleFlightReentry: Error {}
