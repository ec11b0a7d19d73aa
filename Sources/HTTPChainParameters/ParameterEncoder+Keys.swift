import HTTPChainSupport

extension ParameterEncoder {
    /// The style of keys, for pairs, values and nested values.
    ///
    /// String keys of dictionaries are data, and are never changed, as with Foundation's coders.
    public enum Keys: Sendable {
        /// Keys are unchanged.
        case asIs
        /// `userID` becomes `user_id`, as with Foundation's `JSONEncoder`.
        case snakeCase
        /// `userID` becomes `user-id`; words are separated as in ``snakeCase``.
        case kebabCase
        /// Keys are converted by a closure.
        case custom(@Sendable (String) -> String)

        /// Returns the key in this style.
        package func styled(_ key: String) -> String {
            switch self {
            case .asIs: key
            case .snakeCase: Self.words(of: key, joined: "_")
            case .kebabCase: Self.words(of: key, joined: "-")
            case .custom(let style): style(key)
            }
        }

        /// Returns the words of a key in lower case, joined with a separator.
        ///
        /// A word begins at a capital, and at the last capital of a run before a lowercase letter (`myURLPath`: my,
        /// url, path). If no lowercase letter follows a capital, there are no further words.
        private static func words(of key: String, joined separator: Character) -> String {
            let characters = Array(key)
            guard characters.count > 1 else { return key.lowercased() }
            var starts = [0]
            var index = 1
            while let capital = characters[index...].firstIndex(where: \.isCapital) {
                starts.append(capital)
                guard let small = characters[(capital + 1)...].firstIndex(where: \.isSmall) else { break }
                if small > capital + 1, small - 1 > capital { starts.append(small - 1) }
                index = small + 1
                guard index <= characters.count else { break }
            }
            var result = ""
            for (number, start) in starts.enumerated() {
                let end = number + 1 < starts.count ? starts[number + 1] : characters.count
                if number > 0 { result.append(separator) }
                result += String(characters[start..<end]).lowercased()
            }
            guard separator == "-" else { return result }
            return kebab(result)
        }

        /// Replaces inner underscores with hyphens; those at either end are kept.
        private static func kebab(_ text: String) -> String {
            let scalars = text.unicodeScalars
            guard let first = scalars.firstIndex(where: { $0 != "_" }),
                let last = scalars.lastIndex(where: { $0 != "_" })
            else { return text }
            return String(scalars[..<first]) + Escaping.replacing(in: text[first...last]) { $0 == "_" ? "-" : nil }
                + String(scalars[last...].dropFirst())
        }
    }
}

extension Character {
    fileprivate var isCapital: Bool { unicodeScalars.first?.properties.generalCategory.isCapital ?? false }
    fileprivate var isSmall: Bool { unicodeScalars.first?.properties.generalCategory == .lowercaseLetter }
}

extension Unicode.GeneralCategory {
    /// Whether the character is in Foundation's set of uppercase letters.
    fileprivate var isCapital: Bool { self == .uppercaseLetter || self == .titlecaseLetter }
}
