import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension UploadLocation {
    /// The maximum length of a `Location`, in bytes.
    static let maximumLength = 8192

    /// Reads the URL of an upload from a response (RFC 9110 §10.2.2, RFC 3986 §5).
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - url: The URL of the request.
    ///   - isAllowed: Returns whether uploads may be on an origin.
    init(of head: HTTPResponse, from url: String, isAllowed: (Origin) -> Bool) {
        guard let location = head.headerFields.locationReference(upTo: Self.maximumLength) else {
            self = head.headerFields.isLocationEmpty ? .missing : .unusable
            return
        }
        let base = URIReference(url)
        var target = URIReference(location).resolved(against: base)
        target.fragment = nil
        guard target.authority?.utf8.contains(UInt8(ascii: "@")) == false,
            let origin = Origin(scheme: target.scheme, authority: target.authority)
        else {
            self = .unusable
            return
        }
        // The host isn't percent-encoded.
        if target.authority != base.authority { target.authority = origin.authority }
        self = isAllowed(origin) ? .found(target.text) : .foreign(origin)
    }
}
