import HTTPChainCore

/// Serializes the changes of a directory on the threads of an executor, using one thread at a time.
///
/// All waits for the directory's lock or the disk happen here, so that the other threads are free for look-ups. Entries
/// that arrive during a change are then stored together, and share the waits for the disk.
final class FileChanges: FileWork {
    private enum Change {
        case work(@Sendable () -> Void)
        case arrival(FileCacheState.Arrival, @Sendable (FileCacheState.Outcome) -> Void)
    }

    private struct Pending {
        var changes: [Change] = []
        var isRunning = false
    }

    /// The maximum number of entries stored together.
    private static let group = 64

    let state: Locked<FileCacheState>
    private let executor: FileExecutor
    private let pending = Locked(Pending())

    init(_ state: Locked<FileCacheState>, on executor: FileExecutor) {
        self.state = state
        self.executor = executor
    }

    /// The number of pending changes.
    var count: Int { pending.withLock { $0.changes.count } }

    func submit(_ operation: @escaping @Sendable () -> Void) { add(.work(operation)) }

    /// Makes an entry visible; its files must be ready.
    func commit(_ arrival: FileCacheState.Arrival) async -> FileCacheState.Outcome {
        await withCheckedContinuation { continuation in
            add(.arrival(arrival) { continuation.resume(returning: $0) })
        }
    }

    private func add(_ change: Change) {
        let starts = pending.withLock { pending in
            pending.changes.append(change)
            defer { pending.isRunning = true }
            return !pending.isRunning
        }
        if starts { executor.submit { self.run() } }
    }

    /// Performs the pending changes; changes that arrive in the meantime wait for a thread again.
    private func run() {
        let changes = pending.withLock { pending in
            defer { pending.changes = [] }
            return pending.changes
        }
        var arrivals: [(FileCacheState.Arrival, @Sendable (FileCacheState.Outcome) -> Void)] = []
        func store() {
            guard !arrivals.isEmpty else { return }
            let entries = arrivals.map(\.0)
            let outcomes = state.withLock { $0.commit(entries) }
            for (arrival, outcome) in zip(arrivals, outcomes) { arrival.1(outcome) }
            arrivals = []
        }
        for change in changes {
            switch change {
            case .arrival(let arrival, let report):
                arrivals.append((arrival, report))
                if arrivals.count == Self.group { store() }
            case .work(let operation):
                store()
                operation()
            }
        }
        store()
        let goesOn = pending.withLock { pending in
            pending.isRunning = !pending.changes.isEmpty
            return pending.isRunning
        }
        if goesOn { executor.submit { self.run() } }
    }
}
