public import HTTPChainCore
public import HTTPTypes

/// A redirect that was followed.
public struct RedirectHop: Sendable, Hashable, RedactedDisplay, DescribedValue {
    /// The status of the redirect.
    public let status: HTTPResponse.Status
    /// The URL that was redirected, with its fragment and without user information.
    public let from: String
    /// The next URL, with its fragment and without user information.
    ///
    /// The fragment is that of `Location`, or otherwise that of ``from`` (RFC 9110 §10.2.2). It isn't sent.
    public let to: String
    /// The method of the request to ``to``.
    public let method: HTTPRequest.Method

    /// Makes a hop, for testing a ``RedirectPolicy``.
    package init(status: HTTPResponse.Status, from: String, to: String, method: HTTPRequest.Method) {
        self.status = status
        self.from = from
        self.to = to
        self.method = method
    }

    /// One line, without fragments and with secret query values redacted, such as `302 https://a.example/ → GET
    /// https://b.example/`.
    package var words: String {
        "\(status.code) \(Redaction.standard.target(from)) → \(method) \(Redaction.standard.target(to))"
    }
}

extension Redaction {
    /// Returns the URL for display: redacted, and without its fragment, which may be a token (RFC 6749 §4.2.2).
    func target(_ text: String) -> String { url(Self.withoutFragment(text)) }

    static func withoutFragment(_ text: String) -> String {
        String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "#") }))
    }
}

/// The redirects followed before a response; see also ``HTTPChainCore/Response/hops``.
package enum RedirectHopsFact: ResponseOption {
    /// No redirects.
    package static var defaultValue: [RedirectHop] { [] }
}

extension Response {
    /// The redirects followed before this response, in order; empty if there were none.
    ///
    /// The response's final URL is `response.hops.last?.to`.
    public var hops: [RedirectHop] {
        get { options[RedirectHopsFact.self] }
        set { options[RedirectHopsFact.self] = newValue }
    }
}
