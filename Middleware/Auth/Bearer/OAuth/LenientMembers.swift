import Foundation
import HTTPChainCore

/// Reads the members of an authorization server's JSON object.
///
/// A member that is null, empty or of an unexpected type counts as missing, so that it doesn't invalidate a token.
extension KeyedDecodingContainer {
    /// Returns a non-empty string.
    package func text(_ key: Key) -> String? {
        guard let text = try? decode(String.self, forKey: key), !text.isEmpty else { return nil }
        return text
    }

    /// Returns a finite number, or a string that contains one: `900`, `"900"`.
    package func number(_ key: Key) -> Double? {
        let number = (try? decode(Double.self, forKey: key)) ?? text(key).flatMap(Double.init)
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the strings of a list, or the words of a string: `["read", "write"]`, `"read write"`.
    package func words(_ key: Key) -> [String]? {
        if let text = text(key) {
            let words = text.pieces(at: " ").map(String.init)
            return words.isEmpty ? nil : words
        }
        return (try? decode([Word].self, forKey: key))?.compactMap(\.text)
    }

    /// Whether a member is `true` or the string "true".
    package func flag(_ key: Key) -> Bool {
        (try? decode(Bool.self, forKey: key)) ?? (text(key).map { ASCII.equalFolded($0, "true") } ?? false)
    }
}

/// A list element of any type.
private struct Word: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}
