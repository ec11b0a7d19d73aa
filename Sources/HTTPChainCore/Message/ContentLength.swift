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
