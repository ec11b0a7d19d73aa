#if AllTests
import Foundation
import HTTPChainBrotli
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import HTTPChainZstd
import HTTPTypes
import TestSupport
import Testing

#if Brotli || Zstd
/// The codings that C libraries bring.
enum Libraries {
    static var codings: [ContentCoding] {
        var codings: [ContentCoding] = []
        #if Brotli
        codings.append(.brotli)
        #endif
        #if Zstd
        codings.append(.zstd)
        #endif
        return codings
    }

    static func encoded(_ bytes: Data, _ coding: ContentCoding) async throws -> Data {
        try await HTTPBody(bytes).encoded(with: coding).content
    }

    /// Checks that a coding reads what a program writes.
    static func check(_ coding: ContentCoding, readsFrom tool: Tool) async throws {
        for sample in [Data("x".utf8), Samples.json(100_000), Samples.noise(40_000), Samples.zeros(200_000)] {
            guard let encoded = try await tool.run(sample) else { return }
            for size in [1 + encoded.count / 1000, encoded.count] {
                #expect(try await HTTPBody.pieces(encoded, of: size).decoded(from: [coding]).content == sample)
            }
        }
    }

    /// Checks that a program reads what a coding writes, and that this is as small as what the program writes.
    static func check(_ coding: ContentCoding, writesFor decoder: Tool, asSmallAs encoder: Tool) async throws {
        for sample in [Data(), Data("x".utf8), Samples.json(300_000), Samples.zeros(200_000)] {
            let encoded = try await HTTPBody.pieces(sample, of: 7777).encoded(with: coding).content
            guard let decoded = try await decoder.run(encoded), let theirs = try await encoder.run(sample)
            else { return }
            #expect(decoded == sample)
            #expect(encoded.count <= theirs.count * 105 / 100 + 8)
        }
    }
}

@Suite("brotli and zstd", .heavy, .seeded, .timeLimit(.minutes(10)))
struct LibraryCodingTests {
    @Test("Content comes back as it was, whatever the pieces", arguments: Libraries.codings, [1, 7, 65_536, 1 << 20])
    func roundTrip(_ coding: ContentCoding, size: Int) async throws {
        for sample in Samples.all where sample.count / size < 3000 {
            let encoded = HTTPBody.pieces(sample, of: size).encoded(with: coding)
            #expect(encoded.isReplayable)
            let bytes = try await encoded.content
            #expect(!bytes.isEmpty)
            #expect(try await HTTPBody.pieces(bytes, of: size).decoded(from: [coding]).content == sample)
        }
    }

