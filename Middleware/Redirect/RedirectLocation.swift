import HTTPChainCore
package import HTTPChainSupport
package import HTTPTypes

/// Parses the `Location` field of a response, RFC 9110 §10.2.2.
package enum RedirectLocation {
    /// The maximum length in bytes.
    ///
    /// It exceeds the limits of all servers and browsers.
    private static let maximumLength = 65_536

    /// Returns the target of a redirect from `base`.
    ///
    /// - Returns: `nil` if there is no valid target: there is no `Location` or more than one, the scheme isn't http or
    ///   https, or the host is invalid.
    package static func target(of response: HTTPResponse, from base: URIReference) -> URIReference? {
        guard let reference = response.headerFields.locationReference(upTo: maximumLength) else { return nil }
        var target = URIReference(reference).resolved(against: base)
        guard let origin = Origin(scheme: target.scheme, authority: target.authority) else { return nil }
        if target.authority != base.authority {
            // User information is ignored, because a server must not choose the caller's credentials.
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
