import Foundation

/// The last records, numbered in the order in which they came.
actor RecordStore {
    /// The most records that are kept.
    static let capacity = 10_000
    /// The most bytes of JSON that are kept.
    static let sizeLimit = 64 << 20
    /// The most that watch at a time.
    static let watcherLimit = 64

    /// Names this run, so that who was connected to an earlier one sees that the numbers begin again.
    nonisolated let instance = String(UInt64.random(in: .min ... .max), radix: 36)

    private struct Entry {
        var number: Int64
        var json: [UInt8]
    }

    private var entries: [Entry] = []
    /// Where the kept entries begin: those before it are removed many at a time.
    private var start = 0
    private var size = 0
    private var lastNumber: Int64 = 0
    private var clearedThrough: Int64 = 0
    /// Where what is kept is written down.
    private var file: KeptRecords?
    private var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastWatcher = 0

    /// Makes a store.
    ///
    /// - Parameter file: Keeps the records for the next run; nothing does by default.
    init(keptIn file: KeptRecords? = nil) {
        self.file = file
    }

    /// Takes what an earlier run has kept; called once, before anything else is taken.
    func load() {
        guard var file else { return }
        self.file = nil
        append(file.records(upTo: Self.capacity))
        file.replace(with: entries[start...].map(\.json))
        self.file = file
    }

    /// Keeps records, by their times, and forgets the oldest beyond the limits.
    func append(_ records: [ReceivedRecord]) {
        guard !records.isEmpty else { return }
        let before = entries.count
        // Senders group what they send together, by component for example.
        let order = records.indices.sorted { (records[$0].time, $0) < (records[$1].time, $1) }
        for record in order.map({ records[$0] }) {
            lastNumber += 1
            let json = record.json(number: lastNumber)
            size += json.count
            entries.append(Entry(number: lastNumber, json: json))
        }
        file?.append(entries[before...].map(\.json))
        while entries.count - start > Self.capacity || (size > Self.sizeLimit && start < entries.count - 1) {
            size -= entries[start].json.count
            entries[start].json = []
            start += 1
        }
        if start > 1_024 {
            entries.removeFirst(start)
            start = 0
        }
        // What was forgotten is in the file until that has grown to twice what may be kept.
        if let file, file.size > 2 * Self.sizeLimit { self.file?.replace(with: entries[start...].map(\.json)) }
        wake()
    }

    /// Forgets all records.
    func clear() {
        entries = []
        start = 0
        size = 0
        clearedThrough = lastNumber
        file?.replace(with: [])
        wake()
    }

    /// How things stand.
    var state: State {
        State(
            instance: instance,
            count: entries.count - start,
            first: entries.count > start ? entries[start].number : lastNumber + 1,
            last: lastNumber,
            clearedThrough: clearedThrough
        )
    }

    struct State: Sendable {
        var instance: String
        /// How many records are kept.
        var count: Int
        /// The number of the oldest that is kept.
        var first: Int64
        /// The number of the newest: how many have come.
        var last: Int64
        /// The number of the newest that was cleared away.
        var clearedThrough: Int64

        var json: String {
            "{\"instance\":\"\(instance)\",\"count\":\(count),\"first\":\(first),\"last\":\(last),"
                + "\"cleared\":\(clearedThrough)}"
        }
    }

    /// Some of the records after a number, as elements of a JSON array.
    func page(after number: Int64, count: Int, bytes: Int) -> (elements: [UInt8], last: Int64) {
        guard entries.count > start, number < lastNumber else { return ([], number) }
        let first = entries[start].number
        var index = start + Int(max(0, number - first + 1))
        var elements: [UInt8] = []
        var last = number
        var rest = count
        while index < entries.count, rest > 0, elements.count < bytes {
            if !elements.isEmpty { elements.append(UInt8(ascii: ",")) }
            elements.append(contentsOf: entries[index].json)
            last = entries[index].number
            index += 1
            rest -= 1
        }
        return (elements, last)
    }

    /// A signal for each change, until it is dropped; `nil` when too many watch already.
    func watch() -> AsyncStream<Void>? {
        guard watchers.count < Self.watcherLimit else { return nil }
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        lastWatcher += 1
        let id = lastWatcher
        watchers[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.remove(id) }
        }
        return stream
    }

    private func remove(_ watcher: Int) {
        watchers[watcher] = nil
    }

    /// Wakes whoever watches, changed or not: what is written then shows whether they are still there.
    func wake() {
        for watcher in watchers.values { watcher.yield() }
    }
}
