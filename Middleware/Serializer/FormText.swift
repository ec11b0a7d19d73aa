package import Foundation
package import HTTPChainCore
import HTTPChainSupport

/// A value of a form: the text, and its parts if the style joins several values.
package struct FormValue: Sendable, Hashable {
    var text: String
    /// The values of a list whose values are joined by separators.
    var pieces: [String] = []
}

/// Parses the text of a form, WHATWG URL Standard §5.1.
package enum FormText {
    /// The maximum nesting depth of names.
    ///
    /// Deeper names indicate an attack.
    static let depthLimit = 64

    /// Returns the pairs in order.
    ///
    /// A `%` that doesn't begin an escape is kept, and invalid UTF-8 becomes U+FFFD.
    package static func read(_ data: Data, arrays: ParameterEncoder.Arrays) -> [(name: String, value: FormValue)] {
        data.split(separator: UInt8(ascii: "&")).map { pair in
            Steps.take(pair.count)
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let bytes = pair[equals...].dropFirst()
            var value = FormValue(text: unescaped(bytes))
            switch arrays {
            case .commas:
                // Only commas that aren't escaped are separators.
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

    /// Returns the keys of a name.
    ///
    /// `a[b][]` has the keys a, b and an empty key, which appends. So does `a.b[]` if dots express nesting.
    ///
    /// A name that isn't a valid sequence of brackets and dots is used unchanged.
    package static func path(of name: String, nesting: ParameterEncoder.Nesting) throws -> [String] {
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
            let path = [AnyCodingKey(name.printable(upTo: 64))]
            throw DecodingError.dataCorrupted(.init("the name nests deeper than \(depthLimit) levels", at: path))
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
