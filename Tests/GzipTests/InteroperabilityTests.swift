#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import TestSupport
import Testing

@Suite("Programs written elsewhere", .heavy, .timeLimit(.minutes(10)))
struct InteroperabilityTests {
    private static let rawDeflate = "(lambda c: c.compress(d)+c.flush())(zlib.compressobj(wbits=-15))"

    static let producers: [(Tool, ContentCoding)] = [
        (Tool("gzip", "-c"), .gzip),
        (Tool("gzip", "-1", "-c"), .gzip),
        (Tool("gzip", "-9", "-c", "{}"), .gzip),
        (Tool("pigz", "-c", "-p", "4"), .gzip),
        (Tool("pigz", "-c", "-i", "-b", "128", "-p", "2"), .gzip),
        (Tool("pigz", "-c", "-z"), .deflate),
        (Tool("zopfli", "-c", "--i1", "{}"), .gzip),
        (Tool("zopfli", "-c", "--i1", "--zlib", "{}"), .deflate),
        (Tool("zopfli", "-c", "--i1", "--deflate", "{}"), .deflate),
        (Tool.python("gzip.compress(d)"), .gzip),
        (Tool.python("zlib.compress(d)"), .deflate),
        (Tool.python(rawDeflate), .deflate),
        (Tool.python("b''.join(gzip.compress(d[i:i+999]) for i in range(0,len(d),999))"), .gzip),
    ]

    @Test("What they write is read back", arguments: producers)
    func reading(_ tool: Tool, _ coding: ContentCoding) async throws {
        for sample in [Data("x".utf8), Samples.json(100_000), Samples.noise(40_000), Samples.zeros(200_000)] {
            guard let encoded = try await tool.run(sample) else { return }
            #expect(encoded != sample)
            for size in [1 + encoded.count / 1000, encoded.count] {
                #expect(try await HTTPBody.pieces(encoded, of: size).decoded(from: [coding]).content == sample)
            }
        }
    }

    static let consumers = [
        Tool("gzip", "-d", "-c"), Tool("pigz", "-d", "-c"), Tool.python("gzip.decompress(d)"),
        Tool.python("zlib.decompress(d,31)"),
    ]

    @Test("Third-party programs read what is written here", arguments: consumers)
    func writing(_ tool: Tool) async throws {
        for sample in [Data("x".utf8), Samples.json(100_000), Samples.zeros(200_000)] {
            for level in [0, 1, 6] {
                let encoded = try await HTTPBody.pieces(sample, of: 777).encoded(with: .gzip(level: level)).content
                guard let decoded = try await tool.run(encoded) else { return }
                #expect(decoded == sample)
            }
        }
    }

    @Test("gzip -t finds nothing wrong with what is written here")
    func testing() async throws {
        let encoded = try await gzip(Samples.json(500_000))
        _ = try await Tool("gzip", "-t").run(encoded)
        await #expect(throws: Tool.Failure.self) {
            let damaged = encoded.dropLast()
            if try await Tool("gzip", "-t").run(Data(damaged)) == nil { throw Tool.Failure(tool: "", status: 0) }
        }
    }

    @Test("The result is as small as that of gzip")
    func size() async throws {
        let sample = Samples.json(1_000_000)
        guard let theirs = try await Tool("gzip", "-6", "-n", "-c").run(sample) else { return }
        #expect(try await gzip(sample).count <= theirs.count * 101 / 100)
    }
}
#endif
