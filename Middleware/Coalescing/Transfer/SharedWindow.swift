package import Foundation
import HTTPChainSupport

/// The part of a body that is kept for its readers, and the readers' positions.
///
/// The bytes from `start` to `end` are in memory, in chunks as received. Earlier bytes, from the position of the
/// slowest reader on, are in a file, which is a ring of `disk` bytes.
package struct SharedWindow {
    /// The next step of a reader.
    package enum Step {
        /// Use these bytes; the reader's position is already after them.
        case chunk(Data)
        /// Read bytes at an offset of the body from the file, then call ``finishFileRead(_:count:)``.
        case file(offset: Int64, count: Int)
        /// Wait, because the reader has everything that has arrived.
        case wait
        /// The bytes that the reader needs are no longer kept.
        case lost
    }

    /// A chunk that must be written to the file for slow readers.
    package struct Spill {
        package let offset: Int64
        package let bytes: Data
    }

    private let memory: Int64
    private let disk: Int64
    private var chunks: [(offset: Int64, bytes: Data)] = []
    /// The index of the first chunk that is still needed; earlier chunks are removed from the array in batches.
    private var firstChunk = 0
    package private(set) var end: Int64 = 0
    private var positions: [Int: Int64]
    /// The number of readers at each position, so that the slowest is found without looking at all readers.
    private var readersAt: [Int64: Int]
    private var slowest: Int64 = 0

    package init(readers: Int, memory: Int64, disk: Int64) {
        self.memory = memory
        self.disk = disk
        positions = Dictionary(uniqueKeysWithValues: (0..<readers).map { ($0, 0) })
        readersAt = [0: readers]
    }

    package var hasReaders: Bool { !positions.isEmpty }

    /// The position of the first byte in memory.
    package var start: Int64 { firstChunk < chunks.count ? chunks[firstChunk].offset : end }

    /// Whether any reader needs the file.
    package var needsFile: Bool { slowest < start }

    package mutating func step(for reader: Int) -> Step {
        guard let position = positions[reader] else { return .lost }
        if position == end { return .wait }
        let start = start
        if position < start { return .file(offset: position, count: Int(min(start - position, 65_536))) }
        let chunk = chunks[index(at: position)]
        let bytes = chunk.bytes.dropFirst(Int(position - chunk.offset))
        move(reader, from: position, to: position + Int64(bytes.count))
        return .chunk(bytes)
    }

    /// Moves a reader past bytes that were read from the file.
    ///
    /// - Returns: `false` if the reader has lost its place in the meantime, so that the bytes may be wrong.
    package mutating func finishFileRead(_ reader: Int, count: Int) -> Bool {
        guard let position = positions[reader] else { return false }
        move(reader, from: position, to: position + Int64(count))
        return true
    }

    /// Whether a reader has read everything that has arrived.
    package func isAtEnd(_ reader: Int) -> Bool { positions[reader] == end }

    package mutating func append(_ bytes: Data) {
        guard !bytes.isEmpty else { return }
        chunks.append((end, bytes))
        end += Int64(bytes.count)
        if positions.isEmpty { slowest = end }
        dropChunks(to: slowest)
    }

    /// Returns the oldest chunk if there is too much in memory; `nil` if there isn't.
    ///
    /// It stays in memory until ``dropChunks(to:)``.
    ///
    /// Readers for which the file has no room lose their places.
    package mutating func nextSpill() -> Spill? {
        while chunks.count - firstChunk > 1, end - start > memory {
            let chunk = chunks[firstChunk]
            if chunk.offset + Int64(chunk.bytes.count) - slowest <= disk {
                return Spill(offset: chunk.offset, bytes: chunk.bytes)
            }
            dropSlowest()
        }
        return nil
    }

    /// Makes the slowest readers lose their places.
    mutating func dropSlowest() {
        let position = slowest
        for reader in positions.filter({ $0.value == position }).keys { remove(reader) }
    }

    package mutating func remove(_ reader: Int) {
        guard let position = positions.removeValue(forKey: reader) else { return }
        left(position)
    }

    private mutating func move(_ reader: Int, from old: Int64, to new: Int64) {
        positions[reader] = new
        readersAt[new, default: 0] += 1
        left(old)
    }

    private mutating func left(_ position: Int64) {
        let count = (readersAt[position] ?? 0) - 1
        guard count <= 0 else {
            readersAt[position] = count
            return
        }
        readersAt[position] = nil
        guard position == slowest else { return }
        slowest = readersAt.keys.min() ?? end
        dropChunks(to: slowest)
    }

    /// Removes the chunks up to `offset`; all readers have read them, or they are now in the file.
    package mutating func dropChunks(to offset: Int64) {
        while firstChunk < chunks.count {
            let chunk = chunks[firstChunk]
            guard chunk.offset + Int64(chunk.bytes.count) <= offset else { break }
            chunks[firstChunk].bytes = Data()
            firstChunk += 1
        }
        if firstChunk > 32, firstChunk * 2 > chunks.count {
            chunks.removeFirst(firstChunk)
            firstChunk = 0
        }
    }

    /// Returns the index of the chunk that contains a position.
    ///
    /// Uses a binary search, because there may be many small chunks.
    private func index(at position: Int64) -> Int {
        chunks[(firstChunk + 1)...].sortedIndex { $0.offset > position } - 1
    }
}
