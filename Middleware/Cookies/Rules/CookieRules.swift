import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Evaluates `Set-Cookie` fields, and decides which requests carry a cookie: RFC 6265bis §5.7 and §5.8.3.
enum CookieRules {
    /// Returns the cookie that a field sets.
    ///
    /// Rules that depend on other cookies of the jar are left to ``CookieStorage``. An expired cookie is returned like
    /// any other, because it removes an existing one.
    ///
    /// - Throws: The reason why the field sets no cookie.
    static func cookie(
        _ field: SetCookie,
        for target: CookieTarget,
        at now: Date,
        limits: CookieLimits
    ) throws(CookieReason) -> Cookie {
        let (domain, isHostOnly) = try domain(of: field, for: target)
        let path = field.path ?? CookiePath.defaultPath(of: target.path)
        // Steps 12 and 13
        if field.isSecure, !target.isSecure { throw .insecureOrigin }
        if field.isPartitioned, !field.isSecure { throw .partitionedNeedsSecure }
        // Steps 17 and 18
        if field.sameSite != .none, !target.site.isSameSite(as: target.origin), !target.site.storesSameSiteCookies {
            throw .crossSite
        }
        if field.sameSite == .none, !field.isSecure { throw .sameSiteNoneNeedsSecure }
        try checkPrefix(of: field, isHostOnly: isHostOnly)
        return Cookie(
            field.name,
            .init(field.value),
            domain: domain,
            isHostOnly: isHostOnly,
            path: path,
            expires: expiry(of: field, for: target, at: now, limits: limits),
            isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly,
            sameSite: field.sameSite,
            partition: field.isPartitioned ? target.site.partition(for: target.origin) : nil,
            created: now
        )
    }

    /// Steps 7 to 10: determines the domain.
    private static func domain(
        of field: SetCookie,
        for target: CookieTarget
    ) throws(CookieReason) -> (String, isHostOnly: Bool) {
        guard let attribute = field.domain, !attribute.isEmpty else { return (target.host.text, true) }
        guard attribute.utf8.allSatisfy({ $0 < 0x80 }) else { throw .domainNotASCII }
        // The attribute isn't part of a URL, so it has no percent-encoding.
        guard !attribute.utf8.contains(UInt8(ascii: "%")), let domain = URLHost(attribute[...]) else {
            throw .foreignDomain
        }
        if !domain.isAddress {
            // If a name has an empty label, there is no suffix to look up.
            guard let suffix = PublicSuffixList.suffix(of: domain) else { throw .foreignDomain }
            if suffix == domain.withoutRootDot.text {
                if domain == target.host { return (domain.text, true) }
                throw .publicSuffix
            }
        }
        guard target.host.isWithin(domain) else { throw .foreignDomain }
        return (domain.text, false)
    }

    /// Steps 5 and 6: `Max-Age` takes precedence over `Expires`, and both are limited.
    ///
    /// As in browsers, `Expires` is interpreted by the server's clock. Otherwise, a cookie for five minutes would
    /// already have expired on a clock that is ten minutes fast.
    private static func expiry(
        of field: SetCookie,
        for target: CookieTarget,
        at now: Date,
        limits: CookieLimits
    ) -> Date? {
        let latest = now.addingTimeInterval(Double(limits.days) * 86_400)
        if let maxAge = field.maxAge {
            return maxAge <= 0 ? .distantPast : min(now.addingTimeInterval(Double(maxAge)), latest)
        }
        return field.expires.map { min(target.serverTime?.local($0) ?? $0, latest) }
    }

    /// Steps 19 to 22: prefixes require certain attributes, in any letter case, even if the name is empty and the value
    /// looks like a name with a value.
    private static func checkPrefix(of field: SetCookie, isHostOnly: Bool) throws(CookieReason) {
        if field.name.isEmpty {
            let prefixes: [StaticString] = ["__secure-", "__host-", "__http-"]
            if prefixes.contains(where: { has($0, field.value) }) { throw .prefix }
            return
        }
        let isForHost = isHostOnly && field.path == "/" && field.isSecure
        if has("__host-http-", field.name) {
            guard isForHost, field.isHTTPOnly else { throw .prefix }
        } else if has("__host-", field.name) {
            guard isForHost else { throw .prefix }
        } else if has("__http-", field.name) {
            guard field.isSecure, field.isHTTPOnly else { throw .prefix }
        } else if has("__secure-", field.name) {
            guard field.isSecure else { throw .prefix }
        }
    }

    /// Compares bytes, because a combining character after a prefix would hide it.
    private static func has(_ prefix: StaticString, _ text: String) -> Bool {
        prefix.withUTF8Buffer { prefix in
            text.utf8.count >= prefix.count
                && zip(text.utf8, prefix).allSatisfy { $0 == $1 || (0x41...0x5A).contains($0) && $0 | 0x20 == $1 }
        }
    }

    /// The reason why a request does not carry a cookie; nil if it does, unless the request is full.
    static func refusal(of cookie: Cookie, for target: CookieTarget, at now: Date) -> CookieReason? {
        let isItsHost = cookie.isHostOnly ? cookie.host == target.host : target.host.isWithin(cookie.host)
        guard isItsHost else { return .otherHost }
        return refusalWithinHost(of: cookie, for: target, at: now)
    }

    /// The same as `refusal`, for a host that is known to be the cookie's.
    static func refusalWithinHost(of cookie: Cookie, for target: CookieTarget, at now: Date) -> CookieReason? {
        if !CookiePath.matches(target.path, cookie.path) { return .otherPath }
        if cookie.isExpired(at: now) { return .expired }
        if cookie.isSecure, !target.isSecure { return .needsSecureConnection }
        if let partition = cookie.partition, partition != target.site.partition(for: target.origin) {
            return .otherPartition
        }
        if cookie.sameSite != .none, !target.site.isSameSite(as: target.origin) {
            let isLax = cookie.sameSite != .strict
            guard isLax, target.site.sendsLaxCookies(withSafeMethod: target.isSafeMethod) else { return .crossSite }
        }
        return nil
    }
}
