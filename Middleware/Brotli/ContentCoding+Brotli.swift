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
    /// The format has no checksum and no beginning that tells it from other bytes: damage is found only where it breaks
    /// the format. Bytes that follow the end are damage. Large windows, an extension of the format, are refused.
    ///
    /// - Parameters:
    ///   - quality: Time against size, where it is applied: 0 to 11, and the nearer end for what lies outside; 5 by
    ///     default, which takes about as long as gzip at level 6. 11 is for what is compressed once and sent often; with 0
    ///     and 1 each chunk of a body is compressed by itself.
    ///   - maximumWindow: The most memory that content may ask for as its window; 16 MiB by default, which is all that
    ///     the format can ask for. Content that asks for more is a
    ///     ``/HTTPChainGzip/ContentCodingError/Problem/windowTooLarge(limit:)``.
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
