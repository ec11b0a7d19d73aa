import Foundation

/// The last records, numbered in order of arrival.
actor RecordStore {
    /// The maximum number of records.
    static let capacity = 10_000
    /// The maximum size of all records' JSON, in bytes.
    static let sizeLimit = 64 << 20
    /// The maximum number of concurrent watchers.
    static let watcherLimit = 64

    /// An identifier of this run, so that clients of an earlier run notice that the numbers restart.
    nonisolated let instance = String(UInt64.random(in: .min ... .max), radix: 36)

    private struct Entry {
        var number: Int64
        var json: [UInt8]
    }

    private var entries: [Entry] = []
    /// The index of the first entry that is kept.
    ///
    /// Entries before it are removed in batches.
    private var start = 0
    private var size = 0
    private var lastNumber: Int64 = 0
    private var clearedThrough: Int64 = 0
    /// The file that stores the records for the next run.
    private var file: KeptRecords?
    private var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastWatcher = 0

    /// Creates a store.
    ///
    /// - Parameter file: The file that stores the records for the next run; none by default.
    init(keptIn file: KeptRecords? = nil) {
        self.file = file
    }

    /// Loads the records of an earlier run.
    ///
    /// This must be called once, before any records are added.
    func load() {
        guard var file else { return }
        self.file = nil
        append(file.records(upTo: Self.capacity))
        file.replace(with: entries[start...].map(\.json))
        self.file = file
    }

    /// Adds records in order of time, and removes the oldest beyond the limits.
    func append(_ records: [ReceivedRecord]) {
        guard !records.isEmpty else { return }
        let before = entries.count
        // The records are sorted, because senders group the records of a batch, for example by component.
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
        // Removed records stay in the file until it has grown to twice the size limit.
        if let file, file.size > 2 * Self.sizeLimit { self.file?.replace(with: entries[start...].map(\.json)) }
        wake()
    }

    /// Removes all records.
    func clear() {
        entries = []
        start = 0
        size = 0
        clearedThrough = lastNumber
        file?.replace(with: [])
        wake()
    }

    /// The current state.
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
        /// The number of stored records.
        var count: Int
        /// The number of the oldest stored record.
        var first: Int64
        /// The number of the newest record, which is also the number of records received so far.
        var last: Int64
        /// The number of the newest cleared record.
        var clearedThrough: Int64

        var json: String {
            "{\"instance\":\"\(instance)\",\"count\":\(count),\"first\":\(first),\"last\":\(last),"
                + "\"cleared\":\(clearedThrough)}"
        }
    }

    /// Returns some of the records after a number, as elements of a JSON array.
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

    /// Returns a stream with a signal for each change, or `nil` if there are too many watchers.
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

    /// Wakes all watchers, even if there is no change, because writing to them shows whether they are still connected.
    func wake() {
        for watcher in watchers.values { watcher.yield() }
    }
}
