import Foundation

/// A host in the canonical form for all comparisons of hosts, according to the host parser of the URL Standard, §3.5.
///
/// - Letters are in lower case, and non-ASCII labels are A-labels (UTS #46, nontransitional: `faß.de` and `fass.de` are
///   different hosts). A-labels that no name encodes to are rejected. Percent-encoded bytes are decoded first.
/// - IPv4 addresses are four decimal numbers, regardless of how they were written: `0x7f.1`, `2130706433` and
///   `0177.0.0.1` are `127.0.0.1`. A host whose last label is a number must be an address, and is otherwise rejected.
/// - IPv6 addresses are in brackets and compressed (RFC 5952). An address with a zone is rejected, because it only has
///   a meaning on one machine (RFC 6874).
/// - A trailing dot is kept, because by the standard `a.example.` and `a.example` are different hosts (different
///   origins and cookie hosts). They are the same server, so rules about servers compare ``withoutRootDot``.
///
/// It is stricter than the standard in two ways: it rejects characters that aren't allowed in a reg-name (RFC 3986
/// §3.2.2), and non-ASCII names with an empty or too long label, which DNS can't resolve.
package struct URLHost: Sendable, Hashable, CustomStringConvertible {
    /// The host as written in a URL.
    package let text: String

    /// Makes a host from the text of another `URLHost`.
    package init(canonical text: String) { self.text = text }

    /// Parses the host of a URL or a field; returns `nil` if it is invalid.
    package init?(_ text: Substring) {
        let bytes = text.utf8
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.last == UInt8(ascii: "]"), let address = IPv6Address(Array(bytes.dropFirst().dropLast()))
            else { return nil }
            self.text = address.description
            return
        }
        let shape = bytes.withContiguousStorageIfAvailable { Shape($0) } ?? Shape(Array(bytes))
        switch shape {
        case .plain: self.text = String(text)
        case .none: return nil
        case .other:
            guard let text = Self.canonical(Array(bytes)) else { return nil }
            self.text = text
        }
    }

    /// Parses a name or an address outside a URL, where an IPv6 address may have no brackets.
    package init?(unbracketed text: String) {
        let isIPv6 = text.utf8.contains(UInt8(ascii: ":")) && text.utf8.first != UInt8(ascii: "[")
        self.init(isIPv6 ? "[\(text)]" : text[...])
    }

    package var description: String { text }

    /// The form of a host, as determined by one pass over its bytes.
    private enum Shape {
        /// The host is already canonical.
        case plain
        /// The host has to be examined further.
        case other
        /// The text isn't a host.
        case none

        init(_ bytes: some Collection<UInt8>) {
            guard !bytes.isEmpty else {
                self = .none
                return
            }
            // `xn--` and numbers are rare, so names that may contain one are checked again.
            var mayHoldALabel = false
            var mayEndInNumber = false
            var isAtStart = true
            for byte in bytes {
                guard URLHost.isCanonical(byte) else {
                    self = .other
                    return
                }
                if isAtStart, byte != UInt8(ascii: ".") {
                    mayHoldALabel = mayHoldALabel || byte == UInt8(ascii: "x")
                    mayEndInNumber = isDigit(byte)
                }
                isAtStart = byte == UInt8(ascii: ".")
            }
            self = mayHoldALabel || mayEndInNumber && !Self.isIPv4(bytes) ? .other : .plain
        }

        /// Whether the bytes are an IPv4 address in canonical form.
        private static func isIPv4(_ bytes: some Collection<UInt8>) -> Bool {
            var dots = 0
            var number: Int?
            for byte in bytes {
                if byte == UInt8(ascii: ".") {
                    guard number != nil else { return false }
                    dots += 1
                    number = nil
                    continue
                }
                guard isDigit(byte), number != 0 else { return false }
                number = (number ?? 0) * 10 + Int(byte - UInt8(ascii: "0"))
                if let number, number > 255 { return false }
            }
            return dots == 3 && number != nil
        }
    }

    private static func canonical(_ bytes: [UInt8]) -> String? {
        var bytes = bytes
        if bytes.contains(UInt8(ascii: "%")) { bytes = bytes.percentDecoded() }
        for index in bytes.indices { bytes[index] = ASCII.lower(bytes[index]) }
        guard bytes.allSatisfy({ $0 >= 0x80 || isCanonical($0) }) else { return nil }
        if bytes.contains(where: { $0 >= 0x80 }) {
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.utf8.elementsEqual(bytes), let ascii = inALabels(text) else { return nil }
            // IDNA maps some characters to forbidden ones: `％` becomes `%`.
            bytes = Array(ascii.utf8)
            guard bytes.allSatisfy(isCanonical) else { return nil }
        }
        guard !bytes.isEmpty, hasOnlyValidALabels(bytes) else { return nil }
        if endsInNumber(bytes) { return IPv4Address(bytes)?.description }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a byte is allowed in the canonical form of a name.
    private static func isCanonical(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: "!$&'()*+,;=".utf8.contains(byte)
        }
    }
}

