public import HTTPChainCore
import HTTPChainSupport

/// The error for a multipart body that can't be framed or parsed.
///
/// Errors are equal if their problems are.
public struct MultipartError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The boundary is invalid, for the given reason; RFC 2046 §5.1.1.
        case invalidBoundary(String, reason: String)
        /// A part of multipart/form-data has no name, RFC 7578 §4.2; parts count from 0.
        case missingName(part: Int)
        /// A header field of a part has a name that is not a token, RFC 9110 §5.1.
        case invalidFieldName(String)
        /// A header field of a part has CR, LF or NUL in its value.
        case invalidFieldValue(name: String)
        /// The content of a part is a value that couldn't be encoded; see the underlying error.
        case valueNotEncoded(part: Int, type: String)
        /// The request has a form that no stage has framed.
        case stageMissing
        /// The message's Content-Type is missing or not a multipart type.
        case notMultipart(contentType: String?)
        /// The Content-Type is a multipart type without a valid boundary.
        case noBoundary(contentType: String)
        /// A line in the head of a part is not a header field; parts count from 0.
        case malformedHeader(part: Int)
        /// The head of a part is larger than the limit.
        case headerTooLarge(part: Int, limit: ByteCount)
        /// The head of a part has more fields than the limit.
        case tooManyHeaders(part: Int, limit: Int)
        /// There are more parts than the limit.
        case tooManyParts(limit: Int)
        /// The content of a part is larger than the limit.
        case partTooLarge(part: Int, limit: ByteCount)
        /// There are more bytes before the first boundary, or after the last one, than the limit.
        case tooMuchPadding(limit: ByteCount)
        /// The message ended before its final boundary, after the given number of parts had begun.
        case truncated(parts: Int)
        /// The content of a part was read after the next part had been requested.
        case partPassed(part: Int)
        /// Two tasks read from one message concurrently.
        case readConcurrently
    }

    /// The problem.
    public let problem: Problem
    /// The reason why a value couldn't be encoded.
    package var cause: (any Error)? { sealedCause.content }
    private let sealedCause: Uncompared<(any Error)?>

    init(_ problem: Problem, underlyingError: (any Error)? = nil) {
        self.problem = problem
        sealedCause = Uncompared(underlyingError)
    }

    /// Always "MultipartMiddleware".
    package var failedStage: String { "MultipartMiddleware" }

    package var explanation: Explanation {
        switch problem {
        case .invalidBoundary(let boundary, let reason):
            Explanation(
                "\(boundary.debugDescription) is not a boundary: \(reason) (RFC 2046 §5.1.1)",
                "change it, or leave it out for a random one"
            )
        case .missingName(let part):
            Explanation(
                "part \(part) of the form has no name, which multipart/form-data requires (RFC 7578 §4.2)",
                "give it one, or make the form multipart/mixed"
            )
        case .invalidFieldName(let name):
            Explanation(
                "\(name.debugDescription) is not the name of a header field",
                "use letters, digits and any of !#$%&'*+-.^_`|~ (RFC 9110 §5.1)"
            )
        case .invalidFieldValue(let name):
            Explanation("the value of the part header \(name) contains a line break or NUL", "remove it")
        case .valueNotEncoded(let part, let type):
            Explanation("the value of type \(type) in part \(part) cannot be encoded", "see the cause")
        case .stageMissing:
            Explanation(
                "the request carries a form that nothing has framed",
                "add MultipartMiddleware to the chain, inside the stage that reads the body"
            )
        case .notMultipart(let type):
            Explanation(
                "the message is not multipart: its Content-Type is \(type.map { $0.debugDescription } ?? "missing")"
            )
        case .noBoundary(let type):
            Explanation(
                "the Content-Type \(type.debugDescription) has no usable boundary parameter, without which its parts "
                    + "cannot be told apart"
            )
        case .malformedHeader(let part):
            Explanation("a line in the head of part \(part) is not a header field", "the message is malformed")
        case .headerTooLarge(let part, let limit):
            Self.tooMuch("the head of part \(part) is larger than \(limit)", "headerSize")
        case .tooManyHeaders(let part, let limit):
            Self.tooMuch("the head of part \(part) has more than \(limit) fields", "headerCount")
        case .tooManyParts(let limit):
            Self.tooMuch("the message has more than \(limit) parts", "partCount")
        case .partTooLarge(let part, let limit):
            Self.tooMuch("the content of part \(part) is larger than \(limit)", "partSize")
        case .tooMuchPadding(let limit):
            Self.tooMuch(
                "more than \(limit) stand before the first boundary or after the last, where nothing has a meaning",
                "paddingSize"
            )
        case .truncated(let parts):
            Explanation(
                "the message ended before its final boundary, after the beginning of \(parts) "
                    + "\(parts == 1 ? "part" : "parts")",
                "it is incomplete"
            )
        case .partPassed(let part):
            Explanation(
                "the content of part \(part) is gone, since a later part was asked for",
                "read each part before the next"
            )
        case .readConcurrently:
            Explanation("two tasks read parts of one message at the same time", "read them one after the other")
        }
    }

    private static func tooMuch(_ text: String, _ limit: String) -> Explanation {
        Explanation(text, "raise MultipartLimits.\(limit) if that is expected")
    }
}
