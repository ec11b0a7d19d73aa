/// The trade between time and size of a compression, on zlib's scale of 0 to 9.
public struct CompressionLevel: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// 0 (no compression) to 9.
    public let value: Int

    /// Makes a level; what lies outside 0...9 becomes the nearer end.
    public init(_ value: Int) {
        self.value = min(9, max(0, value))
    }

    /// Makes a level; what lies outside 0...9 becomes the nearer end.
    public init(integerLiteral value: Int) {
        self.init(value)
    }

    /// Level 1: about three times as fast as the standard level.
    public static let fastest = CompressionLevel(1)
    /// Level 6, zlib's and gzip's own choice.
    public static let standard = CompressionLevel(6)
    /// Level 9: a little smaller, and much slower.
    public static let smallest = CompressionLevel(9)

    /// The number.
    public var description: String { "\(value)" }
}
