public import HTTPChainCore

/// The limits on a multipart message.
///
/// A message that exceeds them is refused.
public struct MultipartLimits: Sendable, Hashable {
    /// The size of a part's head, including names, values and line endings; 16 KiB by default.
    package var headerSize: ByteCount
    /// The number of fields in a part's head; 64 by default, and never more than 10,000.
    package var headerCount: Int
    /// The number of parts in a message; 1,000 by default.
    package var partCount: Int
    /// The size of a part's content; unlimited by default.
    ///
    /// Contents are streamed, and `collect(upTo:)` has a separate limit.
    package var partSize: ByteCount
    /// The size of the padding before the first boundary, and of that after the last one; 64 KiB each by default.
    ///
    /// Padding is ignored (RFC 2046 §5.1.1).
    package var paddingSize: ByteCount

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - headerSize: The size of a part's head.
    ///   - headerCount: The number of fields in a part's head.
    ///   - partCount: The number of parts in a message.
    ///   - partSize: The size of a part's content.
    ///   - paddingSize: The size of the padding before the first boundary, and of that after the last one.
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
}
