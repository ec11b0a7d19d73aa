#if Brotli && canImport(CBrotli)
public import HTTPChainCore
public import HTTPChainGzip

extension ContentCoding {
    /// brotli (RFC 7932), for ``/HTTPChainGzip/GzipMiddleware``, at quality 5 with windows of up to 16 MiB.
    ///
    /// ```swift
    /// GzipMiddleware(codings: [.brotli, .gzip])
    /// ```
    public static let brotli = brotli()

    /// brotli (RFC 7932), for ``/HTTPChainGzip/GzipMiddleware``.
    ///
    /// The format has neither a checksum nor a magic number, so corruption is detected only if it violates the format.
    /// Bytes after the end count as corruption. Large windows, an extension of the format, are refused.
    ///
    /// - Parameters:
    ///   - quality: The compression quality, clamped to 0 to 11; 5 by default, which takes about as long as gzip at
    ///     level 6. Use 11 for content that is compressed once and sent often. With 0 and 1, each chunk of a body is
    ///     compressed separately.
    ///   - maximumWindow: The maximum memory for the window that content may request; 16 MiB by default, the format's
    ///     maximum. A larger request throws a ``/HTTPChainGzip/ContentCodingError/Problem/windowTooLarge(limit:)``.
    public static func brotli(quality: Int = 5, maximumWindow: ByteCount = .mebibytes(16)) -> ContentCoding {
        let quality = min(11, max(0, quality))
        return ContentCoding(
            "br",
            settings: "quality \(quality)",
            decoder: { try BrotliDecoder(maximumWindow: maximumWindow) },
            encoder: { try BrotliEncoder(quality: quality) }
        )
    }
}
#endif
