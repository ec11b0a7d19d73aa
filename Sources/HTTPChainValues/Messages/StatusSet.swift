public import HTTPTypes

/// A set of status codes, made of numbers and ranges.
///
/// ```swift
/// let accepted: StatusSet = [.success, 304, .codes(400...409)]
/// ```
///
/// Codes have three digits (RFC 9110 §15); those outside 0...999 are ignored.
public struct StatusSet: Sendable, Hashable {
    /// The ranges, in ascending order, disjoint, not adjacent, and never empty.
    @usableFromInline var ranges: [Range<Int>]

    private init(merging ranges: [Range<Int>]) {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        self.ranges = merged
    }

    /// Returns the set of the codes in a range or another sequence; it can also be an element of an array literal.
    public static func codes(_ codes: some Sequence<Int>) -> StatusSet {
        switch codes {
        case let range as Range<Int>: StatusSet(merging: [range.clamped(to: 0..<1000)])
        case let range as ClosedRange<Int> where range.overlaps(0...999):
            StatusSet(merging: [Range(range.clamped(to: 0...999))])
        case is ClosedRange<Int>: []
        default: StatusSet(merging: codes.filter { (0...999).contains($0) }.map { $0..<($0 + 1) })
        }
    }

    /// 2xx, RFC 9110 §15.3.
    public static let success = codes(200..<300)
    /// 3xx, RFC 9110 §15.4.
    package static let redirection = codes(300..<400)
    /// 4xx, RFC 9110 §15.5.
    public static let clientError = codes(400..<500)
    /// 5xx, RFC 9110 §15.6.
    public static let serverError = codes(500..<600)
    /// All codes.
    public static let all = codes(0..<1000)

    /// Whether a code is in the set.
    @inlinable
    package func contains(_ code: Int) -> Bool {
        for index in ranges.indices where ranges[index].contains(code) { return true }
        return false
    }

    /// Whether the code of a status is in the set, regardless of its reason phrase.
    @inlinable
    public func contains(_ status: HTTPResponse.Status) -> Bool {
        contains(status.code)
    }

    /// Whether the set is empty.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Returns the codes of both sets.
    package func union(_ other: StatusSet) -> StatusSet {
        StatusSet(merging: ranges + other.ranges)
    }

    /// Returns the codes of this set that aren't in the other.
    public func subtracting(_ other: StatusSet) -> StatusSet {
        StatusSet(
            merging: other.ranges.reduce(ranges) { rest, hole in
                rest.flatMap { range in
                    [
                        range.lowerBound..<max(range.lowerBound, min(range.upperBound, hole.lowerBound)),
                        min(range.upperBound, max(range.lowerBound, hole.upperBound))..<range.upperBound,
                    ]
                }
            }
        )
    }
}

extension StatusSet: ExpressibleByIntegerLiteral {
    /// Makes a set of one code.
    public init(integerLiteral code: Int) {
        self = .codes(CollectionOfOne(code))
    }
}

extension StatusSet: ExpressibleByArrayLiteral {
    /// Makes a set of the codes of all elements: numbers, ``codes(_:)`` and named sets.
    public init(arrayLiteral elements: StatusSet...) {
        self.init(merging: elements.flatMap(\.ranges))
    }
}

extension StatusSet: CustomStringConvertible {
    /// The codes and ranges in order, such as "200...299, 304", or "none" if the set is empty.
    public var description: String {
        if ranges.isEmpty { return "none" }
        return ranges.map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)...\(range.upperBound - 1)"
        }.joined(separator: ", ")
    }
}
