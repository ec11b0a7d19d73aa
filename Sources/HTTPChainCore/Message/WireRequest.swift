public import HTTPTypes

/// A request that was checked and is ready to be written: what a transport makes of the ``Request`` it is given.
///
/// A transport calls ``Request/forWire()`` first, so that the same input is refused with the same error everywhere.
public struct WireRequest: Sendable {
    /// The head, with an absolute target and without `Content-Length`.
    public let head: HTTPRequest
    /// The absolute URL, without user information or fragment.
    public let url: String
    /// The body; never a typed value.
    ///
    /// A stream is checked against ``contentLength`` as it is read.
    public let body: Body
    /// The number of bytes the body has, or `nil` when only its end will tell.
    public let contentLength: Int64?
}

extension Request {
    /// Checks the request and resolves what only a transport needs.
    ///
    /// - Throws: ``InvalidRequestError`` that says what is wrong and which stage or call mends it.
    public consuming func forWire() throws(InvalidRequestError) -> WireRequest {
        var head = head
        let url = try Self.checkedURL(of: head)
        for field in head.headerFields
        where !HTTPField.isValidValue(field.value) && field.value.contains(where: \.isControl) {
            throw InvalidRequestError(.invalidHeaderValue(name: field.name.rawName))
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
        return WireRequest(
            head: head,
            url: url,
            body: body.length == nil && declared != nil ? body.declaring(length: declared) : body,
            contentLength: length
        )
    }

    private static func checkedURL(of head: HTTPRequest) throws(InvalidRequestError) -> String {
        let path = head.path ?? ""
        guard let scheme = head.scheme, let authority = head.authority else {
            throw InvalidRequestError(.relativeURL(path))
        }
        let url = "\(scheme)://\(authority)\(path)"
        guard scheme == "http" || scheme == "https" else {
            throw InvalidRequestError(.invalidURL(url, "the scheme must be http or https"))
        }
        guard let address = Authority(authority) else {
            throw InvalidRequestError(.invalidURL(url, "\"\(authority)\" is not a host with an optional port"))
        }
        guard address.userInfo == nil else {
            throw InvalidRequestError(
                .invalidURL(
                    "\(scheme)://\(authority.drop { $0 != "@" }.dropFirst())\(path)",
                    "it carries a user name or password (RFC 9110 §4.2.4 forbids it); use an authentication stage"
                )
            )
        }
        guard path.hasPrefix("/") || (path == "*" && head.method == .options) else {
            throw InvalidRequestError(.invalidURL(url, "the path must begin with a slash"))
        }
        if let bad = path.unicodeScalars.first(where: {
            !$0.isASCII || $0.value <= 0x20 || $0.value == 0x7F || "\"<>\\^`{|}#".unicodeScalars.contains($0)
        }) {
            throw InvalidRequestError(
                .invalidURL(url, "the character \(String(reflecting: String(bad))) must be percent-encoded")
            )
        }
        guard Self.percentEncodingIsWhole(path) else {
            throw InvalidRequestError(.invalidURL(url, "a % is not followed by two hexadecimal digits"))
        }
        return url
    }

    private static func percentEncodingIsWhole(_ text: String) -> Bool {
        var pending = 0
        for byte in text.utf8 {
            if pending > 0 {
                guard Character(Unicode.Scalar(byte)).isHexDigit else { return false }
                pending -= 1
            } else if byte == UInt8(ascii: "%") {
                pending = 2
            }
        }
        return pending == 0
    }

    private static func declaredLength(of head: HTTPRequest) throws(InvalidRequestError) -> Int64? {
        guard let text = head.headerFields[.contentLength] else { return nil }
        guard let length = ContentLength.parse(text) else {
            throw InvalidRequestError(.invalidContentLength(text))
        }
        return length
    }
}

extension Character {
    fileprivate var isControl: Bool { self == "\r" || self == "\n" || self == "\r\n" || self == "\0" }
}

/// The Content-Length field, RFC 9110 §8.6.
public enum ContentLength {
    /// The length a field value declares, or `nil` when it is not one.
    ///
    /// The same number repeated ("5, 5") is that number, as §8.6 lets a recipient treat it.
    public static func parse(_ text: String) -> Int64? {
        var result: Int64?
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = part.trimmingSpaces
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int64(digits),
                result == nil || result == length
            else { return nil }
            result = length
        }
        return result
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
