import HTTPChainSupport

/// One challenge of a server or a proxy: a scheme and what it says about itself, RFC 9110 §11.3.
///
/// ```swift
/// let challenges = Challenge.parse(["Digest realm=\"a\", nonce=\"b\", Basic realm=\"a\""])
/// challenges[1].is("basic")   // true
/// challenges[1]["Realm"]      // "a"
/// ```
public struct Challenge: Sendable, Hashable {
    /// One `name=value` of a challenge.
    public struct Parameter: Sendable, Hashable {
        /// The name as it was sent; it is compared without regard to letter case.
        public let name: String
        /// The value without quotes; empty when none was sent.
        public let value: String

        /// Makes a parameter.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The scheme as it was sent; compare it with ``is(_:)``.
    public let scheme: String
    /// The value of a scheme that has one in place of parameters, such as `Negotiate`, RFC 9110 §11.2.
    public internal(set) var token68: String?
    /// The parameters in the order they were sent, those that were sent twice included.
    public internal(set) var parameters: [Parameter]

    /// Makes a challenge, as a test of a server's answer needs it.
    ///
    /// - Parameters:
    ///   - scheme: The scheme's name.
    ///   - token68: Its value, for schemes that have one.
    ///   - parameters: Names and values without quotes.
    public init(_ scheme: String, token68: String? = nil, parameters: KeyValuePairs<String, String> = [:]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters.map { Parameter(name: $0.key, value: $0.value) }
    }

    /// Whether this is the scheme, letter case aside.
    public func `is`(_ scheme: String) -> Bool {
        ASCII.equalFolded(self.scheme, scheme)
    }

    /// The value of the first parameter of that name, letter case aside; `nil` when there is none.
    public subscript(name: String) -> String? {
        parameters.first { ASCII.equalFolded($0.name, name) }?.value
    }

    /// The values of all parameters of that name; RFC 9110 §11.2 allows one.
    public func values(of name: String) -> [String] {
        parameters.filter { ASCII.equalFolded($0.name, name) }.map(\.value)
    }

    /// The protection space's name, RFC 9110 §11.5; `nil` when the challenge names none.
    public var realm: String? { self["realm"] }
}

extension Challenge: CustomStringConvertible {
    /// The challenge as a field value writes it.
    public var description: String {
        let written = parameters.map { "\($0.name)=\(Self.quoted($0.value))" }.joined(separator: ", ")
        return ([scheme] + [token68, written.isEmpty ? nil : written].compactMap { $0 }).joined(separator: " ")
    }

    /// The text as a quoted string, RFC 9110 §5.6.4; control characters, which it cannot hold, become spaces.
    public static func quoted(_ text: String) -> String {
        Escaping.quotedString(text)
    }

    /// Whether the text can stand without quotes, RFC 9110 §5.6.2.
    public static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(ASCII.isTokenByte)
    }
}
