public import Foundation
public import HTTPChainRedaction
import HTTPChainSupport
import HTTPChainValues
public import HTTPTypes

/// A request and its response, as far as they are known, with secrets redacted, for errors and logs.
///
/// Creating a snapshot costs nothing, because secrets are redacted when a property is read. URLs and field values are
/// limited to 16 KiB.
public struct ExchangeSnapshot: Sendable {
    private struct Content: Sendable {
        let request: HTTPRequest
        let response: HTTPResponse?
        let preview: BodyPreview?
        let redaction: Redaction
    }

    private let sealed: Sealed<Content>

    /// The number of attempts made to get the response, or `nil` if unknown.
    public let attempts: Int?

    /// Makes a snapshot.
    ///
    /// - Parameters:
    ///   - request: The current request.
    ///   - response: The response head, if there was one.
    ///   - preview: The first bytes of the response body, if they were read.
    ///   - attempts: The number of attempts made to get the response, if known.
    ///   - redaction: The redaction rules.
    public init(
        _ request: HTTPRequest,
        response: HTTPResponse? = nil,
        preview: BodyPreview? = nil,
        attempts: Int? = nil,
        redaction: Redaction = .standard
    ) {
        sealed = Sealed(Content(request: request, response: response, preview: preview, redaction: redaction))
        self.attempts = attempts
    }

    private var content: Content { sealed.content }

    private var redaction: Redaction { content.redaction.adding(markedIn: content.request.headerFields) }

    /// The request's method.
    public var method: HTTPRequest.Method { content.request.method }

    /// The request's URL, without user information and with secret query values redacted.
    public var url: String { redaction.url(content.request.urlText) }

    /// The request's header fields, with secret values redacted.
    package var requestFields: HTTPFields { redaction.fields(content.request.headerFields) }

    /// The response head, with secret values redacted; `nil` if none arrived.
    public var response: HTTPResponse? {
        content.response.map { head in
            var head = head
            head.headerFields = redaction.fields(head.headerFields)
            return head
        }
    }

    /// The first bytes of the response body, with secrets redacted in text; `nil` if none were read.
    package var bodyPreview: BodyPreview? { content.preview.map(redaction.preview) }
}

extension ExchangeSnapshot: CustomStringConvertible, CustomReflectable {
    /// One line: `GET https://… → 404 Not Found, application/json: {"error":…`.
    public var description: String {
        var text = "\(method) \(url)"
        if let status = content.response?.status { text += " → \(status.label)" }
        if let attempts, attempts > 1 { text += " after \(attempts) attempts" }
        let types = content.response?.headerFields[fields: .contentType] ?? []
        if !types.isEmpty { text += ", \(types.map { redaction.value(of: $0) }.joined(separator: ", "))" }
        if let bodyPreview { text += ": \(bodyPreview)" }
        return text
    }

    /// The properties, redacted.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "method": method, "url": url, "requestFields": requestFields, "response": response as Any,
            "bodyPreview": bodyPreview as Any, "attempts": attempts as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension ExchangeSnapshot: Hashable {
    /// Compares everything that is shown.
    public static func == (lhs: ExchangeSnapshot, rhs: ExchangeSnapshot) -> Bool {
        lhs.method == rhs.method && lhs.attempts == rhs.attempts && lhs.url == rhs.url
            && lhs.requestFields == rhs.requestFields && lhs.response == rhs.response
            && lhs.bodyPreview == rhs.bodyPreview
    }

    /// Hashes the request's method and URL.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(url)
    }
}

/// The first bytes of a body.
public struct BodyPreview: Sendable, Hashable, CustomStringConvertible {
    /// The first bytes of the body.
    public let bytes: Data
    /// Whether the body may continue after them.
    public let isTruncated: Bool

    /// Makes a preview.
    package init(_ bytes: Data, isTruncated: Bool) {
        self.bytes = bytes
        self.isTruncated = isTruncated
    }

    /// The bytes as text with control characters replaced by spaces, or their number if they aren't text.
    public var description: String {
        guard let text else {
            return "\(bytes.count)\(isTruncated ? " or more" : "") bytes of binary data"
        }
        return text.printable() + (isTruncated ? "…" : "")
    }

    /// The text, even if the preview ends inside a character; `nil` for binary data, such as bytes with a NUL.
    public var text: String? {
        guard !bytes.contains(0) else { return nil }
        for dropped in 0...min(3, max(0, bytes.count - 1)) {
            if let text = String(data: bytes.dropLast(dropped), encoding: .utf8) { return text }
            guard isTruncated else { return nil }
        }
        return nil
    }
}
