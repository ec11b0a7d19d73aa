public import HTTPChainCore

extension HTTPBody {
    /// The body compressed with gzip as it is read; its length is not known beforehand.
    ///
    /// It can be read as often as this body can.
    ///
    /// - Parameter level: Time against size; 6 by default.
    /// - Returns: A body whose reading throws ``GzipError`` when zlib has no memory, and what reading this one throws.
    public func gzipped(level: CompressionLevel = .standard) -> HTTPBody {
        transformed { try GzipReader($0, level: level) }
    }

    /// The body with codings undone as it is read.
    ///
    /// It can be read as often as this body can.
    ///
    /// - Parameters:
    ///   - codings: The codings, in the order in which they are undone: the last of `Content-Encoding` first.
    ///   - limits: How far the content may grow.
    /// - Returns: A body whose reading throws ``GzipError`` for content that is corrupt, truncated or beyond the limits,
    ///   and what reading this one throws.
    public func decoded(from codings: [ContentCoding], limits: DecodingLimits = .standard) -> HTTPBody {
        decoded(from: codings, limits: limits, exchange: nil)
    }

    func decoded(
        from codings: [ContentCoding],
        limits: DecodingLimits,
        exchange: (@Sendable () -> ExchangeSnapshot)?
    ) -> HTTPBody {
        guard !codings.isEmpty else { return self }
        return transformed { inner in
            let arrived = ArrivedBytes()
            var reader: any BodyReader = inner
            for (index, coding) in codings.enumerated() {
                reader = DecodingReader(
                    reader,
                    coding,
                    limits: limits,
                    arrived: arrived,
                    countsArrival: index == 0,
                    exchange: exchange
                )
            }
            return reader
        }
    }
}
