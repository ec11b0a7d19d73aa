public import HTTPChainCore
public import HTTPTypes

/// One redirect that was followed.
public struct RedirectHop: Sendable, Hashable, CustomStringConvertible {
    /// The status of the redirect.
    public let status: HTTPResponse.Status
    /// The URL that was redirected, with its fragment and without user information.
    public let from: String
    /// The URL that was asked next, with its fragment and without user information.
    ///
    /// The fragment is that of `Location`, else that of ``from`` (RFC 9110 §10.2.2). It was not sent.
    public let to: String
    /// The method that ``to`` was asked with.
    public let method: HTTPRequest.Method

    /// Makes a hop, as a test of a ``RedirectPolicy`` needs one.
    public init(status: HTTPResponse.Status, from: String, to: String, method: HTTPRequest.Method) {
        self.status = status
        self.from = from
        self.to = to
        self.method = method
    }

    /// One line, without fragments and with secret query values redacted:
    /// `302 https://a.example/ → GET https://b.example/`.
    public var description: String {
        "\(status.code) \(Redaction.standard.target(from)) → \(method) \(Redaction.standard.target(to))"
    }
}

extension Redaction {
    /// The URL as it is shown: redacted, and without the fragment, which may be a token (RFC 6749 §4.2.2).
    func target(_ text: String) -> String {
        url(String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "#") })))
    }
}

/// The redirects that were followed for a response; ``HTTPChainCore/Response/hops`` is the short way to them.
public enum RedirectHops: ResponseOption {
    /// None.
    public static var defaultValue: [RedirectHop] { [] }
}

extension Response {
    /// The redirects that were followed before this response came, in order; empty when there was none.
    ///
    /// The URL that answered in the end is `response.hops.last?.to`.
    public var hops: [RedirectHop] {
        get { options[RedirectHops.self] }
        set { options[RedirectHops.self] = newValue }
    }
}
