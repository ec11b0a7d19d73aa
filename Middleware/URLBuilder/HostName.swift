import Foundation

/// Host names as they are looked up.
enum HostName {
    /// The authority with an internationalised host in its A-labels (`xn--…`, RFC 5890 §2.3.2.1).
    ///
    /// Foundation maps and encodes it (UTS #46, non-transitional: `faß.de` and `fass.de` are two hosts) and refuses
    /// what IDNA does; what it gives is accepted only when it is an ASCII host name. An ASCII host stands as it is.
    static func ascii(authority: String) throws(URLBuilderError) -> String {
        guard authority.utf8.contains(where: { $0 >= 0x80 || $0 == .percent }) else { return authority }
        // A zone (RFC 6874) means something on one machine alone, and no server may see it.
        if let bracket = authority.utf8.lastIndex(of: UInt8(ascii: "[")), authority.utf8[bracket...].contains(.percent)
        {
            throw URLBuilderError(.zoneInHost(authority))
        }
        let hostStart = authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? authority.startIndex
        let hostEnd = authority[hostStart...].lastIndex(of: ":") ?? authority.endIndex
        let host = String(authority[hostStart..<hostEnd])
        guard let decoded = host.removingPercentEncoding else { throw URLBuilderError(.invalidHost(host)) }
        guard !decoded.utf8.allSatisfy({ $0 < 0x80 }) else { return authority }
        var components = URLComponents()
        components.host = decoded
        guard let encoded = components.encodedHost, !encoded.isEmpty,
            encoded.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == .hyphen || $0 == .dot || $0 == 0x5F })
        else { throw URLBuilderError(.invalidHost(decoded)) }
        return authority.replacingCharacters(in: hostStart..<hostEnd, with: encoded)
    }
}

/// Values that would bring a host of their own, were they read as a URL reference.
enum HostInValue {
    /// Whether the text begins with two slashes or backslashes, or with a scheme and one; percent-encoded ones count.
    static func isSuspected(in text: String) -> Bool {
        let bytes = Array(text.utf8.drop { $0 == 0x20 })
        return startsAuthority(bytes[...]) || startsWithScheme(bytes)
    }

    /// Whether two slashes or backslashes come first.
    static func startsAuthority(_ bytes: ArraySlice<UInt8>) -> Bool {
        var index = bytes.startIndex
        for _ in 0..<2 {
            guard index < bytes.endIndex else { return false }
            let (byte, next) = bytes.decodedByte(at: index)
            guard byte == .slash || byte == .backslash else { return false }
            index = next
        }
        return true
    }

    /// A scheme of two letters or more: with one it is a drive, `C:\`.
    private static func startsWithScheme(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, first.isLetter else { return false }
        var index = 1
        while index < bytes.count {
            let (byte, next) = bytes.decodedByte(at: index)
            if byte == .colon {
                guard index > 1, next < bytes.count else { return false }
                let (after, _) = bytes.decodedByte(at: next)
                return after == .slash || after == .backslash
            }
            guard byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == .hyphen || byte == .dot else {
                return false
            }
            index = next
        }
        return false
    }
}
