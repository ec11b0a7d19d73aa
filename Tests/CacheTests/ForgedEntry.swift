#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport

/// An entry as somebody writes it who can write where entries are stored: well-formed, with any numbers in it.
struct ForgedEntry: Sendable {
    /// A number of a description, and where it is in the bytes.
    enum Slot: CaseIterable {
        case status, fieldCount, requestTime, responseTime, lower, upper, whole, seconds, attoseconds, length
        case checksumState, checksumPending, checksumCount
    }

    /// The body that is stored.
    let body: Data
    /// The bytes of the description.
    private(set) var head: [UInt8]
    private(set) var changes: [Slot: Int64] = [:]
    private let sample: StoredHead

    /// An entry that says the truth: complete, or a part of a representation.
    init(_ key: CacheKey, body: Data, isPart: Bool) {
        self.body = body
        var head = HTTPResponse(status: .ok)
        head.headerFields = fields(["Cache-Control: max-age=600", "ETag: \"a\""])
        let metadata = CacheMetadata(
            head: head,
            requestTime: start,
            responseTime: start.addingTimeInterval(0.25),
            content: isPart ? .part(Self.offset..<(Self.offset + Int64(body.count)), of: Self.whole) : .complete,
            lifetime: .exactly(Duration(secondsComponent: 3607, attosecondsComponent: 123_456_789))
        )
        sample = StoredHead(
            key,
            StoredResponse(metadata, bodyLength: Int64(body.count), bodyChecksum: ContentChecksum(of: body))
        )
        self.head = sample.encoded
    }

    /// Where a part begins, and how long its representation is.
    static let offset: Int64 = 1_000_003
    static let whole: Int64 = 9_000_017

    var isPart: Bool { sample.response.metadata.content != .complete }
    var metadata: CacheMetadata { sample.response.metadata }
    var key: CacheKey { sample.key }
    var description: String { "\(isPart ? "a part" : "all") of \(body.count) bytes, \(changes)" }

