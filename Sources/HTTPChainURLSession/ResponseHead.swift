import HTTPChainCore
package import HTTPChainSupport
package import HTTPTypes

#if canImport(FoundationNetworking)
import Foundation
package import FoundationNetworking
#else
package import Foundation
#endif

/// A response head from the platform, corrected to describe the body that follows.
package struct ResponseHead {
    /// The error for an invalid head.
    package struct Malformed: Error {
        let detail: String
    }

    /// The content that follows the head.
    package enum Content: Equatable {
        case none
        /// A body, with its length if known.
        case body(length: Int64?)
    }

    package let head: HTTPResponse
    package let content: Content
    /// The original content fields if the platform decoded the content; empty otherwise.
    package let original: HTTPFields

    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The fields from the platform.
    ///   - method: The request's method. A response to HEAD has no content.
    ///   - isDecoded: Whether the platform has decoded the content; nil, the default, to derive it from the codings.
    /// - Throws: ``Malformed``.
    package init(
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

    /// Returns the fields of a platform response.
    package static func fields(of response: HTTPURLResponse) throws(TooManyFieldsError) -> HTTPFields {
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

    /// Splits the `Set-Cookie` fields that the platform joined with commas, if the boundary is unambiguous.
    ///
    /// A comma added by the platform is followed by a space, a token and "=". The same may follow a comma in a cookie's
    /// value, which RFC 6265 §4.1.1 forbids but servers send: `search=shoes, sid=1` may be one cookie or two. A comma
    /// counts as the platform's only after an attribute whose value has a fixed form. Otherwise the two pieces stay
    /// together, so that someone who controls a value can't add a cookie with another name.
    package static func splitCookies(_ joined: String) -> [String] {
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
                // Only dates contain a comma, so no attribute is checked more than twice.
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

    /// Whether the text after a comma is a space and the name of a cookie.
    private static func beginsCookie(_ text: Substring.UTF8View) -> Bool {
        guard text.first == UInt8(ascii: " ") else { return false }
        let rest = text.dropFirst()
        let end = rest.firstIndex { !ASCII.isTokenByte($0) } ?? rest.endIndex
        return end > rest.startIndex && end < rest.endIndex && rest[end] == UInt8(ascii: "=")
    }
}
