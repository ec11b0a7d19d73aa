import FlyingSocks
import Foundation

/// Server-sent events for the stored records, and then for new ones as they arrive.
///
/// The events are `hello` (the current state), `records` (an array) and `cleared`. Their IDs are the positions from
/// which to resume after a broken connection.
struct RecordEvents: AsyncBufferedSequence {
    typealias Element = UInt8

    let store: RecordStore
    let signals: AsyncStream<Void>
    /// The number of the last record that the page has received.
    let position: Int64

    func makeAsyncIterator() -> Iterator {
        Iterator(store: store, signals: signals.makeAsyncIterator(), position: position)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        private let store: RecordStore
        private var signals: AsyncStream<Void>.Iterator
        private var position: Int64
        private var clearedThrough: Int64?
        private var pending: ArraySlice<UInt8> = []

        /// The maximum number of records in an event, and the maximum number of their bytes.
        private static let batch = (count: 500, bytes: 1 << 20)
        /// The time for which new records are collected for the same event.
        private static let pause = Duration.milliseconds(50)

        init(store: RecordStore, signals: AsyncStream<Void>.Iterator, position: Int64) {
            self.store = store
            self.signals = signals
            self.position = position
        }

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
            if pending.isEmpty {
                guard let event = try await nextEvent() else { return nil }
                pending = event[...]
            }
            let part = pending.prefix(Swift.max(1, count))
            pending = pending.dropFirst(part.count)
            return part
        }

        private mutating func nextEvent() async throws -> [UInt8]? {
            let state = await store.state
            guard let seen = clearedThrough else {
                clearedThrough = state.clearedThrough
                return Array("retry: 500\nevent: hello\ndata: \(state.json)\n\n".utf8)
            }
            if state.clearedThrough > seen {
                clearedThrough = state.clearedThrough
                position = Swift.max(position, state.clearedThrough)
                return event("cleared", Array(state.json.utf8))
            }
            if let records = await nextRecords() { return records }
            guard await signals.next() != nil else { return nil }
            try await Task.sleep(for: Self.pause)
            if let records = await nextRecords() { return records }
            return Array(": nothing new\n\n".utf8)
        }

        private mutating func nextRecords() async -> [UInt8]? {
            let page = await store.page(after: position, count: Self.batch.count, bytes: Self.batch.bytes)
            guard !page.elements.isEmpty else { return nil }
            position = page.last
            return event("records", [UInt8(ascii: "[")] + page.elements + [UInt8(ascii: "]")])
        }

        private func event(_ name: String, _ data: [UInt8]) -> [UInt8] {
            Array("event: \(name)\nid: \(store.instance):\(position)\ndata: ".utf8) + data + Array("\n\n".utf8)
        }
    }
}
