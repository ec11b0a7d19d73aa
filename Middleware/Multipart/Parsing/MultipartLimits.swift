public import HTTPChainCore

/// The limits of a multipart message, beyond which it is refused.
public struct MultipartLimits: Sendable, Hashable {
    /// The bytes in the head of one part, names, values and line ends; 16 KiB by default.
    public var headerSize: ByteCount
    /// The fields in the head of one part; 64 by default, at most 10,000 whatever is set.
    public var headerCount: Int
    /// The parts in a message; 1,000 by default.
    public var partCount: Int
    /// The bytes in the content of one part; no limit by default, since contents stream and `collect(upTo:)` has a
    /// limit of its own.
    public var partSize: ByteCount
    /// The bytes before the first boundary, and again those after the last, which mean nothing (RFC 2046 §5.1.1); 64 KiB
    /// by default.
    public var paddingSize: ByteCount

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - headerSize: The bytes in the head of one part.
    ///   - headerCount: The fields in the head of one part.
    ///   - partCount: The parts in a message.
    ///   - partSize: The bytes in the content of one part.
    ///   - paddingSize: The bytes before the first boundary, and again those after the last.
    public init(
        headerSize: ByteCount = .kibibytes(16),
        headerCount: Int = 64,
        partCount: Int = 1000,
        partSize: ByteCount = .unlimited,
        paddingSize: ByteCount = .kibibytes(64)
    ) {
        self.headerSize = headerSize
        self.headerCount = headerCount
        self.partCount = partCount
        self.partSize = partSize
        self.paddingSize = paddingSize
    }

    /// The limits as documented on each.
    public static let standard = MultipartLimits()
}
