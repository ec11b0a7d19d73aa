import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes

// Writes entries into a store of files until it is killed: CacheKillDrill <directory> <total bytes> <seed>
//
// The content of an entry follows from its key and its generation, which is a field of its head, so that whoever looks
// at the directory afterwards can tell a wrong byte.

/// Bytes that follow from a key and a generation.
func content(_ number: Int, _ generation: Int, _ length: Int) -> Data {
    var state = UInt64(truncatingIfNeeded: number) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: generation)
    var bytes = Data(capacity: length + 8)
    while bytes.count < length {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
    }
    return bytes.prefix(length)
}

func metadata(_ generation: Int, _ length: Int) -> CacheMetadata {
    var head = HTTPResponse(status: .ok)
    head.headerFields[.contentLength] = "\(length)"
    head.headerFields[.eTag] = "\"\(generation)\""
    let now = Date(timeIntervalSince1970: 784_111_777)
    return CacheMetadata(head: head, requestTime: now, responseTime: now)
}

/// Numbers that follow from a seed.
struct Numbers {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}

@main
enum Drill {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let total = Int64(arguments[2]), let seed = UInt64(arguments[3]) else {
            print("usage: CacheKillDrill <directory> <total bytes> <seed>")
            exit(2)
        }
        let store = FileCacheStore(
            directory: URL(fileURLWithPath: arguments[1]),
            bounds: CacheBounds(totalBytes: ByteCount(total), entryCount: 64)
        )
        var numbers = Numbers(state: seed)
        var generation = numbers.next(1_000_000)
        FileHandle.standardOutput.write(Data("ready\n".utf8))
        do {
            while true {
                generation += 1
                try await step(store, &numbers, generation)
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(3)
        }
    }

    static func step(_ store: FileCacheStore, _ numbers: inout Numbers, _ generation: Int) async throws {
        let number = numbers.next(100)
        let key = CacheKey(url: "https://example.com/\(number)", identifier: "item-\(number)")
        switch numbers.next(10) {
        case 0: try await store.remove(.key(key))
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
            guard let writer = try await store.makeWriter(for: key, metadata(generation, length), expecting: nil)
            else { return }
            var rest = content(number, generation, length)
            while !rest.isEmpty {
                _ = try await writer.write(rest.prefix(30_000))
                rest = rest.dropFirst(30_000)
            }
            if numbers.next(10) == 0 { await writer.abandon() } else { _ = try await writer.commit() }
        }
    }
}