    /// Puts a number in place of another.
    mutating func forge(_ slot: Slot, _ number: Int64) {
        guard let (offset, size) = place(of: slot) else { return }
        changes[slot] = number
        for index in 0..<size { head[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    }

    /// The place is found by counting from the ends, where no number has another length.
    private func place(of slot: Slot) -> (offset: Int, size: Int)? {
        let status = 2 + key.encoded.count
        let reason = metadata.head.status.reasonPhrase.utf8.count
        let end = head.count
        // From the end: checksum, length, whether it is invalid, original fields, lifetime, class, content, times.
        let lifetime = end - 24 - 8 - 1 - 4 - 16
        let content = lifetime - 1 - 1 - (isPart ? 24 : 0)
        return switch slot {
        case .status: (status, 2)
        case .fieldCount: (status + 2 + 4 + reason, 4)
        case .requestTime: (content - 1 - 16, 8)
        case .responseTime: (content - 1 - 8, 8)
        case .lower: isPart ? (content, 8) : nil
        case .upper: isPart ? (content + 8, 8) : nil
        case .whole: isPart ? (content + 16, 8) : nil
        case .seconds: (lifetime, 8)
        case .attoseconds: (lifetime + 8, 8)
        case .length: (end - 32, 8)
        case .checksumState: (end - 24, 8)
        case .checksumPending: (end - 16, 8)
        case .checksumCount: (end - 8, 8)
        }
    }

    private func number(_ slot: Slot, _ truth: Int64) -> Int64 { changes[slot] ?? truth }

    private var length: Int64 { number(.length, Int64(body.count)) }
    private var lower: Int64 { number(.lower, Self.offset) }
    private var upper: Int64 { number(.upper, Self.offset + Int64(body.count)) }

    /// Whether the description can be that of a response, by rules that are written down here once more.
    var isPlausible: Bool {
        let isDate = [Slot.requestTime, .responseTime].allSatisfy { slot in
            changes[slot].map { abs(Double(bitPattern: UInt64(bitPattern: $0))) < 1e13 } ?? true
        }
        let (century, atto): (Int64, Int64) = (3_153_600_000, 1_000_000_000_000_000_000)
        let (seconds, attoseconds) = (number(.seconds, 3607), number(.attoseconds, 123_456_789))
        let isLifetime =
            (-century...century).contains(seconds) && attoseconds.magnitude < atto.magnitude
            && (seconds < century || attoseconds <= 0) && (seconds > -century || attoseconds >= 0)
        let isContent =
            !isPart
            || lower >= 0 && upper >= lower && upper <= 1 << 62 && upper - lower == length
                && number(.whole, Self.whole) >= upper
        // Nothing has the checksum of nothing.
        let isEmpty = length == 0 && !body.isEmpty
        return isDate && isContent && !isEmpty && (100...999).contains(number(.status, 200) & 0xFFFF)
            && number(.fieldCount, 2) & 0xFFFF_FFFF == 2
            && isLifetime && (0...1 << 40).contains(length) && number(.checksumCount, Int64(body.count)) == length
    }

    /// Whether the body is that of the description.
    var isSound: Bool {
        length == Int64(body.count) && changes[.checksumState] == nil && changes[.checksumPending] == nil
    }

    /// The bytes that a response with this head may have; `nil` if it must not come from this entry.
    func content(of response: HTTPResponse) -> Data? {
        guard let text = response.headerFields[.contentRange] else { return isPart ? nil : body }
        guard let range = ContentRange(response.headerFields)?.range else { return text.contains("*/") ? Data() : nil }
        let first = isPart ? lower : 0
        let own = (range.lowerBound - first)..<(range.upperBound - first)
        guard own.lowerBound >= 0, own.upperBound <= Int64(body.count) else { return nil }
        return body[Int(own.lowerBound)..<Int(own.upperBound)]
    }
}

/// Makes entries with forged numbers, from a seed.
struct Forger {
    let numbers: SeededRandom

    private static let edges: [Int64] =
        [.min, .min + 1, .max, .max - 1, -1, 0, 1, 5, 1000, 65_535, 65_536, 65_537, 1 << 24, 1 << 31, 1 << 32]
        + [1 << 40, 1 << 40 + 1, 1 << 53, 1 << 62, 1 << 62 + 1, 3_153_600_000, 3_153_600_001]
        + [999_999_999_999_999_999, 1_000_000_000_000_000_000, -1_000_000_000_000_000_000]
        + [Double.nan, .infinity, -.infinity, 1e300, 1e13, -1e12].map { Int64(bitPattern: $0.bitPattern) }

    /// The requests that ask for it: all, and ranges inside, across the ends, and far outside.
    static let ranges: [String?] = [
        nil, "bytes=0-", "bytes=0-0", "bytes=3-9", "bytes=-4", "bytes=1000003-1000007", "bytes=1000100-1000900",
        "bytes=4611686018427387904-", "bytes=9223372036854775806-9223372036854775807", "bytes=5-4",
    ]

    func entry(_ key: CacheKey, sizes: [Int]) -> ForgedEntry {
        let size = sizes[numbers.index(below: sizes.count)]
        var entry = ForgedEntry(key, body: content(size, size), isPart: numbers.index(below: 2) == 0)
        for _ in 0..<numbers.index(below: 4) {
            let slot = ForgedEntry.Slot.allCases[numbers.index(below: ForgedEntry.Slot.allCases.count)]
            entry.forge(slot, number(entry))
        }
        // What makes a part longer than its body: all numbers agree, and the body does not.
        if numbers.index(below: 4) == 0 {
            let length = numbers.index(below: 2) == 0 ? 1000 : Int64(numbers.index(below: 1 << 20))
            entry.forge(.length, length)
            entry.forge(.checksumCount, length)
            entry.forge(.upper, ForgedEntry.offset + length)
        }
        return entry
    }

    private func number(_ entry: ForgedEntry) -> Int64 {
        switch numbers.index(below: 3) {
        case 0: Int64(bitPattern: numbers.next())
        case 1: Int64(entry.body.count) + Int64(numbers.index(below: 5)) - 2
        default: Self.edges[numbers.index(below: Self.edges.count)]
        }
    }

    func range() -> String? { Self.ranges[numbers.index(below: Self.ranges.count)] }
}
#endif
