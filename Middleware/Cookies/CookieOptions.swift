public import HTTPChainCore

/// The use that one call makes of cookies; in short ``HTTPChainCore/Request/cookies(_:)-(CookieUse)``.
public struct CookieUse: Sendable, Hashable {
    /// The treatment of the jar's cookies when the call has a `Cookie` field of its own.
    public enum OwnField: Sendable, Hashable {
        /// The call's field is sent alone.
        case replacesJar
        /// The jar's cookies are sent behind those of the field, except those whose names it has.
        case joinsJar
    }

    /// Whether the jar's cookies are sent.
    public var sends: Bool
    /// Whether the cookies of the response are stored.
    public var stores: Bool
    /// The treatment of the jar's cookies when the call has a `Cookie` field of its own.
    public var ownField: OwnField

    /// Makes a setting.
    ///
    /// - Parameters:
    ///   - sends: Whether the jar's cookies are sent; they are by default.
    ///   - stores: Whether the cookies of the response are stored; they are by default.
    ///   - ownField: What happens to the jar's cookies when the call has a `Cookie` field of its own; by default the
    ///     call's field is sent alone.
    public init(sends: Bool = true, stores: Bool = true, ownField: OwnField = .replacesJar) {
        self.sends = sends
        self.stores = stores
        self.ownField = ownField
    }

    /// Sends and stores.
    public static let on = CookieUse()
    /// Neither sends nor stores.
    public static let off = CookieUse(sends: false, stores: false)
    /// Sends, and stores nothing.
    public static let sendOnly = CookieUse(stores: false)
    /// A `Cookie` field of the call's own is sent together with the jar's cookies.
    public static let joined = CookieUse(ownField: .joinsJar)
}

/// The request option for what one call does with cookies; the stage's setting by default.
public enum CallCookieUse: RequestOption {
    /// As the stage is set.
    public static var defaultValue: CookieUse? { nil }
}

/// The request option for cookies of one call; in short ``HTTPChainCore/Request/cookies``.
///
/// A credential: it does not survive a redirect to another origin, and is never printed.
public enum CallCookies: RequestOption {
    /// None.
    public static var defaultValue: [CallCookie] { [] }
    /// They may open a session.
    public static var isCredential: Bool { true }
}

/// A cookie of one call: name and value, which go with that call and are not kept.
public struct CallCookie: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Secret

    /// Makes a cookie for one call.
    public init(_ name: String, _ value: Secret) {
        self.name = name
        self.value = value
    }

    /// Whether a `Cookie` field with it is read as it is meant.
    package var isSound: Bool {
        let isText = { (text: String) in
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
        }
        let value = value.revealed
        return isText(name) && isText(value) && !name.utf8.contains(UInt8(ascii: "="))
            && (!name.isEmpty || !value.isEmpty && !value.utf8.contains(UInt8(ascii: "=")))
    }
}

/// The request option for ``SiteContext``; in short ``HTTPChainCore/Request/site(_:)``.
public enum CallSite: RequestOption {
    /// A request from the same site.
    public static var defaultValue: SiteContext { .sameSite }
}

extension Request {
    /// Cookies that this call sends beside those of the jar, and instead of those of the same names.
    ///
    /// They go to the origin that the call was made for, and not along with a redirect to another one. Names and values
    /// that a `Cookie` field cannot hold (with a semicolon, a line break, or an equals sign in the name) are a
    /// ``CookieError``.
    public var cookies: [CallCookie] {
        get { options[CallCookies.self] }
        set { options[CallCookies.self] = newValue }
    }

    /// The request with another use of cookies: `.get(url).cookies(.off)`.
    public consuming func cookies(_ use: CookieUse) -> Request {
        options[CallCookieUse.self] = use
        return self
    }

    /// The request with cookies of its own: `.get(url).cookies(["language": "de"])`.
    public consuming func cookies(_ cookies: KeyValuePairs<String, Secret>) -> Request {
        self.cookies = cookies.map { CallCookie($0.key, $0.value) }
        return self
    }

    /// The request on behalf of a page: `.get(url).site(.page("https://example.com/"))`.
    public consuming func site(_ site: SiteContext) -> Request {
        options[CallSite.self] = site
        return self
    }
}
