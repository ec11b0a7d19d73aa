/// The trade-off between time and size of compression, on zlib's scale of 0 to 9.
public struct CompressionLevel: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// 0 (no compression) to 9.
    package let value: Int

    /// Makes a level, clamped to 0...9.
    public init(_ value: Int) {
        self.value = min(9, max(0, value))
    }

    /// Makes a level, clamped to 0...9.
    public init(integerLiteral value: Int) {
        self.init(value)
    }

    /// Level 1: about three times as fast as the standard level.
    public static let fastest = CompressionLevel(1)
    /// Level 6, the default of zlib and gzip.
    public static let standard = CompressionLevel(6)
    /// Level 9: a little smaller, and much slower.
    public static let smallest = CompressionLevel(9)
}

extension CompressionLevel: CustomStringConvertible {
    /// The number.
    public var description: String { "\(value)" }
}
