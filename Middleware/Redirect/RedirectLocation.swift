import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The value of the `Location` field of a response, RFC 9110 §10.2.2.
enum RedirectLocation {
    /// The longest that is looked at, in bytes; longer than any server or browser takes.
    static let maximumLength = 65_536

    /// The one reference that the response gives, with all percent-encoded that a URL cannot hold; `nil` if there is
    /// none, if it is empty or too long, or if several differ.
    ///
    /// An empty reference names the resource that was requested (RFC 3986 §4.4), where the redirect would be met again:
    /// its server means none.
    static func reference(in fields: HTTPFields) -> String? {
        var found: [UInt8]?
        for field in fields[fields: .location] {
            let bytes = field.withUnsafeBytesOfValue { Array($0.prefix(maximumLength + 1)) }
            guard bytes.count <= maximumLength else { return nil }
            // Repeated is harmless. Where two differ, someone may have put one there that the server never sent.
            guard found == nil || found == bytes else { return nil }
            found = bytes
        }
        let reference = found.map(encoded)
        return reference == "" ? nil : reference
    }

    /// The reference as browsers read it: spaces around it are dropped, backslashes before the query are slashes, and
    /// what a URL cannot hold is percent-encoded byte for byte.
    private static func encoded(_ bytes: [UInt8]) -> String {
        var rest = bytes[...]
        while let first = rest.first, first <= 0x20 { rest = rest.dropFirst() }
        while let last = rest.last, last <= 0x20 { rest = rest.dropLast() }
        var result: [UInt8] = []
        result.reserveCapacity(rest.count)
        var part = Part.path
        for index in rest.indices {
            let byte = rest[index]
            switch byte {
            case UInt8(ascii: "#") where part != .fragment:
                part = .fragment
                result.append(byte)
            case UInt8(ascii: "?") where part == .path:
                part = .query
                result.append(byte)
            case UInt8(ascii: "\\") where part == .path:
                result.append(UInt8(ascii: "/"))
            case UInt8(ascii: "%") where rest.percentEncodedByte(at: index) != nil:
                result.append(byte)
            case ...0x20, 0x7F..., UInt8(ascii: "%"), UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"),
                UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
                UInt8(ascii: "}"), UInt8(ascii: "#"):
                result.append(percentEncoding: byte)
            default:
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private enum Part { case path, query, fragment }

    /// Where a response sends the request that was made to `base`.
    ///
    /// - Returns: `nil` when the response says nothing that could be followed: no `Location` or several, no http or
    ///   https URL, no valid host.
    static func target(of response: HTTPResponse, from base: URIReference) -> URIReference? {
        guard let reference = reference(in: response.headerFields) else { return nil }
        var target = URIReference(reference).resolved(against: base)
        guard let origin = Origin(scheme: target.scheme, authority: target.authority) else { return nil }
        if target.authority != base.authority {
            // User information is never taken over: what a server says is not the caller's credentials.
            target.authority = origin.authority
        }
        if target.path.isEmpty { target.path = "/" }
        guard target.path.utf8.first == UInt8(ascii: "/") else { return nil }
        if target.fragment == nil { target.fragment = base.fragment }
        return target
    }
}
