public import HTTPChainCore

/// The limits of how far the content of a response may grow when it is decoded.
///
/// A few kilobytes of gzip can become gigabytes, and codings on top of each other multiply. Both limits hold for every
/// coding of a response; reaching one is a ``ContentCodingError``, and the transfer is cancelled.
public struct DecodingLimits: Sendable, Hashable {
    /// The most bytes that the content may have once decoded.
    public var maximumSize: ByteCount
    /// The most bytes of decoded content for each byte that arrived.
    public var maximumRatio: Int
    /// The size of decoded content from which ``maximumRatio`` holds.
    public var ratioAppliesAbove: ByteCount

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - maximumSize: The most bytes once decoded; 1 GiB by default.
    ///   - maximumRatio: The most bytes for each byte that arrived; 1,100 by default. One deflate cannot do more than 1,032
    ///     (RFC 1951, zlib's own account), so this default lets all data through, zeros too, and stops codings that are
    ///     stacked to multiply. Less than 1 counts as 1.
    ///   - ratioAppliesAbove: How much decoded content there must be before the ratio holds; 1 MiB by default.
    public init(
        maximumSize: ByteCount = .gibibytes(1),
        maximumRatio: Int = 1100,
        ratioAppliesAbove: ByteCount = .mebibytes(1)
    ) {
        self.maximumSize = maximumSize
        self.maximumRatio = max(1, maximumRatio)
        self.ratioAppliesAbove = ratioAppliesAbove
    }

    /// 1 GiB, and 1,100 bytes for each byte that arrived once there is 1 MiB.
    public static let standard = DecodingLimits()

    /// No limits, for content from a source that is trusted.
    public static let unlimited = DecodingLimits(
        maximumSize: .unlimited,
        maximumRatio: .max,
        ratioAppliesAbove: .unlimited
    )

    /// Returns the problem with having so much output of so much input; `nil` when it is within the limits.
    func problem(input: Int64, output: Int64) -> ContentCodingError.Problem? {
        if output > maximumSize.bytes { return .tooLarge(limit: maximumSize) }
        guard output > ratioAppliesAbove.bytes else { return nil }
        let (most, overflow) = input.multipliedReportingOverflow(by: Int64(maximumRatio))
        return overflow || output <= most ? nil : .ratioTooHigh(limit: maximumRatio)
    }

    /// How many codings on top of each other are undone; more is what only an attacker sends.
    static let maximumCodings = 5
}