    @Test("No chunk is empty, and none is larger than 64 KiB", arguments: Libraries.codings)
    func chunks(_ coding: ContentCoding) async throws {
        let encoded = HTTPBody(Samples.noise(1_000_000) + Samples.zeros(5_000_000)).encoded(with: coding)
        for try await chunk in encoded { #expect((1...HTTPBody.chunkSize).contains(chunk.count)) }
        var count = 0
        for try await chunk in encoded.decoded(from: [coding], limits: .unlimited) {
            #expect((1...HTTPBody.chunkSize).contains(chunk.count))
            count += chunk.count
        }
        #expect(count == 6_000_000)
    }

    @Test("Content cut anywhere is an error that says after how many bytes", arguments: Libraries.codings, [1, 1000])
    func truncated(_ coding: ContentCoding, size: Int) async throws {
        let encoded = try await Libraries.encoded(Samples.json(1000), coding)
        for count in 1..<encoded.count {
            let error = try await failure(of: .pieces(encoded.prefix(count), of: size).decoded(from: [coding]))
            #expect(error.problem == .truncated)
            #expect(error.offset == Int64(count))
            #expect(error.coding == coding.name)
        }
        #expect(try await HTTPBody.stream(Data()).decoded(from: [coding]).content.isEmpty)
    }

    @Test("Content with a flipped bit, and random bytes, are content or a typed error", arguments: Libraries.codings)
    func damaged(_ coding: ContentCoding) async throws {
        let sample = Samples.json(2000)
        let encoded = try await Libraries.encoded(sample, coding)
        func outcome(_ bytes: Data, _ size: Int) async throws -> Data? {
            do {
                return try await HTTPBody.pieces(bytes, of: size).decoded(from: [coding]).content
            } catch let error as ContentCodingError {
                #expect(error.offset <= bytes.count)
                return nil
            }
        }
        for bit in 0..<encoded.count * 8 {
            var damaged = encoded
            damaged[damaged.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
            let content = try await outcome(damaged, 100)
            // zstd has a checksum; brotli has none.
            if coding.name == "zstd" { #expect(content == nil || content == sample) }
        }
        let random = Seed.numbers(43)
        for round in 0..<2000 {
            let start = encoded.prefix(Int(random.next() % UInt64(encoded.count)))
            _ = try await outcome(start + random.bytes(Int(random.next() % 200)), 1 + round % 64)
        }
    }

    @Test("What follows the end is damage", arguments: Libraries.codings, [1, 1000])
    func trailer(_ coding: ContentCoding, size: Int) async throws {
        let encoded = try await Libraries.encoded(Samples.json(1000), coding)
        for trailer in [Data(count: 1), Data("garbage".utf8)] {
            let error = try await failure(of: .pieces(encoded + trailer, of: size).decoded(from: [coding]))
            guard case .corrupt(let detail) = error.problem else {
                Issue.record("\(error)")
                continue
            }
            #expect(detail.hasPrefix("there are bytes after the end"))
        }
    }

    @Test("Bombs end in the limits of size and ratio, and the transfer is let go", arguments: Libraries.codings)
    func bombs(_ coding: ContentCoding) async throws {
        let bomb = try await Libraries.encoded(Samples.zeros(32 << 20), coding)
        #expect(bomb.count < 10_000)
        let byRatio = try await failure(of: HTTPBody.pieces(bomb, of: 100).decoded(from: [coding]))
        #expect(byRatio.problem == .ratioTooHigh(limit: 1100))
        let isReleased = Locked(false)
        let stream = HTTPBody.stream(bomb, lifeline: Lifeline { isReleased.withLock { $0 = true } })
        let limits = DecodingLimits(maximumSize: .mebibytes(2), maximumRatio: .max)
        let bySize = try await failure(of: stream.decoded(from: [coding], limits: limits))
        #expect(bySize.problem == .tooLarge(limit: .mebibytes(2)))
        #expect(isReleased.withLock { $0 })
        #expect(try await HTTPBody(bomb).decoded(from: [coding], limits: .unlimited).content.count == 32 << 20)
    }

    @Test("The stage asks for them, and undoes them on top of each other and of gzip")
    func stacked() async throws {
        let codings = Libraries.codings
        let stage = GzipMiddleware(codings: codings + [.gzip.preferred(0.5)])
        let sample = Samples.json(300_000)
        var body = HTTPBody(sample)
        for coding in [.gzip] + codings { body = body.encoded(with: coding) }
        let names = (["gzip"] + codings.map(\.name)).joined(separator: ", ")
        let outcome = await StageHarness(stage).send(
            .get("https://api.example.com/"),
            answering: .status(.ok, headers: [.contentEncoding: names], body: body)
        )
        #expect(try await outcome.response().body.content == sample)
        #expect(
            outcome.requests.first?.head.headerFields[.acceptEncoding]
                == codings.map { $0.name + ", " }.joined() + "gzip;q=0.5"
        )
    }

    @Test("Requests are encoded with them, at once and as they are sent", arguments: Libraries.codings)
    func requests(_ coding: ContentCoding) async throws {
        let stage = GzipMiddleware(requests: CompressionSettings(coding: coding))
        let sample = Samples.json(20_000)
        for body in [HTTPBody(sample), .stream(sample)] {
            let outcome = await StageHarness(stage).send(.post("https://api.example.com/", body: body))
            let sent = try #require(outcome.requests.first)
            #expect(sent.head.headerFields[.contentEncoding] == coding.name)
            let content = try await sent.body.content
            #expect(content.count < sample.count / 2)
            #expect(try await HTTPBody(content).decoded(from: [coding]).content == sample)
        }
    }

    @Test(
        "Codings of libraries keep the rules of every stage",
        arguments: Libraries.codings,
        StageConformance.Check.allCases
    )
    func conforms(_ coding: ContentCoding, check: StageConformance.Check) async throws {
        let encoded = try await Libraries.encoded(Samples.json(3000), coding)
        try await StageConformance(
            changesResponseBody: true,
            request: { .post("https://api.example.com/", body: HTTPBody(Samples.json(600_000))) },
            answers: { [.status(.ok, headers: [.contentEncoding: coding.name], body: .pieces(encoded, of: 100))] },
            stage: { GzipMiddleware(requests: CompressionSettings(coding: coding), codings: [coding]) }
        ).verify(check)
    }
}
#else
@Suite("brotli and zstd")
struct LibraryCodingTests {
    @Test("LOUD NOTE: brotli and zstd are NOT tested here; use `swift test --enable-all-traits`")
    func needsTraits() {
        print("NOT TESTED: brotli and zstd need `swift test --enable-all-traits`")
    }
}
#endif
#endif
