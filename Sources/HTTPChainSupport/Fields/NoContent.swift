package import HTTPTypes

extension HTTPResponse {
    /// Whether the response ends with its head, whatever its fields say: RFC 9112 §6.3, RFC 9110 §6.4.1.
    ///
    /// This is the rule of whoever reads or writes the connection.
    ///
    /// - Parameter method: The method of the request, where it is known.
    package func endsWithHead(answering method: HTTPRequest.Method?) -> Bool {
        switch status.code {
        case ..<200, 204, 304: true
        case 200..<300: method == .head || method == .connect
        default: method == .head
        }
    }

    /// Whether the response has no content, whatever its fields say: what ``endsWithHead(answering:)`` covers, and 205,
    /// which may be framed like any other response and still has none (RFC 9110 §15.3.6).
    ///
    /// This is the rule of whoever looks at content: decoding, digests, progress.
    ///
    /// - Parameter method: The method of the request, where it is known.
    package func hasNoContent(answering method: HTTPRequest.Method?) -> Bool {
        status.code == 205 || endsWithHead(answering: method)
    }
}