// MARK: Names

extension URLHost {
    /// Returns the name with its non-ASCII labels as A-labels, or `nil` if IDNA rejects it.
    private static func inALabels(_ name: String) -> String? {
        var components = URLComponents()
        components.host = name
        // If the name has no A-labels, the platform returns it percent-encoded.
        return components.encodedHost.flatMap { $0.utf8.contains(UInt8(ascii: "%")) ? nil : $0 }
    }

    /// Whether each label that starts with `xn--` is the encoding of a name.
    private static func hasOnlyValidALabels(_ name: [UInt8]) -> Bool {
        let prefix = "xn--".utf8
        guard name.split(separator: UInt8(ascii: ".")).contains(where: { $0.starts(with: prefix) }) else { return true }
        let text = String(decoding: name, as: UTF8.self)
        var components = URLComponents()
        components.host = text
        guard let decoded = components.host, decoded.utf8.contains(where: { $0 >= 0x80 }) else { return false }
        return inALabels(decoded) == text
    }

    /// Whether the host is an IPv6 address.
    package var isIPv6: Bool { text.utf8.first == UInt8(ascii: "[") }

    /// Whether the host is an IPv4 address.
    package var isIPv4: Bool {
        guard let last = text.utf8.last, isDigit(last) else { return false }
        let label = text.utf8.lastIndex(of: UInt8(ascii: ".")).map { text.utf8[$0...].dropFirst() } ?? text.utf8[...]
        return label.allSatisfy(isDigit)
    }

    /// Whether the host is an address rather than a name.
    package var isAddress: Bool { isIPv6 || isIPv4 }

    /// The host, without the brackets of an IPv6 address.
    package var unbracketed: String { isIPv6 ? String(Substring(text.utf8.dropFirst().dropLast())) : text }

    /// Whether a name has a trailing dot, which represents the root of DNS (RFC 1034 §3.1).
    package var hasRootDot: Bool { text.utf8.count > 1 && text.utf8.last == UInt8(ascii: ".") }

    /// The host without its trailing dot, for properties of the server.
    package var withoutRootDot: URLHost {
        hasRootDot ? URLHost(canonical: String(Substring(text.utf8.dropLast()))) : self
    }

    /// Whether the host is this machine (Secure Contexts §3.1): `localhost`, a name that ends with `.localhost`, or a
    /// loopback address.
    package var isLoopback: Bool {
        if isIPv6 { return text == "[::1]" }
        if isIPv4 { return text.begins(with: "127.") }
        return withoutRootDot.isWithin(URLHost(canonical: "localhost"))
    }

    /// Whether the host is the domain or one of its subdomains; an address is never a subdomain (RFC 6265 §5.1.3).
    package func isWithin(_ domain: URLHost) -> Bool {
        let host = text.utf8
        let suffix = domain.text.utf8
        if host.count <= suffix.count { return self == domain }
        guard !suffix.isEmpty, !isAddress, host.suffix(suffix.count).elementsEqual(suffix) else { return false }
        return host[host.index(host.endIndex, offsetBy: -suffix.count - 1)] == UInt8(ascii: ".")
    }

    /// The maximum length of a host name in bytes (RFC 1035 §2.3.4).
    private static let longestName = 255

    /// The host and its parent domains, nearest first; only the host if it is an address or too long for a name.
    package var domains: [URLHost] {
        var result = [self]
        if text.utf8.count > Self.longestName || isAddress { return result }
        var rest = text.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { result.append(URLHost(canonical: String(Substring(rest)))) }
        }
        return result
    }
}

/// A pattern for rules about servers: a host, or `*.` and a domain, which matches subdomains.
///
/// Trailing dots are ignored.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    private let host: URLHost
    private let isWildcard: Bool

    /// Parses a pattern; returns `nil` if it has no valid host.
    package init?(_ text: String) {
        isWildcard = text.utf8.starts(with: "*.".utf8)
        let name = String(Substring(text.utf8.dropFirst(isWildcard ? 2 : 0)))
        guard let host = URLHost(unbracketed: name), !(isWildcard && host.isAddress) else { return nil }
        self.host = host.withoutRootDot
    }

    /// Whether the pattern matches a host; a wildcard matches subdomains at any depth, or only direct ones.
    package func matches(_ other: URLHost, oneLevel: Bool = false) -> Bool {
        let other = other.withoutRootDot
        guard isWildcard else { return other == host }
        guard other != host, other.isWithin(host) else { return false }
        let label = other.text.utf8.dropLast(host.text.utf8.count + 1)
        return !label.isEmpty && !(oneLevel && label.contains(UInt8(ascii: ".")))
    }

    package var description: String { isWildcard ? "*.\(host)" : host.text }
}

