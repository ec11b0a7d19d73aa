import Foundation
import HTTPChainCore

/// Reads the members of a JSON object of an authorization server.
///
/// A member that is null, empty or of another type than expected counts as missing, so that one odd member spoils no
/// token.
extension KeyedDecodingContainer {
    /// A text with something in it.
    package func text(_ key: Key) -> String? {
        guard let text = try? decode(String.self, forKey: key), !text.isEmpty else { return nil }
        return text
    }

    /// A finite number, or a text that is one: `900`, `"900"`.
    package func number(_ key: Key) -> Double? {
        let number = (try? decode(Double.self, forKey: key)) ?? text(key).flatMap(Double.init)
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The texts of a list, or the words of a text: `["read", "write"]`, `"read write"`.
    package func words(_ key: Key) -> [String]? {
        if let text = text(key) {
            let words = text.pieces(at: " ").map(String.init)
            return words.isEmpty ? nil : words
        }
        return (try? decode([Word].self, forKey: key))?.compactMap(\.text)
    }

    /// Whether a member is true, or a text that says so.
    package func flag(_ key: Key) -> Bool {
        (try? decode(Bool.self, forKey: key)) ?? (text(key).map { ASCII.equalFolded($0, "true") } ?? false)
    }
}

/// An element of a list, which may be of any type.
private struct Word: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}
