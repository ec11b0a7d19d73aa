public import HTTPChainCore

/// The reason why a cookie was not stored, was dropped, or is not sent.
public struct CookieReason: Error, Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The reason in words, as the continuation of "because".
    package let words: String

    private init(_ description: String) {
        words = description
    }
}

/// Reasons not to store a cookie.
extension CookieReason {
    /// The `Set-Cookie` field is longer than ``CookieLimits/field``.
    package static let fieldTooLong = CookieReason("the Set-Cookie field is too long")
    /// The field contains a control character: RFC 6265bis §5.6 step 1.
    package static let controlCharacter = CookieReason("the Set-Cookie field has a control character")
    /// Name and value are longer than ``CookieLimits/pair``: RFC 6265bis §5.6 step 5.
    package static let tooLarge = CookieReason("name and value are too long")
    /// Both name and value are empty: RFC 6265bis §5.7 step 2.
    package static let empty = CookieReason("name and value are empty")
    /// The response has more `Set-Cookie` fields than ``CookieLimits/fieldsPerResponse``.
    package static let tooManyFields = CookieReason("the response sets too many cookies")
    /// The request had no absolute URL with a host.
    package static let unknownOrigin = CookieReason("the host that answered is not known")
    /// The `Domain` attribute contains non-ASCII characters: RFC 6265bis §5.7 step 7.
    package static let domainNotASCII = CookieReason("the Domain attribute is not ASCII")
    /// The `Domain` attribute is a public suffix, such as `co.uk`: RFC 6265bis §5.7 step 9.
    package static let publicSuffix = CookieReason("the Domain attribute is a public suffix")
    /// The responding host is not within the domain: RFC 6265bis §5.7 step 10.
    package static let foreignDomain = CookieReason("the host is not within the Domain attribute")
    /// A `Secure` cookie came over an insecure connection: RFC 6265bis §5.7 step 13.
    package static let insecureOrigin = CookieReason("a Secure cookie needs a secure connection")
    /// A secure cookie with that name exists, and the connection is not secure: RFC 6265bis §5.7 step 16.
    package static let overlaysSecureCookie = CookieReason("it would overlay a secure cookie with the same name")
    /// `SameSite=None` without `Secure`: RFC 6265bis §5.7 step 18.
    package static let sameSiteNoneNeedsSecure = CookieReason("SameSite=None needs Secure")
    /// `Partitioned` without `Secure`.
    package static let partitionedNeedsSecure = CookieReason("Partitioned needs Secure")
    /// The name (or the value, if there is no name) has a prefix whose conditions the attributes don't meet: RFC
    /// 6265bis §5.7 steps 19 to 21.
    package static let prefix = CookieReason("its prefix demands attributes that it does not have")
    /// The jar or the domain is full of more recently used cookies.
    package static let evicted = CookieReason("the jar has no room")
    /// The application removed the cookie.
    package static let removedByApplication = CookieReason("the application removed it")
    /// The cookie ended with the session: ``CookieJar/endSession()``.
    package static let sessionEnded = CookieReason("the session ended")
    /// Another process that shares the jar's file removed the cookie.
    package static let removedElsewhere = CookieReason("another process removed it")
    /// The cookie had already expired, which is how servers remove a cookie.
    package static let alreadyExpired = CookieReason("it has already ended")
}

/// Reasons not to send a cookie.
extension CookieReason {
    /// The cookie belongs to another host.
    package static let otherHost = CookieReason("it belongs to another host")
    /// The path of the request is not within the cookie's: RFC 6265bis §5.1.4.
    package static let otherPath = CookieReason("the path is not within the cookie's")
    /// A `Secure` cookie is not sent over an insecure connection.
    package static let needsSecureConnection = CookieReason("it needs a secure connection")
    /// `SameSite` excludes the cookie from requests from another site, for storing and sending.
    package static let crossSite = CookieReason("the request comes from another site")
    /// A `Partitioned` cookie belongs to another top-level site.
    package static let otherPartition = CookieReason("it belongs to another partition")
    /// The cookie has expired.
    package static let expired = CookieReason("it has ended")
    /// The request is full: ``CookieLimits/perRequest`` or ``CookieLimits/requestField``.
    package static let requestFull = CookieReason("the request has no room")
    /// The call has its own cookie with that name.
    package static let replacedByCall = CookieReason("the call has a cookie of that name")
}
