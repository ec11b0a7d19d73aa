import DrillSupport
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes

#if SQLite
import HTTPChainCacheSQLite
#endif

// Writes entries into a store until it is killed:
// CacheKillDrill files|sqlite <path> <total bytes> <seed> <journal> <0|1>
// Two of them share a store, one with the even keys and one with the odd ones. Before and after each change a line goes
// into the journal, which tells what may be found afterwards. After each change it prints a dot.
// Begins to read an entry, says so, and reads to the end when there is a line to read:
// CacheKillDrill files|sqlite <path> <total bytes> hold <number>
// Removes an entry: CacheKillDrill files|sqlite <path> <total bytes> remove <number>
// Shows, without the rights of root, what it finds in one: CacheKillDrill files|sqlite <path> <total bytes> read
//
// The content of an entry follows from its key and its generation, which is a field of its head, so that whoever looks
// at the directory afterwards can tell a wrong byte.

func cacheKey(_ number: Int) -> CacheKey {
    CacheKey(url: "https://example.com/\(number)", identifier: "item-\(number)")
}

func metadata(_ generation: Int, _ length: Int) -> CacheMetadata {
    var head = HTTPResponse(status: .ok)
    head.headerFields[.contentLength] = "\(length)"
    head.headerFields[.eTag] = "\"\(generation)\""
    let now = Date(timeIntervalSince1970: 784_111_777)
    return CacheMetadata(head: head, requestTime: now, responseTime: now)
}

@main
enum Drill {
    static func main() async {
        Parent.endWithIt()
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let total = Int64(arguments[3]),
            let store = store(arguments[1], arguments[2], CacheBounds(totalBytes: ByteCount(total), entryCount: 64))
        else { usage() }
        if arguments[4] == "read" {
            // Nobody, to whom files may be forbidden.
            if geteuid() == 0, setgid(65_534) != 0 || setuid(65_534) != 0 { exit(4) }
            return await read(store)
        }
        if arguments.count == 6, let number = Int(arguments[5]) {
            switch arguments[4] {
            case "hold": return await hold(store, number)
            case "remove":
                let count = try? await store.remove(.key(cacheKey(number)))
                exit(count == 1 ? 0 : 1)
            default: usage()
            }
        }
        guard arguments.count == 7, let seed = UInt64(arguments[4]), let parity = Int(arguments[6]),
            FileManager.default.createFile(atPath: arguments[5], contents: nil),
            let journal = FileHandle(forWritingAtPath: arguments[5])
        else { usage() }
        var numbers = Numbers(seed: seed)
        var generation = numbers.next(1_000_000)
        var lastStored: Int?
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        do {
            while true {
                generation += 1
                try await step(store, &numbers, generation, parity, journal, &lastStored)
                FileHandle.standardOutput.write(Data(".".utf8))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(3)
        }
    }

    private static func usage() -> Never {
        print("usage: CacheKillDrill files|sqlite <path> <total bytes> read|(hold|remove <n>)|(<seed> <journal> 0|1)")
        exit(2)
    }

    private static func store(_ kind: String, _ path: String, _ bounds: CacheBounds) -> (any CacheStore)? {
        switch kind {
        case "files": return FileCacheStore(directory: URL(fileURLWithPath: path), bounds: bounds)
        #if SQLite
        case "sqlite": return SQLiteCacheStore(file: URL(fileURLWithPath: path), bounds: bounds)
        #endif
        default: return nil
        }
    }

    /// Prints "reading" when the first bytes of an entry are read, and then what comes of the rest.
    private static func hold(_ store: any CacheStore, _ number: Int) async {
        func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
        do {
            let key = cacheKey(number)
            guard let entry = try await store.variants(of: key).first,
                let tag = entry.response.metadata.head.headerFields[.eTag],
                let generation = Int(tag.dropFirst().dropLast()),
                let body = try await store.body(of: entry, range: nil)
            else { return say("nothing") }
            var chunks = body.makeAsyncIterator()
            var read = try await chunks.next() ?? Data()
            say("reading")
            _ = readLine()
            while let chunk = try await chunks.next() { read += chunk }
            say(read == DrillContent.entry(number, generation, Int(entry.response.bodyLength)) ? "whole" : "wrong")
        } catch {
            say(error is CacheStoreFault ? "fault" : "\(error)")
        }
    }

    /// Prints how much is found, then what comes of storing, and how much is found after all was removed.
    private static func read(_ store: any CacheStore) async {
        func found() async -> Int {
            var count = 0
            for number in 0..<100 {
                let key = cacheKey(number)
                guard let entry = try? await store.variants(of: key).first,
                    let bytes = try? await store.body(of: entry, range: nil)?.collect(),
                    let tag = entry.response.metadata.head.headerFields[.eTag],
                    bytes == DrillContent.entry(number, Int(tag.dropFirst().dropLast()) ?? -1, bytes.count)
                else { continue }
                count += 1
            }
            return count
        }
        func outcome(_ work: () async throws -> Void) async -> String {
            do {
                try await work()
                return "done"
            } catch {
                return error is CacheStoreFault ? "fault" : "\(error)"
            }
        }
        print(await found())
        let stored = await outcome {
            let writer = try await store.makeWriter(
                for: CacheKey(url: "https://example.com/x"),
                metadata(1, 3),
                expecting: 3
            )
            _ = try await writer?.write(Data("abc".utf8))
            _ = try await writer?.commit()
        }
        let removed = await outcome { try await store.remove(.all) }
        print(stored, removed, await found())
    }

    private static func step(
        _ store: any CacheStore,
        _ numbers: inout Numbers,
        _ generation: Int,
        _ parity: Int,
        _ journal: FileHandle,
        _ lastStored: inout Int?
    ) async throws {
        let number = numbers.next(50) * 2 + parity
        // Goes to the system at once, where it survives this process.
        func note(_ line: String) throws { try journal.write(contentsOf: Data("\(line)\n".utf8)) }
        let key = cacheKey(number)
        switch numbers.next(10) {
        case 0, 9:
            // One that is likely to be there.
            let number = lastStored ?? number
            try await store.remove(.key(cacheKey(number)))
            try note("removed \(number)")
            lastStored = nil
        case 1:
            guard let entry = try await store.variants(of: key).first else { return }
            var changed = entry.response.metadata
            changed.head.headerFields[.age] = "\(generation)"
            _ = try await store.update(entry, to: changed)
        case 2:
            guard let entry = try await store.variants(of: key).first else { return }
            _ = try await store.body(of: entry, range: nil)
        default:
            let length = numbers.next(4) == 0 ? numbers.next(400_000) : numbers.next(9000)
            try note("storing \(number) \(generation)")
            guard let writer = try await store.makeWriter(for: key, metadata(generation, length), expecting: nil)
            else { return }
            var rest = DrillContent.entry(number, generation, length)
            while !rest.isEmpty {
                _ = try await writer.write(rest.prefix(30_000))
                rest = rest.dropFirst(30_000)
            }
            if numbers.next(10) == 0 { return await writer.abandon() }
            guard try await writer.commit().entry != nil else { return }
            try note("stored \(number) \(generation)")
            lastStored = number
        }
    }
}