// MARK: Addresses

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// Whether the last label is a number, so that the host can only be an address (URL Standard, "ends in a number").
private func endsInNumber(_ name: [UInt8]) -> Bool {
    var parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true { parts.removeLast() }
    guard let last = parts.last, !last.isEmpty else { return false }
    if last.allSatisfy(isDigit) { return true }
    return last.starts(with: "0x".utf8) && last.dropFirst(2).allSatisfy { $0.hexadecimalValue != nil }
}

/// An IPv4 address in any form accepted by the URL Standard's IPv4 parser.
private struct IPv4Address: CustomStringConvertible {
    let value: UInt32

    init?(_ name: [UInt8]) {
        var parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        if parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        guard parts.count <= 4 else { return nil }
        var numbers: [UInt64] = []
        for part in parts {
            guard let number = Self.number(part) else { return nil }
            numbers.append(number)
        }
        let last = numbers.removeLast()
        guard numbers.allSatisfy({ $0 <= 255 }), last < 1 << (8 * (4 - numbers.count)) else { return nil }
        var value = last
        for (index, number) in numbers.enumerated() { value += number << (8 * (3 - index)) }
        self.value = UInt32(truncatingIfNeeded: value)
    }

    /// Parses a number in decimal, octal (`0…`) or hexadecimal (`0x…`) digits, of at most 32 bits.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard !digits.isEmpty else { return nil }
        var digits = digits
        var radix: UInt64 = 10
        if digits.starts(with: "0x".utf8) {
            digits = digits.dropFirst(2)
            radix = 16
        } else if digits.count > 1, digits.first == UInt8(ascii: "0") {
            radix = 8
        }
        var value: UInt64 = 0
        for digit in digits {
            guard let digit = digit.hexadecimalValue, UInt64(digit) < radix else { return nil }
            value = value * radix + UInt64(digit)
            guard value <= UInt32.max else { return nil }
        }
        return value
    }

    var description: String { "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)" }
}

/// An IPv6 address (URL Standard, IPv6 parser and serializer).
private struct IPv6Address: CustomStringConvertible {
    private let pieces: [UInt16]

    init?(_ text: [UInt8]) {
        let colon = UInt8(ascii: ":")
        // At most 8 pieces of 4 digits, or 6 and an IPv4 address.
        guard text.count <= 45 else { return nil }
        var head: [UInt16] = []
        var tail: [UInt16]?
        var rest = text[...]
        if rest.starts(with: [colon, colon]) {
            tail = []
            rest = rest.dropFirst(2)
        } else if rest.isEmpty || rest.first == colon {
            return nil
        }
        while !rest.isEmpty {
            let part = rest.prefix { $0 != colon }
            rest = rest.dropFirst(part.count)
            var found: [UInt16]
            if part.contains(UInt8(ascii: ".")) {
                guard rest.isEmpty, let address = Self.embedded(part) else { return nil }
                found = address
            } else {
                guard (1...4).contains(part.count), let piece = Self.piece(part) else { return nil }
                found = [piece]
            }
            if tail == nil { head += found } else { tail? += found }
            guard let next = rest.first else { break }
            guard next == colon else { return nil }
            rest = rest.dropFirst()
            if rest.first == colon {
                guard tail == nil else { return nil }
                tail = []
                rest = rest.dropFirst()
            } else if rest.isEmpty {
                return nil
            }
        }
        guard let tail else {
            guard head.count == 8 else { return nil }
            pieces = head
            return
        }
        guard head.count + tail.count < 8 else { return nil }
        pieces = head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
    }

    private static func piece(_ digits: ArraySlice<UInt8>) -> UInt16? {
        var value: UInt16 = 0
        for digit in digits {
            guard let digit = digit.hexadecimalValue else { return nil }
            value = value << 4 | UInt16(digit)
        }
        return value
    }

    /// Parses four decimal numbers without leading zeros into two pieces.
    private static func embedded(_ text: ArraySlice<UInt8>) -> [UInt16]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var numbers: [UInt16] = []
        for part in parts {
            guard part.allSatisfy(isDigit), part.count == 1 || part.first != UInt8(ascii: "0"),
                let number = UInt8(Substring(decoding: part, as: UTF8.self))
            else { return nil }
            numbers.append(UInt16(number))
        }
        return [numbers[0] << 8 | numbers[1], numbers[2] << 8 | numbers[3]]
    }

    /// The address in lower case, without leading zeros, and with the first longest run of two or more zeros as `::`.
    var description: String {
        var run = 0..<0
        var index = 0
        while index < 8 {
            let end = pieces[index...].firstIndex { $0 != 0 } ?? 8
            if end - index > max(run.count, 1) { run = index..<end }
            index = max(end, index + 1)
        }
        let parts = pieces.map { String($0, radix: 16) }
        guard !run.isEmpty else { return "[\(parts.joined(separator: ":"))]" }
        let before = parts[..<run.lowerBound].joined(separator: ":")
        return "[\(before)::\(parts[run.upperBound...].joined(separator: ":"))]"
    }
}
