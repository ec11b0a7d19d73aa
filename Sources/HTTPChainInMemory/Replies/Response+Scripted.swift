public import Foundation
public import HTTPChainCore
public import HTTPTypes

// Scripted replies as responses, so that handler closures and scripts use the same notation.
extension Response {
    /// 200 with no content.
    public static var ok: Response { Response(.ok) }

    /// A status with header fields and a body, empty by default.
    ///
    /// ```swift
    /// let transport = InMemoryTransport { _ in .status(500) }
    /// ```
    public static func status(
        _ status: HTTPResponse.Status,
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> Response {
        Response(status, headers: headers, body: body)
    }

    /// A value as JSON, with its `Content-Type`; see ``ScriptedReply/json(_:status:headers:encoder:)``.
    ///
    /// - Throws: `EncodingError` if the value can't be encoded.
    public static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> Response {
        try ScriptedReply.json(value, status: status, headers: headers, encoder: encoder).response
    }

    /// UTF-8 text, with its `Content-Type`; see ``ScriptedReply/text(_:status:headers:)``.
    public static func text(_ text: String, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        ScriptedReply.text(text, status: status, headers: headers).response
    }

    /// A redirect, RFC 9110 §15.4; 302 by default.
    package static func redirect(to location: String, status: HTTPResponse.Status = .found) -> Response {
        ScriptedReply.redirect(to: location, status: status).response
    }
}
