package import HTTPTypes

extension HTTPResponse {
    /// Whether the response ends with its head, regardless of its fields (RFC 9112 §6.3, RFC 9110 §6.4.1).
    ///
    /// Use this for reading or writing the connection.
    ///
    /// - Parameter method: The method of the request, if known.
    package func endsWithHead(answering method: HTTPRequest.Method?) -> Bool {
        switch status.code {
        case ..<200, 204, 304: true
        case 200..<300: method == .head || method == .connect
        default: method == .head
        }
    }

    /// Whether the response has no content, regardless of its fields: the cases of ``endsWithHead(answering:)``, and
    /// 205, which may be framed like any other response but has no content (RFC 9110 §15.3.6).
    ///
    /// Use this for handling content: decoding, digests, progress.
    ///
    /// - Parameter method: The method of the request, if known.
    package func hasNoContent(answering method: HTTPRequest.Method?) -> Bool {
        status.code == 205 || endsWithHead(answering: method)
    }
}
