public import HTTPChainCore

/// Content could not be compressed, or not be decoded.
public struct ContentCodingError: HTTPChainError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Error, Sendable, Hashable {
        /// The content does not begin as its coding begins.
        case notEncoded
        /// The content is damaged; what the decoder says about it, such as "incorrect data check".
        case corrupt(String)
        /// The content ends in the middle.
        case truncated
        /// The content needs a preset dictionary (RFC 1950 §2.2), which HTTP has no way to name.
        case needsDictionary
        /// The content is larger than allowed once it is decoded.
        case tooLarge(limit: ByteCount)
        /// The content grows more than allowed when it is decoded: what a decompression bomb does.
        case ratioTooHigh(limit: Int)
        /// The response has more codings on top of each other than are undone.
        case tooManyCodings(count: Int, limit: Int)
        /// The content asks for a larger window, which is memory, than is allowed.
        case windowTooLarge(limit: ByteCount)
        /// Content was to be encoded with a coding that can only be undone.
        case notEncodable
        /// There was no memory.
        case outOfMemory
        /// The coding itself failed, whatever the content; what it says.
        case failed(String)
    }

    /// The problem.
    public let problem: Problem
    /// The coding that was being undone or applied; `nil` where it is none in particular.
    public let coding: ContentCoding?
    /// The number of bytes of the content that had been taken in when it went wrong, encoded ones when it was being
    /// decoded.
    public let offset: Int64
    /// The request and the response's head, redacted; `nil` where a body was decoded on its own.
    public let exchange: ExchangeSnapshot?

    private let isEncoding: Bool

    init(
        _ problem: Problem,
        coding: ContentCoding? = nil,
        offset: Int64 = 0,
        isEncoding: Bool = false,
        exchange: ExchangeSnapshot? = nil
    ) {
        self.problem = problem
        self.isEncoding = isEncoding
        self.coding = coding
        self.offset = offset
        self.exchange = exchange
    }

    /// Always "GzipMiddleware".
    public var stage: String { "GzipMiddleware" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        let name = coding?.name ?? "encoded"
        return switch problem {
        case .notEncoded:
            Explanation(
                "the response says that its content is encoded with \(name), but it does not begin so (byte \(offset))",
                "send the request with leavingResponseEncoded() to take the content as it is"
            )
        case .corrupt(let detail):
            Explanation(
                "the \(name) content is corrupt at byte \(offset): \(detail)",
                "what was read of it cannot be trusted"
            )
        case .truncated:
            Explanation(
                "the \(name) content ends in the middle, after \(offset) bytes",
                "what was read of it is incomplete"
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
                "the content grows more than \(limit) times when decoded (at byte \(offset) of the \(name) content), as "
                    + "a decompression bomb does",
                "raise DecodingLimits.maximumRatio if that is expected"
            )
        case .tooManyCodings(let count, let limit):
            Explanation(
                "the response has \(count) codings on top of each other, and at most \(limit) are undone",
                "send the request with leavingResponseEncoded() to take the content as it is"
            )
        case .windowTooLarge(let limit):
            Explanation(
                "the \(name) content asks for a window of more than \(limit) (byte \(offset))",
                "raise the window that the coding allows if that is expected"
            )
        case .notEncodable:
            Explanation(
                "content cannot be encoded with \(name): the coding has no encoder",
                "use another coding, such as gzip"
            )
        case .outOfMemory:
            Explanation("there is no memory for \(isEncoding ? "encoding with" : "decoding") \(name)")
        case .failed(let detail):
            Explanation("\(isEncoding ? "encoding with" : "decoding") \(name) failed at byte \(offset): \(detail)")
        }
    }

    func during(_ exchange: ExchangeSnapshot) -> ContentCodingError {
        ContentCodingError(problem, coding: coding, offset: offset, isEncoding: isEncoding, exchange: exchange)
    }
}
