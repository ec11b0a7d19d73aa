import Foundation
public import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

/// The request fields named by `Vary`, with their values in the original request, RFC 9111 §4.1.
///
/// Values are normalised as §4.1 allows: field lines are combined, and whitespace around list members is removed. For
/// `Accept`, `Accept-Charset`, `Accept-Encoding` and `Accept-Language`, the letter case of names and the notation of
/// weights are ignored. The order of members is ignored if all weights differ; among members with the same weight, a
/// server may prefer the first.
public struct CacheVariant: Sendable, Hashable {
    /// One request field.
    package struct Field: Sendable, Hashable {
        /// The name in lower case.
        package let name: String
        /// The normalised value; `nil` if the request had no such field.
        package let value: String?

        /// Creates a field from a lower-case name and an already normalised value, as read back by a store.
        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }

        /// Whether name and value are the same, byte by byte.
        package static func == (one: Field, other: Field) -> Bool {
            one.name == other.name && one.value.hasSameBytes(as: other.value)
        }
    }

    /// The fields, sorted by name; empty if there is only one variant.
    package let fields: [Field]

    /// Creates a variant from fields, as read back by a store.
    package init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// The maximum number of names in `Vary`; comparing more would cost more than contacting the server.
    private static let limit = 100

    /// The pseudo-field name for the digest of a request's content; it isn't a valid field name.
    private static let content = ":content"

    /// The variant of a response to a request.
    ///
    /// - Parameter content: The digest of the request's content, which selects a variant regardless of `Vary`.
    /// - Returns: `nil` for `Vary: *`, which no request ever matches, and for more than 100 names.
    package init?(of response: HTTPFields, to request: HTTPFields, content: String? = nil) {
        let own = content.map { [Field(name: Self.content, value: $0)] } ?? []
        guard response.contains(.vary) else {
            fields = own
            return
        }
        var names: Set<String> = []
        for line in response[values: .vary] {
            for name in line.pieces(at: ",") {
                let name = name.trimming().lowercased()
                if name == "*" { return nil }
                if !name.isEmpty { names.insert(name) }
                if names.count > Self.limit { return nil }
            }
        }
        fields = own + names.sorted().map { Field(name: $0, value: Self.value(of: $0, in: request)) }
    }

    /// Whether a request selects this variant: every field has the same value in both, or is missing in both.
    package func matches(_ request: HTTPFields, content: String? = nil) -> Bool {
        isOf(content: content)
            && fields.allSatisfy {
                $0.name == Self.content || Self.value(of: $0.name, in: request).hasSameBytes(as: $0.value)
            }
    }

    /// Whether this is the variant for a request with this content.
    func isOf(content: String?) -> Bool {
        fields.first { $0.name == Self.content }?.value == content
    }

    private static let negotiated: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]

    private static func value(of name: String, in fields: HTTPFields) -> String? {
        var members: [String] = []
        var isThere = false
        for field in fields where field.name.canonicalName == name {
            isThere = true
            members += self.members(of: field.value)
        }
        guard isThere else { return nil }
        guard negotiated.contains(name) else { return members.joined(separator: ",") }
        let weighted = members.map(Self.weighted)
        let isOrdered = Set(weighted.map(\.weight)).count < weighted.count
        return (isOrdered ? weighted.map(\.text) : weighted.map(\.text).sorted()).joined(separator: ",")
    }

    /// Normalises a member with its weight (RFC 9110 §12.4.2): names in lower case, no whitespace around the parts, and
    /// the shortest notation of the weight, omitted if it is 1.
    ///
    /// Values of parameters are unchanged, because they may be case-sensitive, RFC 9110 §8.3.1.
    private static func weighted(_ member: String) -> (text: String, weight: Int) {
        var weight = 1000
        var parts: [String] = []
        for part in pieces(of: member, at: UInt8(ascii: ";")) {
            guard !parts.isEmpty, let equals = part.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                parts.append(part.lowercased())
                continue
            }
            let name = part[..<equals].lowercased()
            let value = part[part.utf8.index(after: equals)...]
            if name == "q", let thousandths = thousandths(value) {
                weight = thousandths
                if weight < 1000 { parts.append("q=\(weight)") }
            } else {
                parts.append("\(name)=\(value)")
            }
        }
        return (parts.joined(separator: ";"), weight)
    }

    /// Parses a weight in thousandths; returns `nil` if it is invalid.
    private static func thousandths(_ text: Substring) -> Int? {
        guard text.begins(with: "0") || text.begins(with: "1") else { return nil }
        var value = text.begins(with: "1") ? 1000 : 0
        let fraction = text.utf8.dropFirst()
        guard fraction.isEmpty || fraction.first == UInt8(ascii: "."), fraction.count <= 4 else { return nil }
        var place = 100
        for digit in fraction.dropFirst() {
            guard (0x30...0x39).contains(digit) else { return nil }
            value += Int(digit - 0x30) * place
            place /= 10
        }
        return value <= 1000 ? value : nil
    }

    /// Whether a response in this language is suitable for a request, RFC 9111 §4.1.
    ///
    /// It is if the language is the request's single most preferred one and the other fields are the same: the server
    /// would send the same response.
    package func matches(_ request: HTTPFields, inLanguage language: String?) -> Bool {
        guard let language = language.map({ $0.trimming().lowercased() }),
            fields.contains(where: { $0.name == "accept-language" })
        else { return false }
        return fields.allSatisfy { field in
            if field.name == Self.content { return true }
            let value = Self.value(of: field.name, in: request)
            guard field.name == "accept-language" else { return value.hasSameBytes(as: field.value) }
            return value.flatMap(Self.preferred).map { $0 == language } ?? false
        }
    }

    /// The member of a normalised list with the greatest weight; `nil` if there are several.
    private static func preferred(_ value: String) -> Substring? {
        var best: (name: Substring, weight: Int)?
        var isAlone = false
        for member in value.pieces(at: ",") {
            let parts = member.pieces(at: ";")
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first.map { $0.without(prefix: "q=").flatMap { Int($0) } ?? 0 } ?? 1000
            guard weight >= best?.weight ?? 1 else { continue }
            isAlone = weight > best?.weight ?? 0
            best = (name, weight)
        }
        return isAlone ? best?.name : nil
    }

    /// The members of a list, without surrounding whitespace.
    private static func members(of value: String) -> [String] {
        pieces(of: value, at: UInt8(ascii: ",")).filter { !$0.isEmpty }
    }

    /// The pieces between delimiters, without surrounding whitespace; delimiters in quotes don't count (RFC 9110
    /// §5.6.4).
    private static func pieces(of value: String, at delimiter: UInt8) -> [String] {
        guard value.utf8.contains(delimiter) else { return [value.trimming()] }
        var pieces: [String] = []
        var start = value.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in value.utf8.indices {
            let byte = value.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == delimiter, !isQuoted {
                pieces.append(value[start..<index].trimming())
                start = value.utf8.index(after: index)
            }
        }
        pieces.append(value[start...].trimming())
        return pieces
    }
}

extension CacheVariant: CustomStringConvertible, DescribedValue {
    /// The fields with their values, secrets redacted.
    package var words: String { fields.map(\.description).joined(separator: ", ") }
}

extension CacheVariant.Field: RedactedDisplay {
    /// The value, with secrets redacted.
    package var shownValue: String {
        guard let value else { return "none" }
        return HTTPField.Name(name).map { Redaction.standard.value(of: HTTPField(name: $0, value: value)) }
            ?? Redaction.standard.text(value, upTo: Redaction.longestShown)
    }

    /// The name and value, with secrets redacted.
    package var description: String { "\(name): \(shownValue)" }
}
