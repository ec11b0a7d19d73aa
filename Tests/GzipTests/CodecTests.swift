#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Compressing and decoding", .heavy, .seeded, .timeLimit(.minutes(10)))
struct CodecTests {
    @Test("Content comes back as it was, whatever the pieces", arguments: [1, 2, 7, 4096, 65_536, 1 << 20])
    func roundTrip(size: Int) async throws {
        for sample in Samples.all where sample.count / size < 3000 {
            let encoded = HTTPBody.pieces(sample, of: size).encoded(with: .gzip)
            #expect(try await encoded.decoded(from: [.gzip]).content == sample)
            let bytes = try await encoded.content
            #expect(try await HTTPBody.pieces(bytes, of: size).decoded(from: [.gzip]).content == sample)
        }
    }

    @Test("No chunk is empty, and none is larger than 64 KiB")
    func chunks() async throws {
        let encoded = HTTPBody(Samples.zeros(5_000_000)).encoded(with: .gzip)
        for try await chunk in encoded { #expect((1...HTTPBody.chunkSize).contains(chunk.count)) }
        var count = 0
        for try await chunk in encoded.decoded(from: [.gzip], limits: .unlimited) {
            #expect((1...HTTPBody.chunkSize).contains(chunk.count))
            count += chunk.count
        }
        #expect(count == 5_000_000)
    }

    @Test("The level decides how small the result is")
    func levels() async throws {
        let sample = Samples.json(300_000)
        let sizes = try await [0, 1, 6].asyncMap { try await gzip(sample, level: $0).count }
        #expect(sizes[0] > sample.count && sizes[0] < sample.count + 1000)
        #expect(sizes[1] < sample.count / 2)
        #expect(sizes[2] < sizes[1])
        #expect(ContentCoding.gzip(level: 99).settings == "level 9")
        #expect(ContentCoding.gzip(level: -1).settings == "level 0")
    }

    @Test("A body can be read as often compressed as it can be itself")
    func replayable() async throws {
        let sample = Samples.json(10_000)
        let again = HTTPBody(sample).encoded(with: .gzip)
        #expect(again.isReplayable)
        #expect(again.length == nil)
        #expect(try await again.content == again.content)
        let once = HTTPBody.stream(sample).encoded(with: .gzip)
        #expect(!once.isReplayable)
        _ = try await once.content
        await #expect(throws: BodyError(.alreadyRead)) { try await once.content }
    }

    @Test("Members that follow each other are one content, an empty one among them")
    func members() async throws {
        let samples = [Samples.json(1000), Data(), Samples.noise(10_000), Data("x".utf8)]
        let encoded = try await samples.asyncMap { try await gzip($0) }.reduce(Data(), +)
        for size in [1, 2, 3, 5000, encoded.count] {
            #expect(
                try await HTTPBody.pieces(encoded, of: size).decoded(from: [.gzip]).content == samples.reduce(Data(), +)
            )
        }
    }

    @Test("What follows the last member is passed over, as gzip(1) does", arguments: [1, 2, 1000])
    func trailer(size: Int) async throws {
        let encoded = try await gzip(Data("whole".utf8))
        let trailers: [Data] = [
            Data(count: 1), Data(count: 512), Data("garbage".utf8), Data([0x1F]), Data([0x1F, 0x1F, 0x8B]),
            Data([0x8B, 0x1F]), Samples.noise(1000), Data(count: 500_000),
        ]
        for trailer in trailers where size > 2 || trailer.count < 10_000 {
            let body = HTTPBody.pieces(encoded + trailer, of: size).decoded(from: [.gzip])
            #expect(try await body.text() == "whole", "\(trailer.count) bytes")
        }
    }

    @Test("What begins like a further member must be one")
    func brokenMember() async throws {
        let encoded = try await gzip(Data("whole".utf8))
        let next = try await gzip(Data("more".utf8))
        for count in 2..<next.count {
            let error = try await failure(of: HTTPBody(encoded + next.prefix(count)).decoded(from: [.gzip]))
            #expect(error.problem == .truncated)
            #expect(error.offset == Int64(encoded.count + count))
        }
        let unknown = try await failure(of: HTTPBody(encoded + Data([0x1F, 0x8B, 7, 0])).decoded(from: [.gzip]))
        #expect(unknown.problem == .corrupt("unknown compression method"))
    }

    @Test("Data behind deflate is passed over too")
    func deflateTrailer() async throws {
        let stored = Data([0x01, 0x02, 0x00, 0xFD, 0xFF, 0x68, 0x69])
        #expect(try await HTTPBody(stored + Samples.noise(100)).decoded(from: [.deflate]).text() == "hi")
        let empty = Data([0x03, 0x00])
        for size in [1, 2] {
            #expect(try await HTTPBody.pieces(empty, of: size).decoded(from: [.deflate]).content.isEmpty)
        }
    }

    @Test("gzip under the name of deflate is decoded, as some servers send it")
    func mislabelled() async throws {
        let encoded = try await gzip(Data("whole".utf8))
        #expect(try await HTTPBody(encoded + encoded).decoded(from: [.deflate]).text() == "wholewhole")
    }

    @Test("No bytes at all are no content")
    func nothing() async throws {
        for coding in [ContentCoding.gzip, .deflate] {
            #expect(try await HTTPBody.stream(Data()).decoded(from: [coding]).content.isEmpty)
        }
    }

    @Test("Output is handed on as soon as there is some, not when a buffer is full")
    func latency() async throws {
        // The start of a gzip member whose encoder has flushed, then nothing for ever.
        let flushed = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x00, 0x05, 0x00, 0xFA, 0xFF]) + Data("event".utf8)
        let body = HTTPBody.stream(flushed, error: Missing("the rest")).decoded(from: [.gzip])
        var reader = try await body.makeReader()
        #expect(try await reader.read() == Data("event".utf8))
        await #expect(throws: Missing.self) { try await reader.read() }
    }
}

