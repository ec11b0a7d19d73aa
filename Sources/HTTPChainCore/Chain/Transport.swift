/// A type that sends a request to a server and returns the response: the innermost end of every chain.
///
/// A transport does nothing else: redirects, cookies, caching and credentials are the job of stages. If a platform does
/// some of these anyway, the transport says so in its ``capabilities`` and stages adapt.
///
/// It throws ``TransportError``; ``InvalidRequestError`` if the request can't be sent; and `CancellationError` if its
/// task is cancelled. Dropping the body of its response cancels the transfer.
public protocol Transport: Sendable {
    /// The capabilities of the transport, and what it does on its own.
    var capabilities: TransportCapabilities { get }

    /// The transport's name in ``Chain/explain()``, traces and errors; defaults to the name of its type.
    var name: String { get }

    /// The options of a request that the transport reads; defaults to none.
    ///
    /// A transport that wraps another returns the wrapped transport's options.
    var optionsRead: [any RequestOption.Type] { get }

    /// Sends a request and returns when the head of the response has arrived.
    func send(_ request: consuming Request) async throws -> Response
}

extension Transport {
    /// The type's name.
    public var name: String { StageSummary.name(of: Self.self) }

    /// No options.
    public var optionsRead: [any RequestOption.Type] { [] }
}

/// The capabilities of a transport, and what it does by itself.
///
/// A chain reports the capabilities of its transport and its stages.
public struct TransportCapabilities: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// One bit for each capability.
    public let rawValue: UInt

    /// Makes capabilities from bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Content codings (gzip, deflate) are decoded and removed from the response's head.
    public static let decodesContent = TransportCapabilities(rawValue: 1 << 0)
    /// Redirects are followed.
    public static let followsRedirects = TransportCapabilities(rawValue: 1 << 1)
    /// Cookies are stored and sent.
    public static let handlesCookies = TransportCapabilities(rawValue: 1 << 2)
    /// Responses are cached.
    public static let caches = TransportCapabilities(rawValue: 1 << 3)
    /// Bodies that can be read only once can be sent.
    public static let streamsUploads = TransportCapabilities(rawValue: 1 << 4)
    /// A slow reader slows the server down instead of filling memory or disk.
    public static let backpressure = TransportCapabilities(rawValue: 1 << 5)
    /// The bytes sent to the network are reported; see ``Request/beginUploadReport()``.
    public static let reportsUploadProgress = TransportCapabilities(rawValue: 1 << 6)
    /// Repeated response fields arrive separately, not joined by commas.
    public static let keepsRepeatedFields = TransportCapabilities(rawValue: 1 << 7)

    /// ``Request/connectionReport`` is supported.
    public static let reportsConnections = TransportCapabilities(rawValue: 1 << 8)
    /// Server trust is evaluated according to `trust:` of ``ConnectionSettings``, including pinned keys.
    package static let checksServerTrust = TransportCapabilities(rawValue: 1 << 9)
    /// `clientIdentity:` of ``ConnectionSettings`` is presented to servers that request a client certificate.
    package static let showsClientIdentity = TransportCapabilities(rawValue: 1 << 10)
    /// ``ConnectionSettings`` can restrict the networks used, and wait for one.
    package static let choosesNetworks = TransportCapabilities(rawValue: 1 << 11)
    /// Redirects are followed unless the request forbids it (``Request/redirects(_:)``).
    public static let redirectsOnlyWhenAllowed = TransportCapabilities(rawValue: 1 << 12)
    /// The deadline of a call and the limits of a transfer are enforced.
    ///
    /// No wait exceeds them, even if nothing cancels it. A transport that passes requests on to another one has this
    /// capability if that one does; without it, stages enforce the limits by cancelling the call.
    public static let keepsDeadlines = TransportCapabilities(rawValue: 1 << 13)

    /// `connectTimeout:` of ``ConnectionSettings`` is enforced.
    package static let limitsConnecting = TransportCapabilities(rawValue: 1 << 14)
    /// Connections go through `proxy:` of ``ConnectionSettings``.
    package static let usesProxies = TransportCapabilities(rawValue: 1 << 15)
    /// `minimumTLSVersion:` of ``ConnectionSettings`` is enforced.
    package static let choosesTLSVersion = TransportCapabilities(rawValue: 1 << 16)

    private static let names: [(TransportCapabilities, String)] = [
        (.decodesContent, "decodes content"), (.followsRedirects, "follows redirects"),
        (.handlesCookies, "handles cookies"), (.caches, "caches"), (.streamsUploads, "streams uploads"),
        (.backpressure, "backpressure"), (.reportsUploadProgress, "upload progress"),
        (.keepsRepeatedFields, "keeps repeated fields"), (.reportsConnections, "reports connections"),
        (.checksServerTrust, "checks server trust"), (.showsClientIdentity, "client certificates"),
        (.choosesNetworks, "chooses networks"),
        (.redirectsOnlyWhenAllowed, "redirects only when allowed"), (.keepsDeadlines, "keeps deadlines"),
        (.limitsConnecting, "connect timeout"), (.usesProxies, "proxies"), (.choosesTLSVersion, "minimum TLS version"),
    ]

    /// The names of the capabilities, separated by commas.
    public var description: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
