public import HTTPChainCore
import HTTPChainSupport

/// A challenge of a server or proxy: a scheme and its parameters, RFC 9110 §11.3.
///
/// ```swift
/// let challenges = Challenge.parse(["Digest realm=\"a\", nonce=\"b\", Basic realm=\"a\""])
/// challenges[1].is("basic")   // true
/// challenges[1]["Realm"]      // "a"
/// ```
public struct Challenge: Sendable, Hashable {
    /// A `name=value` pair of a challenge.
    package struct Parameter: Sendable, Hashable {
        /// The name as sent; comparisons ignore letter case.
        package let name: String
        /// The value without quotes; empty if none was sent.
        package let value: String
    }

    /// The scheme as sent; compare it with ``is(_:)``.
    public let scheme: String
    /// The token68 of a scheme that has one instead of parameters, such as `Negotiate`, RFC 9110 §11.2.
    public internal(set) var token68: String?
    /// The parameters in the order sent, including duplicates.
    package internal(set) var parameters: [Parameter]
    /// Whether the field was not UTF-8, so that its text was read as ISO 8859-1.
    package internal(set) var isLatin1 = false

    package init(_ scheme: String, token68: String? = nil, parameters: KeyValuePairs<String, String> = [:]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
    }

    /// Whether the scheme is the given one, ignoring letter case.
    public func `is`(_ scheme: String) -> Bool {
        ASCII.equalFolded(self.scheme, scheme)
    }

    /// The value of the first parameter with that name, ignoring letter case, or `nil` if there is none.
    public subscript(name: String) -> String? {
        parameters.first { ASCII.equalFolded($0.name, name) }?.value
    }

    /// Returns the values of all parameters with that name; RFC 9110 §11.2 allows only one.
    package func values(of name: String) -> [String] {
        parameters.filter { ASCII.equalFolded($0.name, name) }.map(\.value)
    }

    /// The protection space's name, RFC 9110 §11.5, or `nil` if the challenge has none.
    package var realm: String? { self["realm"] }
}

extension Challenge: CustomStringConvertible, DescribedValue {
    /// The challenge as a field value.
    package var words: String {
        let written = parameters.map { "\($0.name)=\(Self.quoted($0.value))" }.joined(separator: ", ")
        return ([scheme] + [token68, written.isEmpty ? nil : written].compactMap { $0 }).joined(separator: " ")
    }

    /// Returns the text as a quoted string, RFC 9110 §5.6.4; control characters, which aren't allowed, become spaces.
    package static func quoted(_ text: String) -> String {
        Escaping.quotedString(text)
    }

    /// Whether the text is valid without quotes, RFC 9110 §5.6.2.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ASCII.isTokenByte)
    }
}
