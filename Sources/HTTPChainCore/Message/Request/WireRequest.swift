import HTTPChainSupport
public import HTTPTypes

/// A checked request that is ready to be written, made by a transport from its ``Request``.
///
/// Transports call ``Request/forWire()`` first, so that all of them reject the same input with the same error.
public struct WireRequest: Sendable {
    /// The head, with an absolute target and without `Content-Length`.
    ///
    /// Square brackets in its path and query are percent-encoded.
    public let head: HTTPRequest
    /// The absolute URL of the head, without user information or fragment.
    public let url: String
    /// The body; never a typed value.
    ///
    /// A stream is checked against ``contentLength`` while it is read.
    public let body: HTTPBody
    /// The number of bytes in the body, or `nil` if it is only known at the end.
    public let contentLength: Int64?
    /// The options of the call, which determine its redaction.
    let options: RequestOptions

    /// The redaction rules of this call, which a transport applies to its errors.
    ///
    /// Computed each time, so read it only if there is something to redact.
    package var redaction: Redaction { Request(head: head, options: options).redaction }

    /// Whether a stage has decided if the attempt is traced; see ``TracedByStageNote``.
    package var isTracedByStage: Bool { options[TracedByStageNote.self] }
}

extension WireRequest: DescribedValue, RedactedDisplay {
    /// The request's description, with secrets redacted.
    package var words: String { "\(Request(head: head, body: body, options: options))" }

    /// Rejects `OPTIONS *`, in a transport that takes the target from a URL.
    ///
    /// The URL of such a request has no path (RFC 9112 §3.3), so the request would be sent to `/` instead.
    package func requirePath(for transport: String) throws(InvalidRequestError) {
        guard head.path == "*" else { return }
        let server = Substring(url.utf8.dropLast())
        throw InvalidRequestError(
            .invalidURL(
                redaction.url(String(server)),
                "\(transport) cannot send \(head.method) for the server as a whole (\"*\"); send it to a path"
            )
        )
    }
}

extension InvalidRequestError {
    /// The error for a TRACE request with a body.
    package static var traceWithBody: InvalidRequestError {
        InvalidRequestError(.unsupportedBody("a TRACE request cannot have a body (RFC 9110 §9.3.8); remove it"))
    }
}

extension Request {
    /// Checks the request and resolves details that only a transport needs.
    ///
    /// - Throws: ``InvalidRequestError``, which says what is wrong and how to fix it.
    public consuming func forWire() throws(InvalidRequestError) -> WireRequest {
        var head = head
        head.encodeSquareBrackets()
        let options = options
        let url: String
        do {
            url = try Self.checkedURL(of: head)
        } catch {
            throw error.redacted(by: Request(head: head, options: options).redaction)
        }
        if options.hasUnreadTarget {
            throw InvalidRequestError(.unfinishedURL(url), reader: options.targetReader)
                .redacted(by: Request(head: head, options: options).redaction)
        }
        for field in head.headerFields {
            if field.withUnsafeBytesOfValue({ $0.contains(where: ASCII.isFieldControl) }) {
                throw InvalidRequestError(.invalidHeaderValue(name: field.name.rawName))
            }
            if field.name == .invalidName { throw InvalidRequestError(.invalidHeaderName(field.value)) }
        }
        let declared = try Self.declaredLength(of: head)
        head.headerFields[.contentLength] = nil
        head.headerFields[.transferEncoding] = nil
        if let type = body.typedValueName {
            throw InvalidRequestError(.unserializedBody(type: type))
        }
        if let length = body.length, length < 0 {
            throw InvalidRequestError(.negativeLength(length))
        }
        if let declared, let length = body.length, declared != length {
            throw InvalidRequestError(.contentLengthMismatch(declared: declared, actual: length))
        }
        let length = body.length ?? declared
        if head.method == .trace, length != 0 { throw .traceWithBody }
        return WireRequest(
            head: head,
            url: url,
            body: body.length == nil && declared != nil ? body.declaring(length: declared) : body,
            contentLength: length,
            options: options
        )
    }

    private static func checkedURL(of head: HTTPRequest) throws(InvalidRequestError) -> String {
        let path = head.path ?? ""
        guard let scheme = head.scheme, let authority = head.authority else {
            throw InvalidRequestError(.relativeURL(head.authority.map { "//\($0)\(path)" } ?? path))
        }
        let url = "\(scheme)://\(authority)\(path)"
        guard scheme == "http" || scheme == "https" else {
            throw InvalidRequestError(.invalidURL(url, "the scheme must be http or https"))
        }
        guard let address = Authority(authority) else {
            throw InvalidRequestError(.invalidURL(url, "its authority is not a host with an optional port"))
        }
        guard address.userInfo == nil else {
            throw InvalidRequestError(
                .invalidURL(
                    url,
                    "it contains a user name or password, which RFC 9110 §4.2.4 forbids; use an authentication stage"
                )
            )
        }
        guard head.method != .connect else {
            throw InvalidRequestError(
                .invalidURL(
                    url,
                    "CONNECT asks a proxy for a tunnel to a host and port (RFC 9110 §9.3.6), which a request cannot do; "
                        + "set the proxy in the ConnectionSettings of the transport"
                )
            )
        }
        guard path.begins(with: "/") || (path == "*" && head.method == .options) else {
            throw InvalidRequestError(.invalidURL(url, "the path must begin with a slash"))
        }
        if let why = Self.faultInPath(path) {
            throw InvalidRequestError(.invalidURL(url, why))
        }
        return url
    }

    /// Returns the first fault in a path with its query, by RFC 3986 §3.3 and §3.4.
    private static func faultInPath(_ path: String) -> String? {
        var hexDigitsDue = 0
        for byte in path.utf8 {
            Steps.take()
            if hexDigitsDue > 0 {
                guard byte.hexadecimalValue != nil else { break }
                hexDigitsDue -= 1
                continue
            }
            switch byte {
            case UInt8(ascii: "%"):
                hexDigitsDue = 2
            case ...0x20, 0x7F..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
                UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"),
                UInt8(ascii: "#"):
                let character = byte < 0x80 ? String(reflecting: String(Unicode.Scalar(byte))) : "outside ASCII"
                return "the character \(character) must be percent-encoded"
            default:
                break
            }
        }
        return hexDigitsDue > 0 ? "a % is not followed by two hexadecimal digits" : nil
    }

    private static func declaredLength(of head: HTTPRequest) throws(InvalidRequestError) -> Int64? {
        guard let text = head.headerFields[.contentLength] else { return nil }
        guard let length = ContentLength.parse(text) else {
            throw InvalidRequestError(.invalidContentLength(text))
        }
        return length
    }
}
