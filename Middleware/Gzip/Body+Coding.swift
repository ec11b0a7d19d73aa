public import HTTPChainCore

extension HTTPBody {
    /// Returns the body, encoded with a coding as it is read.
    ///
    /// Its length isn't known beforehand.
    ///
    /// It is replayable if this body is.
    ///
    /// - Parameter coding: The coding, such as ``ContentCoding/gzip``.
    /// - Returns: A body whose reading throws ``ContentCodingError`` if the coding can't be applied, and errors from
    ///   this body.
    public func encoded(with coding: ContentCoding) -> HTTPBody {
        transformed { try EncodingReader($0, coding) }
    }

    /// Returns the body, decoded from codings as it is read.
    ///
    /// It is replayable if this body is.
    ///
    /// - Parameters:
    ///   - codings: The codings, in the order in which they are removed: the last of `Content-Encoding` first.
    ///   - limits: The limits for the decoded content.
    /// - Returns: A body whose reading throws ``ContentCodingError`` for content that is corrupt, truncated or beyond
    ///   the limits, and errors from this body.
    public func decoded(from codings: [ContentCoding], limits: DecodingLimits = DecodingLimits()) -> HTTPBody {
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
