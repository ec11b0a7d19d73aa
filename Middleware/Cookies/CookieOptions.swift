public import HTTPChainCore
import HTTPChainSupport

/// How a call uses cookies; see also ``HTTPChainCore/Request/cookies(_:)-(CookieUse)``.
public struct CookieUse: Sendable, Hashable {
    /// The treatment of the jar's cookies if the call has its own `Cookie` field.
    package enum OwnField: Sendable, Hashable {
        /// Only the call's field is sent.
        case replacesJar
        /// The jar's cookies are sent after those of the field, except for those with the same names.
        case joinsJar
    }

    /// Whether the jar's cookies are sent.
    package var sends: Bool
    /// Whether the cookies of the response are stored.
    package var stores: Bool
    /// The treatment of the jar's cookies if the call has its own `Cookie` field.
    package var ownField: OwnField

    /// Creates a use.
    ///
    /// - Parameters:
    ///   - sends: Whether the jar's cookies are sent; true by default.
    ///   - stores: Whether the cookies of the response are stored; true by default.
    ///   - ownField: The treatment of the jar's cookies if the call has its own `Cookie` field; by default, only the
    ///     call's field is sent.
    package init(sends: Bool = true, stores: Bool = true, ownField: OwnField = .replacesJar) {
        self.sends = sends
        self.stores = stores
        self.ownField = ownField
    }

    /// Sends the jar's cookies and stores those of the response.
    public static let on = CookieUse()
    /// Neither sends the jar's cookies nor stores any; the call's own cookies are still sent.
    public static let off = CookieUse(sends: false, stores: false)
    /// Sends the jar's cookies, but stores none.
    public static let sendOnly = CookieUse(stores: false)
    /// Sends the jar's cookies together with the call's own `Cookie` field.
    public static let joined = CookieUse(ownField: .joinsJar)
}

/// The request option for a call's use of cookies; the stage's setting by default.
package enum CookieUseOption: RequestOption, TransportSwitch {
    package typealias Value = CallSetting<CookieUse>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".cookies(_:)", reader: "CookieMiddleware(…)", phase: .cookies)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.needsNoStage || value == .value(.off)
    }
    /// The capability of transports with their own cookies.
    package static var doneBy: TransportCapabilities { .handlesCookies }
    /// Returns whether no cookies may be sent and stored.
    package static func forbids(_ value: Value) -> Bool { value == .off || value == .value(.off) }
}

/// The request option for a call's own cookies; see also `Request.cookies(_:)`.
///
/// It is a credential: it isn't sent after a redirect to another origin, and it is never printed.
package enum CookiesOption: RequestOption {
    /// No cookies.
    package static var defaultValue: [CallCookie] { [] }
    /// Always `true`: the cookies may identify a session.
    package static var isCredential: Bool { true }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".cookies(_:)", reader: "CookieMiddleware(…)", phase: .cookies)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.isEmpty
    }
}

/// A cookie that is sent with one call and isn't stored.
public struct CallCookie: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Secret

    /// Creates a cookie for one call.
    public init(_ name: String, _ value: Secret) {
        self.name = name
        self.value = value
    }

    /// Whether the cookie can be written to a `Cookie` field without changing its meaning.
    package var isSound: Bool {
        let isText = { (text: String) in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
        }
        let value = value.revealed
        return isText(name) && isText(value) && !name.utf8.contains(UInt8(ascii: "="))
            && (!name.isEmpty || !value.isEmpty && !value.utf8.contains(UInt8(ascii: "=")))
    }
}

/// The request option for ``SiteContext``; see also ``HTTPChainCore/Request/site(_:)``.
package enum SiteOption: RequestOption {
    /// The request comes from the same site.
    package static var defaultValue: SiteContext { .sameSite }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".site(_:)", reader: "CookieMiddleware(…)", phase: .cookies)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value == .sameSite
    }
}

extension Request {
    /// The cookies that this call sends in addition to those of the jar.
    package var cookies: [CallCookie] {
        get { options[CookiesOption.self] }
        set { options[CookiesOption.self] = newValue }
    }

    /// Returns the request with another use of cookies: `.get(url).cookies(.off)`.
    public consuming func cookies(_ use: CookieUse) -> Request {
        options[CookieUseOption.self] = .value(use)
        return self
    }

    /// Returns the request with additional cookies: `.get(url).cookies(["language": "de"])`.
    ///
    /// They replace the request's own cookies with the same names. They are sent in addition to those of the jar,
    /// replacing those with the same names, too. They are sent even if the call has no jar or doesn't use it
    /// (``CookieUse/off``), but only to the call's original origin, not after a redirect to another one. If a name or a
    /// value isn't allowed in the `Cookie` field (because of a semicolon, a line break, or an equals sign in the name),
    /// the call fails with ``CookieError``.
    public consuming func cookies(_ cookies: KeyValuePairs<String, Secret>) -> Request {
        let added = cookies.map { CallCookie($0.key, $0.value) }
        self.cookies = self.cookies.filter { own in !added.contains { $0.name.hasSameBytes(as: own.name) } } + added
        return self
    }

    /// Returns the request in the context of a page: `.get(url).site(.page("https://example.com/"))`.
    public consuming func site(_ site: SiteContext) -> Request {
        options[SiteOption.self] = site
        return self
    }
}
