#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// Content of several kinds to compress.
enum Samples {
    /// More than zlib's window of 32 KiB, so that repeating it does not make it compress better.
    private static let records: Data = {
        let random = SeededRandom(seed: 1)
        let records = (0..<2000).map { _ in
            let number = random.next() % 1_000_000
            return #"{"id":\#(number),"name":"Plant \#(number % 977)","price":\#(number % 10_000).50,"tags":["a","b"]}"#
        }
        return Data("[\(records.joined(separator: ","))]".utf8)
    }()

    private static let randomBytes = Data(SeededRandom(seed: 2).bytes(100_003))

    /// Records as a web service sends them.
    static func json(_ count: Int) -> Data { repeating(records, count) }

    /// Bytes that do not become smaller.
    static func noise(_ count: Int) -> Data { repeating(randomBytes, count) }

    private static func repeating(_ block: Data, _ count: Int) -> Data {
        var result = Data(capacity: count)
        while result.count < count { result.append(block.prefix(count - result.count)) }
        return result
    }

    static func zeros(_ count: Int) -> Data { Data(count: count) }

    /// Sizes around the edges of chunks and buffers, of each kind.
    static var all: [Data] {
        [Data(), Data("x".utf8), json(100), json(65_535), json(65_536), json(65_537), json(1_000_000)]
            + [noise(1), noise(65_536), noise(300_001), zeros(65_536), zeros(1_000_003)]
    }
}

extension HTTPBody {
    /// A body that can be read again, in pieces of one size.
    static func pieces(_ bytes: Data, of size: Int) -> HTTPBody { .pieces(bytes, of: size, replayable: true) }

    /// A body that can be read once, in pieces of 1,000 bytes, that may break at its end.
    static func stream(_ bytes: Data, error: (any Error)? = nil, lifeline: Lifeline? = nil) -> HTTPBody {
        .pieces(bytes, of: 1000, failing: error, lifeline: lifeline)
    }

    var content: Data {
        get async throws { try await collect(upTo: .mebibytes(256)) }
    }
}

/// Compresses with this package.
func gzip(_ bytes: Data, level: Int = 6) async throws -> Data {
    try await HTTPBody(bytes).encoded(with: .gzip(level: level)).content
}

/// The error that reading a body ends with.
func failure(of body: HTTPBody) async throws -> ContentCodingError {
    do {
        let bytes = try await body.content
        Issue.record("the body was read to its end: \(bytes.count) bytes")
    } catch let error as ContentCodingError {
        return error
    }
    throw Missing("a ContentCodingError")
}

struct Missing: Error, CustomStringConvertible {
    let description: String
    init(_ what: String) { description = "\(what) is missing" }
}
#endif
