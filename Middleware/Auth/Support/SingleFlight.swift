import HTTPChainCore

/// Coalesces concurrent calls of an operation: it runs once, and all calls share the result.
///
/// The operation runs in a separate task, because none of its callers owns it. The task ends before the last caller
/// returns: if the last one is cancelled, it cancels the task and waits for its end. Operations with the same key never
/// overlap.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value, any Error>

    private struct Flight {
        let id: Int
        let task: Task<Void, Never>
        var waiters: [Int: Waiter]
        /// No waiters are left; kept until the task has ended, so that the next one starts after it.
        var isAbandoned = false
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        /// The cancelled tasks, by the ID of the last waiter, which waits for the task's end.
        var cancelled: [Int: Task<Void, Never>] = [:]
        var lastID = 0

        mutating func nextID() -> Int {
            lastID += 1
            return lastID
        }
    }

    private let state = Locked(State())

    package init() {}

    /// Returns the result of the operation in flight for the key, or of the given operation if there is none.
    ///
    /// A failure goes to all waiters. A later call starts again.
    ///
    /// - Throws: Rethrows the operation's error; `CancellationError` as soon as the caller is cancelled, or, for the
    ///   last caller, once the operation, which is cancelled too, has ended; ``SingleFlightReentry`` if the operation
    ///   waits for itself.
    package func run(_ key: Key, _ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let id = state.withLock { $0.nextID() }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { join(key, id, $0, operation) }
            } onCancel: {
                leave(key, id)
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
        _ operation: @escaping @Sendable () async throws -> Value
    ) {
        let refusal: (any Error)? = state.withLock { state in
            // A cancellation before the waiter was registered had nothing to cancel.
            if Task.isCancelled { return CancellationError() }
            if let flight = state.flights[key], SingleFlights.current.contains(name(of: flight.id)) {
                return SingleFlightReentry()
            }
            if let flight = state.flights[key], !flight.isAbandoned {
                state.flights[key]?.waiters[id] = waiter
                return nil
            }
            let flightID = state.nextID()
            let previous = state.flights[key]?.task
            let task = Task { [self] in
                await previous?.value
                await fly(key, flightID, operation)
            }
            state.flights[key] = Flight(id: flightID, task: task, waiters: [id: waiter])
            return nil
        }
        if let refusal { waiter.resume(throwing: refusal) }
    }

    private func fly(_ key: Key, _ id: Int, _ operation: @Sendable () async throws -> Value) async {
        let result: Result<Value, any Error>
        do {
            try Task.checkCancellation()
            let around = SingleFlights.current + [name(of: id)]
            result = .success(try await SingleFlights.$current.withValue(around) { try await operation() })
        } catch {
            result = .failure(error)
        }
        let waiters = state.withLock { state -> [Int: Waiter] in
            guard let flight = state.flights[key], flight.id == id else { return [:] }
            state.flights[key] = nil
            return flight.waiters
        }
        // Waiters resume in the order in which they came.
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(with: result) }
    }

    private func leave(_ key: Key, _ id: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.flights[key]?.waiters.removeValue(forKey: id) else { return (nil, nil) }
            guard let flight = state.flights[key], flight.waiters.isEmpty else { return (waiter, nil) }
            state.flights[key]?.isAbandoned = true
            state.cancelled[id] = flight.task
            return (waiter, flight.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    /// The number of flights, including abandoned ones.
    package var count: Int { state.withLock { $0.flights.count } }

    /// The number of callers waiting for a result.
    package var waiterCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.waiters.count } } }

    private func name(of id: Int) -> SingleFlights.Name {
        SingleFlights.Name(owner: ObjectIdentifier(self), id: id)
    }
}

/// Thrown if an operation requests its own result, which would deadlock.
package struct SingleFlightReentry: Error {}

/// The flights that the current task is part of.
private enum SingleFlights {
    struct Name: Sendable, Hashable {
        let owner: ObjectIdentifier
        let id: Int
    }

    @TaskLocal static var current: [Name] = []
}
