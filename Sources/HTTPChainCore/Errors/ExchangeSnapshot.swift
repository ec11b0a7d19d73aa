public import Foundation
public import HTTPTypes

/// A request as it stood, and what was known of its answer, with secrets redacted: fit for errors and logs.
public struct ExchangeSnapshot: Sendable, Hashable, CustomStringConvertible {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The request's URL without user information and with secret query values redacted.
    public let url: String
    /// The request's header fields, secret values redacted.
    public let requestFields: HTTPFields
    /// The response head, secret values redacted; `nil` when none arrived.
    public let response: HTTPResponse?
    /// The first bytes of the response body, secrets redacted in text; `nil` when none were read.
    public let bodyPreview: BodyPreview?

    /// The number of attempts that led to the response; `nil` when that is not known.
    public let attempts: Int?

    /// Takes the snapshot.
    ///
    /// - Parameters:
    ///   - request: The request as it stands.
    ///   - response: The response head, if there was one.
    ///   - preview: The first bytes of the response body, if they were read.
    ///   - attempts: How many attempts led to the response, where that is known.
    ///   - redaction: What counts as a secret.
    public init(
        _ request: HTTPRequest,
        response: HTTPResponse? = nil,
        preview: BodyPreview? = nil,
        attempts: Int? = nil,
        redaction: Redaction = .standard
    ) {
        let redaction = redaction.adding(markedIn: request.headerFields)
        method = request.method
        url = redaction.url(Request(head: request).url)
        requestFields = redaction.fields(request.headerFields)
        self.response = response.map { head in
            var head = head
            head.headerFields = redaction.fields(head.headerFields)
            return head
        }
        bodyPreview = preview.map(redaction.preview)
        self.attempts = attempts
    }

    /// One line: `GET https://… → 404 Not Found, application/json: {"error":…`.
    public var description: String {
        var text = "\(method) \(url)"
        if let status = response?.status { text += " → \(status.label)" }
        if let attempts, attempts > 1 { text += " after \(attempts) attempts" }
        if let type = response?.headerFields[.contentType] { text += ", \(type)" }
        if let bodyPreview { text += ": \(bodyPreview)" }
        return text
    }
}

/// The first bytes of a body.
public struct BodyPreview: Sendable, Hashable, CustomStringConvertible {
    /// The bytes seen.
    public let bytes: Data
    /// Whether the body goes on after them, as far as is known.
    public let isTruncated: Bool

    /// Makes a preview.
    public init(_ bytes: Data, isTruncated: Bool) {
        self.bytes = bytes
        self.isTruncated = isTruncated
    }

    /// The bytes as text with control characters shown as spaces, or their number when they are not text.
    public var description: String {
        guard let text else {
            return "\(bytes.count)\(isTruncated ? " or more" : "") bytes of binary data"
        }
        return text.printable() + (isTruncated ? "…" : "")
    }

    /// The text, also when the preview ends inside a character; `nil` for binary data, of which NUL is a sign.
    public var text: String? {
        guard !bytes.contains(0) else { return nil }
        for dropped in 0...min(3, max(0, bytes.count - 1)) {
            if let text = String(data: bytes.dropLast(dropped), encoding: .utf8) { return text }
            guard isTruncated else { return nil }
        }
        return nil
    }
}
