import HTTPChainCore

/// The byte range of a 206 response: `Content-Range`, RFC 9110 §14.4.
struct ContentRange: Hashable {
    let first: Int64
    let last: Int64
    /// The size of the whole representation, or `nil` if the server doesn't know it.
    let total: Int64?

    var count: Int64 { last - first + 1 }

    init(first: Int64, last: Int64, total: Int64?) {
        self.first = first
        self.last = last
        self.total = total
    }

    /// Parses a field's value, or returns `nil` if it is invalid or uses another unit than bytes.
    init?(_ text: String?) {
        guard let text else { return nil }
        let parts = text.pieces(at: " ")
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let sides = parts[1].pieces(at: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let ends = sides[0].pieces(at: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < .max
        else { return nil }
        self.first = first
        self.last = last
        if sides[1] == "*" {
            total = nil
        } else {
            guard let number = Self.number(sides[1]), last < number else { return nil }
            total = number
        }
    }

    private static func number(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
