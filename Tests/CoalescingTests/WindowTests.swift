import Foundation
import HTTPChainCoalescing
import HTTPChainTesting
import TestSupport
import Testing

@Suite("What is held of a shared body", .seeded)
struct WindowTests {
    @Test("Each reader gets all chunks in order, and waits at the end")
    func order() {
        let window = Held(readers: 2, memory: 100, disk: 0)
        #expect(window.next(0) == "wait")
        window.append(Data("one".utf8))
        window.append(Data())
        window.append(Data("two".utf8))
        for reader in 0..<2 {
            #expect(window.next(reader) == "one")
            #expect(window.next(reader) == "two")
            #expect(window.next(reader) == "wait")
        }
        #expect(window.isAtEnd(0))
    }

    @Test("What all have read is let go, and what a slow one needs is not")
    func trimming() {
        let window = Held(readers: 2, memory: 100, disk: 0)
        window.append(Data("one".utf8))
        window.append(Data("two".utf8))
        _ = window.next(0)
        _ = window.next(0)
        #expect(window.start == 0)
        _ = window.next(1)
        #expect(window.start == 3)
        window.remove(1)
        #expect(window.start == 6)
    }

    @Test("What exceeds the memory goes to the file, the oldest first, and is read from there")
    func spilling() {
        let window = Held(readers: 2, memory: 4, disk: 100)
        for chunk in ["one", "two", "six"] {
            window.append(Data(chunk.utf8))
            #expect(window.next(0) == chunk)
        }
        #expect(window.spill() == ["0 one", "3 two"])
        #expect(window.needsFile)
        #expect(window.next(1) == "file 0+6")
        #expect(window.finishFileRead(1, count: 2))
        #expect(window.next(1) == "file 2+4")
        #expect(window.finishFileRead(1, count: 4))
        #expect(!window.needsFile)
        #expect(window.next(1) == "six")
    }

    @Test("The last chunk stays in memory, however large")
    func largeChunk() {
        let window = Held(readers: 2, memory: 1, disk: 100)
        window.append(Data("large".utf8))
        #expect(window.spill() == [])
        #expect(window.next(0) == "large")
    }

    @Test("Beyond memory and file the slowest loses its place, and the others do not")
    func losing() {
        let window = Held(readers: 3, memory: 3, disk: 3)
        for chunk in ["one", "two", "six"] {
            window.append(Data(chunk.utf8))
            #expect(window.next(0) == chunk)
            if chunk == "one" { #expect(window.next(1) == "one") }
            _ = window.spill()
        }
        #expect(window.next(2) == "lost")
        #expect(window.next(1) == "file 3+3")
        window.append(Data("ten".utf8))
        _ = window.spill()
        #expect(!window.finishFileRead(1, count: 3), "what it read may have been overwritten")
        #expect(window.next(0) == "ten")
        #expect(window.hasReaders)
    }

    @Test("With no file, a slow reader has the memory and no more")
    func withoutFile() {
        let window = Held(readers: 2, memory: 3, disk: 0)
        window.append(Data("one".utf8))
        #expect(window.next(0) == "one")
        #expect(window.spill() == [])
        window.append(Data("two".utf8))
        #expect(window.spill() == [])
        #expect(window.next(1) == "lost")
        #expect(window.next(0) == "two")
    }

    @Test("What comes when nobody reads any more is not held")
    func abandoned() {
        let window = Held(readers: 1, memory: 1, disk: 0)
        window.append(Data("one".utf8))
        window.remove(0)
        window.append(Data("two".utf8))
        window.append(Data("six".utf8))
        #expect(window.spill() == [])
        #expect(window.start == 9)
        #expect(!window.hasReaders)
    }

    @Test("At any order of chunks and reads, each reader gets the body or loses its place", arguments: 0..<50)
    func random(seed: UInt64) {
        let random = Seed.numbers(seed)
        func pick(_ count: UInt64) -> Int { Int(random.next() % count) }
        let disk = [0, 7, 40, 1000][pick(4)]
        let window = Held(readers: 4, memory: Int64(pick(20)), disk: Int64(disk))
        var file = [Int64: UInt8]()
        var read = Array(repeating: 0, count: 4)
        var lost = Set<Int>()
        for _ in 0..<600 {
            let reader = pick(5)
            if reader == 4 {
                let end = Int(window.end)
                window.append(pattern(end..<(end + pick(6))))
                while let chunk = window.nextSpill() {
                    for (index, byte) in chunk.bytes.enumerated() {
                        file[(chunk.offset + Int64(index)) % Int64(disk)] = byte
                    }
                    window.dropChunks(to: chunk.offset + Int64(chunk.bytes.count))
                }
                continue
            }
            switch window.step(for: reader) {
            case .chunk(let bytes):
                #expect(bytes.elementsEqual(pattern(read[reader]..<(read[reader] + bytes.count))))
                read[reader] += bytes.count
            case .file(let offset, let count):
                #expect(offset == Int64(read[reader]))
                let bytes = (0..<Int64(count)).compactMap { file[(offset + $0) % Int64(disk)] }
                #expect(bytes.elementsEqual(pattern(read[reader]..<(read[reader] + count))))
                #expect(window.finishFileRead(reader, count: count))
                read[reader] += count
            case .wait:
                #expect(read[reader] == Int(window.end))
            case .lost:
                lost.insert(reader)
            }
        }
        #expect(disk < 1000 || lost.isEmpty)
    }
}

/// A window that tells its steps in a few words.
private final class Held {
    private var window: SharedWindow

    init(readers: Int, memory: Int64, disk: Int64) {
        window = SharedWindow(readers: readers, memory: memory, disk: disk)
    }

    var start: Int64 { window.start }
    var end: Int64 { window.end }
    var needsFile: Bool { window.needsFile }
    var hasReaders: Bool { window.hasReaders }

    func append(_ bytes: Data) { window.append(bytes) }
    func remove(_ reader: Int) { window.remove(reader) }
    func step(for reader: Int) -> SharedWindow.Step { window.step(for: reader) }
    func isAtEnd(_ reader: Int) -> Bool { window.isAtEnd(reader) }
    func finishFileRead(_ reader: Int, count: Int) -> Bool { window.finishFileRead(reader, count: count) }
    func nextSpill() -> SharedWindow.Spill? { window.nextSpill() }
    func dropChunks(to offset: Int64) { window.dropChunks(to: offset) }

    /// What a reader gets next.
    func next(_ reader: Int) -> String {
        switch window.step(for: reader) {
        case .chunk(let bytes): String(decoding: bytes, as: UTF8.self)
        case .file(let offset, let count): "file \(offset)+\(count)"
        case .wait: "wait"
        case .lost: "lost"
        }
    }

    /// What goes to the file now.
    func spill() -> [String] {
        var spilled: [String] = []
        while let chunk = window.nextSpill() {
            spilled.append("\(chunk.offset) \(String(decoding: chunk.bytes, as: UTF8.self))")
            window.dropChunks(to: chunk.offset + Int64(chunk.bytes.count))
        }
        return spilled
    }
}
