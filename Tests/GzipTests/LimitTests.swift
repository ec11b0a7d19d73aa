#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Decompression bombs", .timeLimit(.minutes(10)))
struct LimitTests {
    /// Gives a piece of the middle of compressed zeros for ever, and counts how often it was asked.
    private struct EndlessBomb: BodyReader {
        let start: Data
        let middle: Data
        let reads: Locked<Int>
        let lifeline: Lifeline

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            reads.withLock { count in
                count += 1
                return count == 1 ? start : middle
            }
        }
    }

    @Test("Content beyond the limit is an error, and the transfer is let go")
    func size() async throws {
        // Members of noise one after the other: no ratio to speak of, and no end.
        let member = try await gzip(Samples.noise(60_000))
        let reads = Locked(0)
        let isReleased = Locked(false)
        let body = HTTPBody.once {
            EndlessBomb(
                start: member,
                middle: member,
                reads: reads,
                lifeline: Lifeline { isReleased.withLock { $0 = true } }
            )
        }
        var reader = try await body.decoded(from: [.gzip], limits: DecodingLimits(maximumSize: .mebibytes(1)))
            .makeReader()
        var count = 0
        var failure: ContentCodingError?
        while failure == nil {
            do { count += try #require(try await reader.read()).count } catch { failure = error as? ContentCodingError }
        }
        #expect(failure?.problem == .tooLarge(limit: .mebibytes(1)))
        #expect(failure.map { $0.offset > 1 << 20 - 1 } == true)
        #expect(count <= 1 << 20)
        #expect(isReleased.withLock { $0 })
        #expect(reads.withLock { $0 } < 20)
        withExtendedLifetime(reader) {}
    }

    @Test("Members without content are refused when there are many more of them than of others")
    func emptyMembers() async throws {
        let (empty, full) = (try await gzip(Data()), try await gzip(Data("x".utf8)))
        func content(_ members: [Data]) async throws -> Data {
            try await HTTPBody(Data(members.joined())).decoded(from: [.gzip]).content
        }
        #expect(try await content(Array(repeating: empty, count: 1000)).isEmpty)
        #expect(try await content(Array(repeating: empty + full, count: 3000)).count == 3000)
        let error = try await failure(
            of: .pieces(Data(repeatElement(empty, count: 1001).joined()), of: 7).decoded(from: [.gzip])
        )
        #expect(error.problem == .corrupt("there are more than 1000 empty members"))
    }

    @Test("More than a mebibyte of blocks without content is refused", arguments: [1000, 65_536])
    func emptyBlocks(size: Int) async throws {
        // RFC 1951 §3.2.4: a stored block of no bytes that is not the last, and one that is.
        let (block, last) = (Data([0, 0, 0, 0xFF, 0xFF]), Data([1, 0, 0, 0xFF, 0xFF]))
        let few = Data(repeatElement(block, count: 100_000).joined()) + last
        #expect(try await HTTPBody.pieces(few, of: size).decoded(from: [.deflate]).content.isEmpty)
        let many = Data(repeatElement(block, count: 250_000).joined()) + last
        let error = try await failure(of: .pieces(many, of: size).decoded(from: [.deflate]))
        #expect(error.problem == .corrupt("more than 1 MiB produce no content"))
    }

    @Test("Content of just the limit passes")
    func exactly() async throws {
        let encoded = try await gzip(Samples.json(100_000))
        let exact = DecodingLimits(maximumSize: 100_000)
        #expect(try await HTTPBody(encoded).decoded(from: [.gzip], limits: exact).content.count == 100_000)
        let below = try await failure(
            of: HTTPBody(encoded).decoded(from: [.gzip], limits: DecodingLimits(maximumSize: 99_999))
        )
        #expect(below.problem == .tooLarge(limit: 99_999))
    }

    @Test("The default lets all through that one deflate can make, nothing but zeros too")
    func oneDeflate() async throws {
        let zeros = try await gzip(Samples.zeros(64 << 20), level: 9)
        #expect((64 << 20) / zeros.count > 1000)
        #expect(try await HTTPBody.pieces(zeros, of: 1000).decoded(from: [.gzip]).content.count == 64 << 20)
    }

    @Test("Content that grows more than allowed is an error, once there is 1 MiB")
    func ratio() async throws {
        let bomb = try await gzip(Samples.zeros(64 << 20), level: 9)
        let limits = DecodingLimits(maximumRatio: 1000)
        let error = try await failure(of: HTTPBody.pieces(bomb, of: 1000).decoded(from: [.gzip], limits: limits))
        #expect(error.problem == .ratioTooHigh(limit: 1000))
        #expect(error.offset < 3000)
        let small = try await gzip(Samples.zeros(1 << 20), level: 9)
        #expect(try await HTTPBody.pieces(small, of: 100).decoded(from: [.gzip]).content.count == 1 << 20)
        let strict = DecodingLimits(maximumRatio: 20, ratioAppliesAbove: 0)
        let json = try await gzip(Samples.json(1_000_000))
        #expect(try await HTTPBody(json).decoded(from: [.gzip], limits: strict).content.count == 1_000_000)
        #expect(
            try await failure(of: HTTPBody(small).decoded(from: [.gzip], limits: strict)).problem
                == .ratioTooHigh(limit: 20)
        )
    }

    @Test("Codings on top of each other do not multiply past the limits")
    func stacked() async throws {
        var bomb = Samples.zeros(64 << 20)
        for _ in 0..<3 { bomb = try await gzip(bomb, level: 9) }
        #expect(bomb.count < 1000)
        let error = try await failure(of: HTTPBody(bomb).decoded(from: [.gzip, .gzip, .gzip]))
        #expect(error.problem == .ratioTooHigh(limit: 1100))
        let size = DecodingLimits(maximumSize: .mebibytes(4), maximumRatio: .max)
        let tooLarge = try await failure(of: HTTPBody(bomb).decoded(from: [.gzip, .gzip, .gzip], limits: size))
        #expect(tooLarge.problem == .tooLarge(limit: .mebibytes(4)))
    }

    @Test("Without limits all of it is decoded")
    func unlimited() async throws {
        let bomb = try await gzip(Samples.zeros(8 << 20), level: 9)
        var count = 0
        for try await chunk in HTTPBody(bomb).decoded(from: [.gzip], limits: .unlimited) { count += chunk.count }
        #expect(count == 8 << 20)
    }

    @Test("The stage's limits hold, a call may set others, and the error shows the exchange")
    func stage() async throws {
        let bomb = try await gzip(Samples.zeros(4 << 20))
        let stage = GzipMiddleware(responses: DecodingLimits(maximumSize: .mebibytes(2)))
        let answer = StageHarness.Answer.status(.ok, headers: [.contentEncoding: "gzip"], body: HTTPBody(bomb))
        let url = "https://api.example.com/a?token=secret"
        let refused = try await StageHarness(stage).send(.get(url), answering: answer).response()
        let error = try await failure(of: refused.body)
        #expect(error.problem == .tooLarge(limit: .mebibytes(2)))
        #expect(error.exchange?.url == "https://api.example.com/a?token=<redacted>")
        #expect(error.exchange?.response?.headerFields[.contentEncoding] == "gzip")
        let request = Request.get(url).decompression(limits: .unlimited)
        let passed = try await StageHarness(stage).send(request, answering: answer).response()
        #expect(try await passed.body.content.count == 4 << 20)
    }
}
#endif
