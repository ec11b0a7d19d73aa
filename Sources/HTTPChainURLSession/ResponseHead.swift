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

    /// The `Set-Cookie` fields that the platform joined with commas, one by one.
    ///
    /// A comma that begins another cookie is followed by a token and "="; one inside an `Expires` date is followed by
    /// a day. Other commas do not occur in what RFC 6265 §4.1.1 lets a server send.
    static func splitCookies(_ joined: String) -> [String] {
        var cookies: [String] = []
        var start = joined.startIndex
        var index = start
        while let comma = joined.utf8[index...].firstIndex(of: UInt8(ascii: ",")) {
            index = joined.utf8.index(after: comma)
            let rest = joined.utf8[index...].drop { $0 == UInt8(ascii: " ") }
            let name = rest.prefix { !"=;, \t".utf8.contains($0) }
            guard !name.isEmpty, rest[name.endIndex...].first == UInt8(ascii: "=") else { continue }
            cookies.append(String(joined[start..<comma]))
            start = rest.startIndex
            index = start
        }
        cookies.append(String(joined[start...]))
        return cookies
    }
}
