public import HTTPChainCore

/// The result of one `Set-Cookie` field.
public struct CookieOutcome: Sendable, Hashable, CustomStringConvertible {
    /// The cookie's name; empty where it has none or could not be read.
    public let name: String
    /// The cookie's domain; the host that answered where the cookie is not stored.
    public let domain: String
    /// Why the cookie is not stored; nil where it is, or where it removed the one that stood.
    public let reason: CookieReason?

    /// One line: `sid: stored for example.com`, `sid: not stored, because …`.
    public var description: String {
        let name = name.isEmpty ? "a cookie without a name" : name
        return reason.map { "\(name): not stored, because \($0)" } ?? "\(name): stored for \(domain)"
    }
}

/// The results of the `Set-Cookie` fields of a response; in short ``HTTPChainCore/Response/cookieOutcomes``.
public enum CookieOutcomes: ResponseOption {
    /// The response set no cookie, or no cookie stage saw it.
    public static var defaultValue: [CookieOutcome] { [] }
}

extension Response {
    /// The results of the `Set-Cookie` fields of this response, in their order; empty where there were none.
    public var cookieOutcomes: [CookieOutcome] { options[CookieOutcomes.self] }
}
