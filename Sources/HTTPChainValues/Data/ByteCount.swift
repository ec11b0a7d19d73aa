/// A number of bytes, as used for limits and sizes.
///
/// An integer literal is a number of bytes: `collect(upTo: 4_096)`.
public struct ByteCount: Sendable, Hashable, Comparable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The number of bytes; never negative.
    public let bytes: Int64

    /// Makes a count of `bytes`; a negative number becomes 0.
    public init(_ bytes: Int64) {
        self.bytes = max(0, bytes)
    }

    /// Makes a count of `value` bytes; a negative number becomes 0.
    public init(integerLiteral value: Int64) {
        self.init(value)
    }

    /// Returns `count` bytes.
    package static func bytes(_ count: Int64) -> ByteCount { ByteCount(count) }
    /// Returns `count` × 1,000 bytes.
    public static func kilobytes(_ count: Int64) -> ByteCount { scaled(count, 1000) }
    /// Returns `count` × 1,000,000 bytes.
    public static func megabytes(_ count: Int64) -> ByteCount { scaled(count, 1_000_000) }
    /// Returns `count` × 1,000,000,000 bytes.
    public static func gigabytes(_ count: Int64) -> ByteCount { scaled(count, 1_000_000_000) }
    /// Returns `count` × 1,024 bytes.
    public static func kibibytes(_ count: Int64) -> ByteCount { scaled(count, 1 << 10) }
    /// Returns `count` × 1,048,576 bytes.
    public static func mebibytes(_ count: Int64) -> ByteCount { scaled(count, 1 << 20) }
    /// Returns `count` × 1,073,741,824 bytes.
    public static func gibibytes(_ count: Int64) -> ByteCount { scaled(count, 1 << 30) }
    /// The largest count: no limit in practice.
    public static let unlimited = ByteCount(.max)

    private static func scaled(_ count: Int64, _ unit: Int64) -> ByteCount {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        return overflow ? .unlimited : ByteCount(product)
    }

    /// Compares the numbers of bytes.
    public static func < (lhs: ByteCount, rhs: ByteCount) -> Bool { lhs.bytes < rhs.bytes }

    /// The count in the largest unit that divides it, such as "64 KiB", "50 MB" or "1234 bytes".
    public var description: String {
        if self == .unlimited { return "unlimited" }
        let units: [(Int64, String)] = [
            (1 << 30, "GiB"), (1_000_000_000, "GB"), (1 << 20, "MiB"), (1_000_000, "MB"), (1 << 10, "KiB"),
            (1000, "kB"),
        ]
        for (size, unit) in units where bytes >= size && bytes % size == 0 {
            return "\(bytes / size) \(unit)"
        }
        return bytes == 1 ? "1 byte" : "\(bytes) bytes"
    }

    /// The count rounded for display, in steps of 1,000: "999 bytes", "1.2 MB", "50 GB".
    public var abbreviated: String {
        guard bytes >= 1000 else { return description }
        var value = Double(bytes) / 1000
        var units = ["kB", "MB", "GB", "TB", "PB", "EB"][...]
        // A value that would round to 1000 of one unit becomes 1.0 of the next unit.
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units.removeFirst()
        }
        let tenths = Int64((value * 10).rounded())
        let number = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\(Int64(value.rounded()))"
        return "\(number) \(units.first ?? "")"
    }
}
