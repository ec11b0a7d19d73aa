import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A response head as the platform gives it, made into one that tells the truth about the body that follows.
struct ResponseHead {
    /// Why a head cannot be used.
    struct Malformed: Error {
        let detail: String
    }

    /// The content that follows the head.
    enum Content: Equatable {
        case none
        /// A body, of the length given where it is known.
        case body(length: Int64?)
    }

    let head: HTTPResponse
    let content: Content
    /// The fields that described the content before the platform decoded it; empty when it did not.
    let original: HTTPFields

    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The fields as the platform gives them.
    ///   - method: The request's method: nothing follows the answer to HEAD.
    ///   - isDecoded: Whether the platform has decoded the content; nil, the default, as its version does.
    /// - Throws: ``Malformed``.
    init(
        status: Int,
        fields: HTTPFields,
        to method: HTTPRequest.Method,
        isDecoded: Bool? = nil
    ) throws(Malformed) {
        guard (100...999).contains(status) else { throw Malformed(detail: "status code \(status)") }
        var fields = fields
        var original = HTTPFields()
        let status = HTTPResponse.Status(code: status)
        if HTTPResponse(status: status).endsWithHead(answering: method) {
            content = .none
        } else {
            if fields[.transferEncoding] != nil {
                // RFC 9112 §6.3: chunked framing overrides a length.
                fields[.contentLength] = nil
            }
            var length: Int64?
            if let text = fields[.contentLength] {
                guard let parsed = ContentLength.parse(text) else {
                    throw Malformed(detail: "Content-Length \"\(text)\" is not a number of bytes")
                }
                length = parsed
            }
            if let codings = fields[.contentEncoding], isDecoded ?? PlatformBehaviour.decodes(codings) {
                original[.contentEncoding] = codings
                original[.contentLength] = fields[.contentLength]
                fields[.contentEncoding] = nil
                fields[.contentLength] = nil
                length = nil
            }
            content = length == 0 ? .none : .body(length: length)
        }
        self.original = original
        head = HTTPResponse(status: status, headerFields: fields)
    }

    /// The fields of a response of the platform.
    static func fields(of response: HTTPURLResponse) throws(TooManyFieldsError) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(response.allHeaderFields.count)
        for (key, value) in response.allHeaderFields {
            guard let key = key as? String, let name = HTTPField.Name(key), let value = value as? String else {
                continue
            }
            if name == .setCookie {
                for cookie in splitCookies(value) { try fields.append(received: HTTPField(name: name, value: cookie)) }
            } else {
                try fields.append(received: HTTPField(name: name, value: value))
            }
        }
        return fields
    }

    /// The `Set-Cookie` fields that the platform joined with commas, one by one where that is certain.
    ///
    /// A comma of the platform's is followed by a space, a token and "=". So may be one in a cookie's value, which
    /// RFC 6265 §4.1.1 forbids and servers send: `search=shoes, sid=1` is one cookie or two. It counts as the
    /// platform's only behind an attribute whose value is one that a server writes by itself; otherwise both pieces
    /// stay together, so that nobody who decides about a value gives a cookie a name.
    static func splitCookies(_ joined: String) -> [String] {
        var cookies: [String] = []
        let bytes = joined.utf8
        var start = bytes.startIndex
        var index = start
        var attributeStart: String.Index?
        var commas = 0
        while index < bytes.endIndex {
            let next = bytes.index(after: index)
            switch bytes[index] {
            case UInt8(ascii: ";"): (attributeStart, commas) = (next, 0)
            case UInt8(ascii: ","):
                commas += 1
                // None but a date holds one, so that no attribute is looked at more than twice.
                guard let attribute = attributeStart, commas <= 2, beginsCookie(bytes[next...]),
                    CookieAttributeForm.isComplete(bytes[attribute..<index])
                else { break }
                cookies.append(String(Substring(bytes[start..<index])))
                start = bytes.index(after: next)
                attributeStart = nil
            default: break
            }
            index = next
        }
        cookies.append(String(Substring(bytes[start...])))
        return cookies
    }

    /// Whether what follows a comma is a space and the name of a cookie.
    private static func beginsCookie(_ text: Substring.UTF8View) -> Bool {
        guard text.first == UInt8(ascii: " ") else { return false }
        let rest = text.dropFirst()
        let end = rest.firstIndex { !ASCII.isTokenByte($0) } ?? rest.endIndex
        return end > rest.startIndex && end < rest.endIndex && rest[end] == UInt8(ascii: "=")
    }
}
