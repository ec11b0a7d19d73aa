import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// A link of a `Link` header field, RFC 8288 §3.
package struct WebLink: Sendable, Hashable {
    /// The target of the link, as an unresolved URI reference.
    package let target: String
    /// The relation types in lower case, from the first `rel` parameter, §3.3.
    package let relations: [String]
    /// The source of the link, if it isn't the response itself (§3.2); usually `nil`.
    package let anchor: String?
    /// All other parameters, with names in lower case; if a name is repeated, it has the first value.
    package let parameters: [String: String]

    /// Returns the links of a header in order, skipping anything that isn't a link (Appendix B.2).
    package static func links(in headers: HTTPFields) -> [WebLink] {
        headers[values: .webLink].flatMap { WebLinkScanner(bytes: Array($0.utf8)).links() }
    }
}

/// Scans the bytes of a field value, RFC 8288 Appendix B.
private struct WebLinkScanner {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    func links() -> [WebLink] {
        var scanner = self
        var links: [WebLink] = []
        while scanner.index < scanner.bytes.count {
            scanner.skip { $0 == UInt8(ascii: ",") || Self.isSpace($0) }
            guard scanner.current == UInt8(ascii: "<") else {
                // This isn't a link, so skip to the next comma that isn't inside a quoted string.
                scanner.skipToComma()
                continue
            }
            if let link = scanner.link() { links.append(link) }
        }
        return links
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func link() -> WebLink? {
        index += 1
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else {
            index = bytes.count
            return nil
        }
        Steps.take(end - index)
        let target = text(bytes[index..<end]).trimming()
        index = end + 1
        var relations: [String]?
        var anchor: String?
        var parameters: [String: String] = [:]
        while true {
            skip(Self.isSpace)
            guard current == UInt8(ascii: ";") else { break }
            index += 1
            skip(Self.isSpace)
            let name = text(take { !Self.isSpace($0) && !"=;,".utf8.contains($0) }).lowercased()
            skip(Self.isSpace)
            var value = ""
            if current == UInt8(ascii: "=") {
                index += 1
                skip(Self.isSpace)
                value = parameterValue()
            }
            switch name {
            case "": break
            case "rel":
                if relations == nil {
                    relations = value.lowercased().unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map {
                        String($0)
                    }
                }
            case "anchor": anchor = anchor ?? value
            default: if parameters[name] == nil { parameters[name] = value }
            }
        }
        skipToComma()
        return WebLink(target: target, relations: relations ?? [], anchor: anchor, parameters: parameters)
    }

    private mutating func parameterValue() -> String {
        if let value = singleQuotedValue() { return value }
        guard current == UInt8(ascii: "\"") else {
            return text(take { !Self.isSpace($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") })
        }
        index += 1
        var value: [UInt8] = []
        while let byte = current {
            Steps.take()
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\"), let next = current {
                value.append(next)
                index += 1
            } else {
                value.append(byte)
            }
        }
        return text(value[...])
    }

    /// Returns a value in single quotes, which RFC 8288 doesn't define but some servers send; nil if the value is a
    /// token.
    ///
    /// Another parameter, another link or the end must follow the closing quote, because an apostrophe may be part of a
    /// token (RFC 9110 §5.6.2).
    private mutating func singleQuotedValue() -> String? {
        let quote = UInt8(ascii: "'")
        guard current == quote, let end = bytes[(index + 1)...].firstIndex(of: quote) else { return nil }
        let next = bytes[(end + 1)...].first { !Self.isSpace($0) }
        guard next == nil || next == UInt8(ascii: ";") || next == UInt8(ascii: ",") else { return nil }
        defer { index = end + 1 }
        return text(bytes[(index + 1)..<end])
    }

    private mutating func skipToComma() {
        while let byte = current, byte != UInt8(ascii: ",") {
            Steps.take()
            if byte == UInt8(ascii: "\"") { _ = parameterValue() } else { index += 1 }
        }
    }

    private mutating func skip(_ condition: (UInt8) -> Bool) { _ = take(while: condition) }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while let byte = current, condition(byte) {
            Steps.take()
            index += 1
        }
        return bytes[start..<index]
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension HTTPField.Name {
    /// The field name `Link` (RFC 8288 §3); ``WebLink`` parses its values.
    package static let webLink = Self(constant: "Link")

    /// Unavailable: read the field by its name as a string, or follow the pages of a list.
    @available(*, unavailable, message: "write headers[\"Link\"], or follow pages with .linkHeader()")
    public static var link: HTTPField.Name { webLink }
}