@Suite("Damaged content", .heavy, .seeded, .timeLimit(.minutes(10)))
struct DamagedContentTests {
    @Test("Content cut anywhere is an error that says after how many bytes", arguments: [1, 1000])
    func truncated(size: Int) async throws {
        let encoded = try await gzip(Samples.json(1000))
        for count in 1..<encoded.count {
            let error = try await failure(of: .pieces(encoded.prefix(count), of: size).decoded(from: [.gzip]))
            #expect(error.problem == .truncated)
            #expect(error.offset == Int64(count))
            #expect(error.coding == "gzip")
        }
    }

    @Test("Every flipped bit is detected, except where it doesn't affect the content")
    func flipped() async throws {
        let sample = Samples.json(2000)
        let encoded = try await gzip(sample)
        var failures = 0
        for bit in 0..<encoded.count * 8 {
            var damaged = encoded
            damaged[damaged.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
            do {
                // Time, extra flags and operating system, and a flag that calls the content text.
                let content = try await HTTPBody(damaged).decoded(from: [.gzip]).content
                #expect(content == sample && (bit / 8 < 10))
            } catch let error as ContentCodingError {
                failures += 1
                #expect(error.offset <= encoded.count)
            }
        }
        #expect(failures >= (encoded.count - 10) * 8)
    }

    @Test("Checksum and length are verified, and the error says where")
    func checksum() async throws {
        let encoded = try await gzip(Samples.json(100_000))
        for (distance, detail) in [(8, "incorrect data check"), (4, "incorrect length check")] {
            var damaged = encoded
            damaged[damaged.endIndex - distance] ^= 1
            let error = try await failure(of: HTTPBody.pieces(damaged, of: 100).decoded(from: [.gzip]))
            #expect(error.problem == .corrupt(detail))
            #expect(error.offset > encoded.count - 8)
            #expect("\(error)".contains("corrupt at byte \(error.offset)"))
        }
    }

    @Test("A zlib stream that needs a dictionary is an error")
    func dictionary() async throws {
        let error = try await failure(of: HTTPBody(Data([0x78, 0xBB, 1, 2, 3, 4, 5, 6])).decoded(from: [.deflate]))
        #expect(error.problem == .needsDictionary)
    }

    @Test("Plain content under the name of gzip is an error that says so")
    func plain() async throws {
        let error = try await failure(of: HTTPBody("<html>not gzip</html>").decoded(from: [.gzip]))
        #expect(error.problem == .notEncoded)
        #expect("\(error)".contains("decompression(false)"))
    }

    @Test("Random bytes are content or an error, and never more")
    func random() async throws {
        let random = Seed.numbers(42)
        let start = try await gzip(Samples.json(500))
        for round in 0..<4000 {
            var bytes = Data(random.bytes(Int(random.next() % 200)))
            if round % 2 == 0 { bytes = start.prefix(Int(random.next() % UInt64(start.count))) + bytes }
            let codings = [[ContentCoding.gzip], [.deflate], [.gzip, .deflate], [.deflate, .gzip]][round % 4]
            do {
                _ = try await HTTPBody.pieces(bytes, of: 1 + round % 64).decoded(from: codings).content
            } catch {
                #expect(error is ContentCodingError)
            }
        }
    }

    @Test("A reader that failed goes on failing, and releases its source")
    func staysFailed() async throws {
        let isReleased = Locked(false)
        var damaged = try await gzip(Samples.json(10_000))
        damaged[damaged.endIndex - 5] ^= 1
        let body = HTTPBody.stream(damaged, lifeline: Lifeline { isReleased.withLock { $0 = true } })
        var reader = try await body.decoded(from: [.gzip]).makeReader()
        #expect(!isReleased.withLock { $0 })
        var failures: [ContentCodingError] = []
        for _ in 0..<20 {
            do { _ = try await reader.read() } catch { failures.append(try #require(error as? ContentCodingError)) }
        }
        #expect(isReleased.withLock { $0 })
        #expect(failures.count > 1)
        #expect(Set(failures).count == 1)
        withExtendedLifetime(reader) {}
    }

    @Test("An error of the source passes through, in both directions")
    func sourceError() async throws {
        let encoded = try await gzip(Samples.json(10_000))
        let broken = TransportError(.truncatedBody, sent: .answered, stage: "test")
        await #expect(throws: TransportError.self) {
            try await HTTPBody.stream(encoded.prefix(100), error: broken).decoded(from: [.gzip]).content
        }
        // Also when the content was complete: the message was not.
        await #expect(throws: TransportError.self) {
            try await HTTPBody.stream(encoded, error: broken).decoded(from: [.gzip]).content
        }
        await #expect(throws: TransportError.self) {
            try await HTTPBody.stream(Samples.json(10_000), error: broken).encoded(with: .gzip).content
        }
    }

    @Test("Cancellation ends reading, also in the middle of what has arrived")
    func cancellation() async throws {
        let bomb = try await gzip(Samples.zeros(10_000_000))
        for body in [
            HTTPBody(bomb).decoded(from: [.gzip], limits: .unlimited),
            HTTPBody(Samples.noise(1_000_000)).encoded(with: .gzip),
        ] {
            let task = Task {
                var reader = try await body.makeReader()
                _ = try await reader.read()
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await reader.read()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var result: [Value] = []
        for element in self { result.append(try await transform(element)) }
        return result
    }
}
#endif
