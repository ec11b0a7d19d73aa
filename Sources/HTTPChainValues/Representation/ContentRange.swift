import HTTPChainSupport
package import HTTPTypes

/// The value of `Content-Range`, RFC 9110 §14.4: the position of a part's bytes in the whole.
package struct ContentRange: Sendable, Hashable, CustomStringConvertible {
    /// The positions of the bytes.
    package let range: Range<Int64>
    /// The length of the whole representation; `nil` if the sender doesn't know it.
    package let length: Int64?

    package init(_ range: Range<Int64>, of length: Int64?) {
        self.range = range
        self.length = length
    }

    /// Parses the field of a part.
    ///
    /// - Returns: `nil` if it is absent, repeated or invalid, uses a unit other than bytes, or describes no part.
    package init?(_ fields: HTTPFields) {
        guard let (part, whole) = Self.halves(fields) else { return nil }
        let ends = part.pieces(at: "-", omittingEmptySubsequences: false).map { ContentLength.number($0.utf8) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last < .max else { return nil }
        range = first..<(last + 1)
        if whole == "*" {
            length = nil
        } else {
            guard let number = ContentLength.number(whole.utf8), last < number else { return nil }
            length = number
        }
    }

    /// Returns the length that a 416 response reports, as in `bytes */10`.
    package static func unsatisfiedLength(_ fields: HTTPFields) -> Int64? {
        guard let (part, whole) = halves(fields), part == "*" else { return nil }
        return ContentLength.number(whole.utf8)
    }

    /// Returns the field of a 416 response to a request for a range outside content of this length.
    package static func unsatisfied(length: Int64) -> String { "bytes */\(length)" }

    private static func halves(_ fields: HTTPFields) -> (part: Substring, whole: Substring)? {
        guard let words = fields.value(of: .contentRange)?.pieces(at: " "), words.count == 2,
            words[0].lowercased() == "bytes"
        else { return nil }
        let halves = words[1].pieces(at: "/", omittingEmptySubsequences: false)
        return halves.count == 2 ? (halves[0], halves[1]) : nil
    }

    package var description: String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length.map(String.init) ?? "*")"
    }
}
