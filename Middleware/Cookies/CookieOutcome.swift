public import HTTPChainCore

/// The result of one `Set-Cookie` field.
public struct CookieOutcome: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The cookie's name; empty if it has none or could not be parsed.
    public let name: String
    /// The cookie's domain, or the responding host if the cookie is not stored.
    public let domain: String
    /// The reason why the cookie is not stored; nil if it is, or if it removed an existing one.
    public let reason: CookieReason?

    /// One line: `sid: stored for example.com`, `sid: not stored, because …`.
    package var words: String {
        let name = name.isEmpty ? "a cookie without a name" : name
        return reason.map { "\(name): not stored, because \($0)" } ?? "\(name): stored for \(domain)"
    }
}

/// The results of the `Set-Cookie` fields of a response; see also ``HTTPChainCore/Response/cookieOutcomes``.
package enum CookieOutcomesFact: ResponseOption {
    /// The response set no cookies, or passed no cookie stage.
    package static var defaultValue: [CookieOutcome] { [] }
}

extension Response {
    /// The results of the `Set-Cookie` fields of this response, in order; empty if there were none.
    public var cookieOutcomes: [CookieOutcome] { options[CookieOutcomesFact.self] }
}
