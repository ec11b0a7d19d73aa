#if Zstd && canImport(CZstd)
public import HTTPChainCore
public import HTTPChainGzip

extension ContentCoding {
    /// zstd (RFC 8878), for ``/HTTPChainGzip/GzipMiddleware``, at level 3 with windows of up to 8 MiB.
    ///
    /// ```swift
    /// GzipMiddleware(requests: CompressionSettings(coding: .zstd), codings: [.zstd, .gzip])
    /// ```
    public static let zstd = zstd()

    /// zstd (RFC 8878), for ``/HTTPChainGzip/GzipMiddleware``.
    ///
    /// Any number of frames, skippable ones among them, is one content. Checksums are verified, and written. Frames of
    /// the formats before RFC 8878 are not decoded, nor those that need a dictionary.
    ///
    /// - Parameters:
    ///   - level: Time against size, where it is applied: 1 to 19, and the nearer end for what lies outside; 3 by default,
    ///     which is smaller than gzip at level 6 in a fraction of the time.
    ///   - maximumWindow: The most memory that content may ask for as its window, rounded down to a power of two, at
    ///     least 1 KiB; 8 MiB by default, and what no sender may ask for more of (RFC 9659 §3). Content that does is a
    ///     ``/HTTPChainGzip/ContentCodingError/Problem/windowTooLarge(limit:)``.
    public static func zstd(level: Int = 3, maximumWindow: ByteCount = .mebibytes(8)) -> ContentCoding {
        let level = min(19, max(1, level))
        return ContentCoding(
            "zstd",
            settings: "level \(level)",
            decoder: { try ZstdDecoder(maximumWindow: maximumWindow) },
            encoder: { try ZstdEncoder(level: level) }
        )
    }
}
#endif
