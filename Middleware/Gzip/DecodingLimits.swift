public import HTTPChainCore

/// The limits on the growth of a response's content when it is decoded.
///
/// A few kilobytes of gzip can become gigabytes, and stacked codings multiply this effect. Both limits apply to every
/// coding of a response; exceeding one throws a ``ContentCodingError``, and the transfer is cancelled.
public struct DecodingLimits: Sendable, Hashable {
    /// The maximum size of the decoded content.
    package var maximumSize: ByteCount
    /// The maximum number of decoded bytes for each byte that arrived.
    package var maximumRatio: Int
    /// The size of the decoded content above which ``maximumRatio`` applies.
    package var ratioAppliesAbove: ByteCount

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - maximumSize: The maximum size of the decoded content; 1 GiB by default.
    ///   - maximumRatio: The maximum number of decoded bytes for each byte that arrived; 1,100 by default. The ratio of
    ///     a single deflate can't exceed 1,032 (RFC 1951; zlib's documentation). The default therefore allows any
    ///     single coding, even of zeros, but prevents stacked codings from multiplying. Less than 1 counts as 1.
    ///   - ratioAppliesAbove: The size of the decoded content above which the ratio applies; 1 MiB by default.
    public init(
        maximumSize: ByteCount = .gibibytes(1),
        maximumRatio: Int = 1100,
        ratioAppliesAbove: ByteCount = .mebibytes(1)
    ) {
        self.maximumSize = maximumSize
        self.maximumRatio = max(1, maximumRatio)
        self.ratioAppliesAbove = ratioAppliesAbove
    }

    /// No limits, for content from a trusted source.
    public static let unlimited = DecodingLimits(
        maximumSize: .unlimited,
        maximumRatio: .max,
        ratioAppliesAbove: .unlimited
    )

    /// Returns the limit that this ratio of output to input exceeds, or `nil` if it's within the limits.
    func problem(input: Int64, output: Int64) -> ContentCodingError.Problem? {
        if output > maximumSize.bytes { return .tooLarge(limit: maximumSize) }
        guard output > ratioAppliesAbove.bytes else { return nil }
        let (most, overflow) = input.multipliedReportingOverflow(by: Int64(maximumRatio))
        return overflow || output <= most ? nil : .ratioTooHigh(limit: maximumRatio)
    }

    /// The maximum number of stacked codings that are decoded; only an attacker sends more.
    static let maximumCodings = 5
}
