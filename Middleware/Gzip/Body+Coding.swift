public import HTTPChainCore

extension HTTPBody {
    /// The body compressed with gzip as it is read; its length is not known beforehand.
    ///
    /// It can be read as often as this body can.
    ///
    /// - Parameter level: Time against size; 6 by default.
    /// - Returns: A body whose reading throws ``ContentCodingError`` when there is no memory for it, and what reading this one throws.
    public func gzipped(level: CompressionLevel = .standard) -> HTTPBody {
        encoded(with: .gzip(level: level))
    }

    /// The body encoded with a coding as it is read; its length is not known beforehand.
    ///
    /// It can be read as often as this body can.
    ///
    /// - Parameter coding: The coding, such as ``ContentCoding/gzip``.
    /// - Returns: A body whose reading throws ``ContentCodingError`` when the coding cannot be applied, and what reading
    ///   this one throws.
    public func encoded(with coding: ContentCoding) -> HTTPBody {
        transformed { try EncodingReader($0, coding) }
    }

    /// The body with codings undone as it is read.
    ///
    /// It can be read as often as this body can.
    ///
    /// - Parameters:
    ///   - codings: The codings, in the order in which they are undone: the last of `Content-Encoding` first.
    ///   - limits: How far the content may grow.
    /// - Returns: A body whose reading throws ``ContentCodingError`` for content that is corrupt, truncated or beyond the limits,
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
                reader = try DecodingReader(
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
