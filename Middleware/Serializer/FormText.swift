import Foundation
import HTTPChainCore
import HTTPChainSupport

/// One value of a form as it was read: the text, and its pieces where the style puts several values into one.
struct FormValue: Sendable, Hashable {
    var text: String
    /// The values of a list, where it is written as one text with separators.
    var pieces: [String] = []
}

/// Reads the text of a form, WHATWG URL Standard §5.1.
enum FormText {
    /// How deep names may nest; deeper ones come from an attack, not from a form.
    static let depthLimit = 64

    /// The pairs in order; a `%` that begins no escape stands for itself, and bytes that are not UTF-8 become U+FFFD.
    static func read(_ data: Data, arrays: ParameterEncoder.Arrays) -> [(name: String, value: FormValue)] {
        data.split(separator: UInt8(ascii: "&")).map { pair in
            Steps.take(pair.count)
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let bytes = pair[equals...].dropFirst()
            var value = FormValue(text: unescaped(bytes))
            switch arrays {
            case .commas:
                // Only commas that are not escaped separate.
                value.pieces = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                    .map { unescaped($0) }
            case .pipes:
                value.pieces = value.text.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
                    .map { String(Substring($0)) }
            case .repeated, .brackets, .indexed, .rack: break
            }
            return (unescaped(pair[..<equals]), value)
        }
    }

    /// The keys of a name: `a[b][]` is a, b and an empty key, which appends; so is `a.b[]` where dots nest.
    ///
    /// What is no row of brackets and dots is a name that happens to hold some.
    static func path(of name: String, nesting: ParameterEncoder.Nesting) throws -> [String] {
        let bytes = Array(name.utf8)
        Steps.take(bytes.count)
        let dotsNest = nesting == .dots
        var keys: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        let head = rest.prefix { $0 != open && !(dotsNest && $0 == dot) }
        guard !head.isEmpty, !head.contains(close) || head.count == bytes.count else { return [name] }
        keys.append(head)
        rest = rest[head.endIndex...]
        while let first = rest.first {
            Steps.take()
            rest = rest.dropFirst()
            if first == open {
                let key = rest.prefix { $0 != close && $0 != open }
                guard key.endIndex < rest.endIndex, rest[key.endIndex] == close else { return [name] }
                keys.append(key)
                rest = rest[(key.endIndex + 1)...]
            } else {
                let key = rest.prefix { $0 != open && $0 != dot }
                guard first == dot, dotsNest, !key.isEmpty else { return [name] }
                keys.append(key)
                rest = rest[key.endIndex...]
            }
        }
        guard keys.count <= depthLimit else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [AnyCodingKey(name.printable(upTo: 64))],
                    debugDescription: "the name nests deeper than \(depthLimit) levels"
                )
            )
        }
        return keys.map { String(decoding: $0, as: UTF8.self) }
    }

    private static let open = UInt8(ascii: "[")
    private static let close = UInt8(ascii: "]")
    private static let dot = UInt8(ascii: ".")

    private static func unescaped(_ bytes: Data.SubSequence) -> String {
        String(decoding: bytes.percentDecoded(plusIsSpace: true), as: UTF8.self)
    }
}
