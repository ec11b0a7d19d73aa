import HTTPChainCore

/// The members of an authorization server's JSON object.
///
/// A member that is null, empty or of an unexpected type counts as missing, so that it doesn't make a token unusable.
package struct LenientMembers: Decodable {
    private enum Member: Decodable {
        case string(String)
        case number(Double)
        case flag(Bool)
        case list([Word])
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .string(text)
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = (try? container.decode([Word].self)).map { .list($0) } ?? .other
            }
        }
    }

    /// A list element of any type.
    private struct Word: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    private let members: [String: Member]

    package init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: Member].self)
    }

    /// Returns a string, which may be empty.
    func string(_ name: String) -> String? {
        if case .string(let text)? = members[name] { text } else { nil }
    }

    /// Returns a non-empty string.
    package func text(_ name: String) -> String? { string(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a finite number, or a string that contains one: `900`, `"900"`.
    package func number(_ name: String) -> Double? {
        let number = if case .number(let number)? = members[name] { number } else { text(name).flatMap(Double.init) }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns the strings of a list, or the words of a string: `["read", "write"]`, `"read write"`.
    package func words(_ name: String) -> [String]? {
        if case .list(let words)? = members[name] { return words.compactMap(\.text) }
        let words = text(name)?.pieces(at: " ").map(String.init) ?? []
        return words.isEmpty ? nil : words
    }

    /// Whether a member is `true` or the string "true".
    package func flag(_ name: String) -> Bool {
        if case .flag(let flag)? = members[name] { return flag }
        return text(name).map { ASCII.equalFolded($0, "true") } ?? false
    }
}
