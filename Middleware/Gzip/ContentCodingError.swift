public import HTTPChainCore

/// The error for content that can't be compressed or decoded.
public struct ContentCodingError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Error, Sendable, Hashable {
        /// The content doesn't begin as the coding requires.
        case notEncoded
        /// The content is corrupt.
        ///
        /// Contains the decoder's message, such as "incorrect data check".
        case corrupt(String)
        /// The content is truncated.
        case truncated
        /// The content needs a preset dictionary (RFC 1950 §2.2), which HTTP can't identify.
        case needsDictionary
        /// The decoded content is larger than allowed.
        case tooLarge(limit: ByteCount)
        /// The content grows more than allowed when it is decoded, like a decompression bomb.
        case ratioTooHigh(limit: Int)
        /// The response has more stacked codings than are allowed.
        case tooManyCodings(count: Int, limit: Int)
        /// The content needs a larger window, and thus more memory, than allowed.
        case windowTooLarge(limit: ByteCount)
        /// The coding can only be decoded, but not encoded.
        case notEncodable
        /// There wasn't enough memory.
        case outOfMemory
        /// The coding itself failed, regardless of the content.
        ///
        /// Contains its message.
        case failed(String)
    }

    /// The problem.
    public let problem: Problem
    /// The coding being decoded or encoded, or `nil` if the error isn't about a particular one.
    public let coding: String?
    /// The number of input bytes consumed before the error.
    ///
    /// When decoding, these are encoded bytes.
    public let offset: Int64
    /// The request and the response head, redacted; `nil` if a body was decoded separately.
    package let failedExchange: ExchangeSnapshot?

    private let isEncoding: Bool

    init(
        _ problem: Problem,
        coding: String? = nil,
        offset: Int64 = 0,
        isEncoding: Bool = false,
        exchange: ExchangeSnapshot? = nil
    ) {
        self.problem = problem
        self.isEncoding = isEncoding
        self.coding = coding
        self.offset = offset
        failedExchange = exchange
    }

    /// Always "GzipMiddleware".
    package var failedStage: String { "GzipMiddleware" }

    package var explanation: Explanation {
        let name = coding ?? "encoded"
        return switch problem {
        case .notEncoded:
            Explanation(
                "the response declares that its content is encoded with \(name), but it is not (byte \(offset))",
                "send the request with decompression(false) to receive the content as encoded"
            )
        case .corrupt(let detail):
            Explanation(
                "the \(name) content is corrupt at byte \(offset): \(detail)",
                "do not trust what was read"
            )
        case .truncated:
            Explanation(
                "the \(name) content is truncated after \(offset) bytes",
                "what was read is incomplete"
            )
        case .needsDictionary:
            Explanation(
                "the \(name) content needs a preset dictionary (byte \(offset)), which HTTP does not provide for"
            )
        case .tooLarge(let limit):
            Explanation(
                "the content is larger than \(limit) once decoded (at byte \(offset) of the \(name) content)",
                "raise DecodingLimits.maximumSize if that is expected"
            )
        case .ratioTooHigh(let limit):
            Explanation(
                "the content expands more than \(limit) times when decoded (at byte \(offset) of the \(name) content), as "
                    + "a decompression bomb does",
                "raise DecodingLimits.maximumRatio if that is expected"
            )
        case .tooManyCodings(let count, let limit):
            Explanation(
                "the response has \(count) content codings, more than the limit of \(limit)",
                "send the request with decompression(false) to receive the content as encoded"
            )
        case .windowTooLarge(let limit):
            Explanation(
                "the \(name) content needs a window of more than \(limit) (byte \(offset))",
                "raise the window that the coding allows if that is expected"
            )
        case .notEncodable:
            Explanation(
                "content cannot be encoded with \(name): the coding has no encoder",
                "use another coding, such as gzip"
            )
        case .outOfMemory:
            Explanation("out of memory while \(isEncoding ? "encoding with" : "decoding") \(name)")
        case .failed(let detail):
            Explanation("\(isEncoding ? "encoding with" : "decoding") \(name) failed at byte \(offset): \(detail)")
        }
    }

    func during(_ exchange: ExchangeSnapshot) -> ContentCodingError {
        ContentCodingError(problem, coding: coding, offset: offset, isEncoding: isEncoding, exchange: exchange)
    }
}
