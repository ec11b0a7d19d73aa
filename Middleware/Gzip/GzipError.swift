public import HTTPChainCore

/// Content could not be compressed, or not be decoded.
public struct GzipError: HTTPChainError, Hashable {
    /// What went wrong.
    public enum Problem: Sendable, Hashable {
        /// The content does not begin as its coding begins.
        case notEncoded
        /// The content is damaged; what zlib says about it, such as "incorrect data check".
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
        /// zlib had no memory.
        case outOfMemory
        /// zlib refused; its code.
        case zlib(code: Int)
    }

    /// What went wrong.
    public let problem: Problem
    /// The coding that was being undone; `nil` when content was being compressed, or nothing was decoded yet.
    public let coding: ContentCoding?
    /// How many bytes of encoded content had been taken in when it went wrong.
    public let offset: Int64
    /// The request and the response's head, redacted; `nil` where a body was decoded on its own.
    public let exchange: ExchangeSnapshot?

    init(_ problem: Problem, coding: ContentCoding? = nil, offset: Int64 = 0, exchange: ExchangeSnapshot? = nil) {
        self.problem = problem
        self.coding = coding
        self.offset = offset
        self.exchange = exchange
    }

    /// Always "GzipMiddleware".
    public var stage: String { "GzipMiddleware" }

    /// What happened.
    public var reason: String { explanation.reason }

    /// What to do about it; `nil` where there is nothing.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        let name = coding.map(\.rawValue) ?? "gzip"
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
        case .outOfMemory:
            Explanation("there is no memory for zlib")
        case .zlib(let code):
            Explanation("zlib refused with code \(code)")
        }
    }

    func during(_ exchange: ExchangeSnapshot) -> GzipError {
        GzipError(problem, coding: coding, offset: offset, exchange: exchange)
    }
}
