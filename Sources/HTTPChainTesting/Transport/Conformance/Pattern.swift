import Foundation
import HTTPChainCore

/// A sequence of bytes that depend on their position, so that a large body can be checked as it is read.
///
/// The pattern repeats after a prime number of bytes, so that swapped, lost or duplicated chunks are detected.
enum Pattern {
    private static let period = 65_521
    private static let block: Data = {
        var state: UInt32 = 0x9E37_79B9
        let once = (0..<period).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
        return Data(once + once)
    }()

    /// Returns the bytes from `offset`, at most one period.
    static func bytes(at offset: Int64, count: Int) -> Data {
        let start = Int(offset % Int64(period))
        return block[start..<start + min(count, period)]
    }

    /// Returns the first `count` bytes.
    static func data(_ count: Int) -> Data {
        var result = Data(capacity: count)
        while result.count < count {
            result.append(bytes(at: Int64(result.count), count: count - result.count))
        }
        return result
    }

    /// Returns a stream of `length` bytes.
    static func body(_ length: Int64, declared: Bool, once: Bool) -> HTTPBody {
        let declaredLength = declared ? length : nil
        return once
            ? .once(length: declaredLength) { PatternReader(length: length) }
            : .replayable(length: declaredLength) { PatternReader(length: length) }
    }

    /// Checks a body, and returns a text with its length or the position of the first wrong byte.
    static func check(_ body: HTTPBody) async throws -> String {
        var offset: Int64 = 0
        for try await chunk in body {
            var rest = chunk
            while !rest.isEmpty {
                let expected = bytes(at: offset, count: rest.count)
                guard rest.prefix(expected.count) == expected else { return "wrong bytes at or after offset \(offset)" }
                rest = rest.dropFirst(expected.count)
                offset += Int64(expected.count)
            }
        }
        return "\(offset) right bytes"
    }
}

/// Reads the pattern.
struct PatternReader: BodyReader {
    let length: Int64
    var offset: Int64 = 0

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard offset < length else { return nil }
        let chunk = Pattern.bytes(at: offset, count: Int(min(60_000, length - offset)))
        offset += Int64(chunk.count)
        return chunk
    }
}
