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
    /// Any number of frames, including skippable ones, forms one content. Checksums are written and verified. Frames in
    /// formats that predate RFC 8878, and frames that need a dictionary, aren't decoded.
    ///
    /// - Parameters:
    ///   - level: The compression level, clamped to 1 to 19; 3 by default, which is smaller than gzip at level 6 in a
    ///     fraction of the time.
    ///   - maximumWindow: The maximum memory for the window that content may request, rounded down to a power of two,
    ///     at least 1 KiB; 8 MiB by default, the most that senders may request (RFC 9659 §3). A larger request throws a
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
