import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension UploadLocation {
    /// The longest `Location` that is looked at, in bytes.
    static let maximumLength = 8192

    /// The URL of an upload, as a response tells it (RFC 9110 §10.2.2, RFC 3986 §5).
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - url: The URL that it came from.
    ///   - isAllowed: Whether an upload may be on an origin.
    init(of head: HTTPResponse, from url: String, isAllowed: (Origin) -> Bool) {
        guard let location = head.headerFields[.location] else {
            self = .missing
            return
        }
        var target = URIReference(location).resolved(against: URIReference(url))
        target.fragment = nil
        guard location.utf8.count <= Self.maximumLength, target.authority?.utf8.contains(UInt8(ascii: "@")) == false,
            let origin = Origin(scheme: target.scheme, authority: target.authority)
        else {
            self = .unusable
            return
        }
        self = isAllowed(origin) ? .found(target.text) : .foreign(origin)
    }
}
