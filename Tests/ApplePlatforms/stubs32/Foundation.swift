// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase
// The part of Foundation that the rules use, for a target that has no Foundation.

// https://developer.apple.com/documentation/foundation/timeinterval
public typealias TimeInterval = Double

// https://developer.apple.com/documentation/foundation/date
public struct Date: Sendable, Hashable, Comparable {
    public var timeIntervalSince1970: Double

    public init() { timeIntervalSince1970 = 0 }
    public init(timeIntervalSince1970: Double) { self.timeIntervalSince1970 = timeIntervalSince1970 }

    public static let distantPast = Date(timeIntervalSince1970: -62_135_769_600)
    public static let distantFuture = Date(timeIntervalSince1970: 64_092_211_200)

    public func timeIntervalSince(_ other: Date) -> Double { timeIntervalSince1970 - other.timeIntervalSince1970 }
    public func addingTimeInterval(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: timeIntervalSince1970 + seconds)
    }

    public static func < (one: Date, other: Date) -> Bool { one.timeIntervalSince1970 < other.timeIntervalSince1970 }
    public static func + (one: Date, seconds: Double) -> Date { one.addingTimeInterval(seconds) }
    public static func - (one: Date, seconds: Double) -> Date { one.addingTimeInterval(-seconds) }
}

extension String {
    // https://developer.apple.com/documentation/foundation/nsstring/precomposedstringwithcanonicalmapping
    public var precomposedStringWithCanonicalMapping: String { self }

    // https://developer.apple.com/documentation/swift/stringprotocol/range(of:options:range:locale:)
    public func range(of text: String) -> Range<String.Index>? { nil }
}

extension Collection where Element: Equatable {
    // https://developer.apple.com/documentation/swift/collection/firstrange(of:)
    public func firstRange(of other: some Collection<Element>) -> Range<Index>? {
        var start = startIndex
        while start != endIndex {
            var (own, part) = (start, other.startIndex)
            while own != endIndex, part != other.endIndex, self[own] == other[part] {
                own = index(after: own)
                part = other.index(after: part)
            }
            if part == other.endIndex { return start..<own }
            start = index(after: start)
        }
        return nil
    }
}

// ISO C
public func memcmp(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ count: Int) -> Int32 { 0 }
