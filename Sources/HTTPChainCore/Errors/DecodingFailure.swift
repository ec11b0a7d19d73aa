public import Foundation
import HTTPChainSupport
public import HTTPTypes

/// An error thrown if a response body can't be decoded to the requested type.
public struct DecodingFailure: ExplainedError {
    /// The maximum size of the body preview: 256 bytes.
    package static let previewLimit: ByteCount = 256

    /// The requested type.
    package let expectedType: String
    /// The path to the value that failed, such as `data.items[3].price`, including the key path that decoding began at;
    /// empty for the whole body.
    public let codingPath: String
    /// The message of the decoder.
    public let detail: String
    /// The status of the response.
    public let status: HTTPResponse.Status
    /// The `Content-Type` of the response, if it has one.
    package let contentType: String?
    /// The first bytes of the body, with secrets redacted.
    public let preview: BodyPreview
    /// The request and the head of the response, redacted; `nil` if the request is unknown.
    package let failedExchange: ExchangeSnapshot?
    /// The decoder's error; it may quote values of the body and isn't part of ``description``.
    package let cause: (any Error)?

    /// Makes the error from a decoder's error.
    ///
    /// - Parameters:
    ///   - type: The requested type.
    ///   - bytes: The body; its first 256 bytes are kept.
    ///   - head: The head of the response.
    ///   - cause: The decoder's error.
    ///   - request: The request, if known.
    ///   - attempts: The number of attempts made to get the response, if known.
    ///   - redaction: The redaction rules for the preview of the body.
    public init(
        _ type: Any.Type,
        from bytes: Data,
        head: HTTPResponse,
        cause: any Error,
        request: HTTPRequest? = nil,
        attempts: Int? = nil,
        redaction: Redaction = .standard
    ) {
        let problem = DecodingProblem(cause, redaction: redaction)
        self.init(
            type,
            from: bytes,
            head: head,
            codingPath: problem.path,
            detail: problem.detail,
            request: request,
            attempts: attempts,
            redaction: redaction,
            underlyingError: cause
        )
    }

    /// Makes the error with a custom message.
    ///
    /// - Parameters:
    ///   - type: The requested type.
    ///   - bytes: The body; its first 256 bytes are kept.
    ///   - head: The head of the response.
    ///   - codingPath: The path to the value that failed; empty for the whole body.
    ///   - detail: What is wrong and how to fix it, without secrets.
    ///   - request: The request, if known.
    ///   - attempts: The number of attempts made to get the response, if known.
    ///   - redaction: The redaction rules for the preview of the body.
    ///   - underlyingError: The error that led to this one.
    package init(
        _ type: Any.Type,
        from bytes: Data,
        head: HTTPResponse,
        codingPath: String = "",
        detail: String,
        request: HTTPRequest? = nil,
        attempts: Int? = nil,
        redaction: Redaction = .standard,
        underlyingError: (any Error)? = nil
    ) {
        expectedType = String(describing: type)
        let limit = Int(clamping: Self.previewLimit.bytes)
        preview = redaction.preview(BodyPreview(Data(bytes.prefix(limit)), isTruncated: bytes.count > limit))
        status = head.status
        contentType = head.headerFields[.contentType]
        failedExchange = request.map { ExchangeSnapshot($0, response: head, attempts: attempts, redaction: redaction) }
        self.codingPath = codingPath
        self.detail = detail
        cause = underlyingError
    }

    /// Always "decoding".
    package var failedStage: String { "decoding" }

    package var explanation: Explanation {
        let place = codingPath.isEmpty ? "" : " at \(codingPath)"
        let kind = contentType.map { ", \($0)" } ?? ""
        let body = preview.bytes.isEmpty ? "" : "; it begins: \(preview)"
        let what = "the body is not a value of type \(expectedType)\(place): \(detail)"
        return Explanation("\(what) (status \(status.code)\(kind))\(body)".printableLines)
    }

    /// Stage, reason and exchange; omits the decoder's error, which adds nothing to ``detail``.
    public var description: String {
        explanation.text(of: stage) + (exchange.map { "\n  \($0)" } ?? "")
    }
}
