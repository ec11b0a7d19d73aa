import HTTPChainCore
package import HTTPChainSupport
package import HTTPTypes

/// Parses the `Location` field of a response, RFC 9110 §10.2.2.
package enum RedirectLocation {
    /// The maximum length in bytes, which exceeds that of any server or browser.
    private static let maximumLength = 65_536

    /// Returns the target of a redirect from `base`.
    ///
    /// - Returns: `nil` if there is no valid target: no `Location` or several, another scheme than http or https, or an
    ///   invalid host.
    package static func target(of response: HTTPResponse, from base: URIReference) -> URIReference? {
        guard let reference = response.headerFields.locationReference(upTo: maximumLength) else { return nil }
        var target = URIReference(reference).resolved(against: base)
        guard let origin = Origin(scheme: target.scheme, authority: target.authority) else { return nil }
        if target.authority != base.authority {
            // User information is ignored: a server doesn't provide the caller's credentials.
            target.authority = origin.authority
        }
        if target.path.isEmpty { target.path = "/" }
        target.path = target.path.encodingSquareBrackets
        target.query = target.query?.encodingSquareBrackets
        guard target.path.utf8.first == UInt8(ascii: "/") else { return nil }
        if target.fragment == nil { target.fragment = base.fragment }
        return target
    }
}
