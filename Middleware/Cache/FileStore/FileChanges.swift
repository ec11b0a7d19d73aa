import HTTPChainCore

/// Changes of a directory, one after the other, on the threads of an executor: on one of them at a time.
///
/// Whoever waits for the lock of the directory, or for the disk, waits here, and those who look something up have the
/// other threads. Entries that arrive while a change is being made are stored together: they share the waits for the
/// disk.
final class FileChanges: FileWork {
    private enum Change {
        case work(@Sendable () -> Void)
        case arrival(FileCacheState.Arrival, @Sendable (FileCacheState.Outcome) -> Void)
    }

    private struct Pending {
        var changes: [Change] = []
        var isRunning = false
    }

    /// The number of entries that are stored together at most.
    private static let group = 64

    let state: Locked<FileCacheState>
    private let executor: FileExecutor
    private let pending = Locked(Pending())

    init(_ state: Locked<FileCacheState>, on executor: FileExecutor) {
        self.state = state
        self.executor = executor
    }

    /// How many changes wait.
    var count: Int { pending.withLock { $0.changes.count } }

    func submit(_ operation: @escaping @Sendable () -> Void) { add(.work(operation)) }

    /// Makes an entry visible whose files are ready.
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

    /// Makes the changes that wait; those that come meanwhile have to wait for a thread again, as everybody has.
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
