/// A type that carries a request to a server and brings the response: the innermost end of every chain.
///
/// A transport does this and nothing else: no redirects, cookies, caching or credentials of its own, which are stages.
/// Where a platform insists, the transport says so in its ``capabilities`` and stages adapt.
///
/// It throws ``TransportError``, ``InvalidRequestError`` for what cannot be sent, and `CancellationError` when its task
/// is cancelled. Dropping the body of its response cancels the transfer.
public protocol Transport: Sendable {
    /// The capabilities of the transport, and what it does on its own.
    var capabilities: TransportCapabilities { get }

    /// The transport's name in ``Chain/explain()``, traces and errors; its type's name by default.
    var name: String { get }

    /// Sends a request and returns when the head of the response is there.
    func send(_ request: consuming Request) async throws -> Response
}

extension Transport {
    /// The type's name.
    public var name: String { StageSummary.name(of: Self.self) }
}

/// The capabilities of a transport, and what it does on its own; a chain reports those of its transport and its stages.
public struct TransportCapabilities: OptionSet, Sendable, Hashable, CustomStringConvertible {
    /// One bit for each capability.
    public let rawValue: UInt

    /// Makes capabilities of bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Content codings (gzip, deflate) are decoded before the response is seen, and taken out of its head.
    public static let decodesContent = TransportCapabilities(rawValue: 1 << 0)
    /// Redirects are followed before the response is seen.
    public static let followsRedirects = TransportCapabilities(rawValue: 1 << 1)
    /// Cookies are stored and sent.
    public static let handlesCookies = TransportCapabilities(rawValue: 1 << 2)
    /// Responses are cached.
    public static let caches = TransportCapabilities(rawValue: 1 << 3)
    /// A body that can be read only once can be sent.
    public static let streamsUploads = TransportCapabilities(rawValue: 1 << 4)
    /// A slow reader slows the server down, instead of filling memory or disk.
    public static let backpressure = TransportCapabilities(rawValue: 1 << 5)
    /// ``UploadProgress`` reports what the network has taken.
    public static let reportsUploadProgress = TransportCapabilities(rawValue: 1 << 6)
    /// Repeated response fields arrive one by one, not joined by commas.
    public static let keepsRepeatedFields = TransportCapabilities(rawValue: 1 << 7)

    /// ``ConnectionReport`` is answered.
    public static let reportsConnections = TransportCapabilities(rawValue: 1 << 8)
    /// Servers are trusted as ``ConnectionSettings/trust`` says, pinned keys included.
    public static let checksServerTrust = TransportCapabilities(rawValue: 1 << 9)
    /// ``ConnectionSettings/clientIdentity`` is shown to servers that ask.
    public static let showsClientIdentity = TransportCapabilities(rawValue: 1 << 10)
    /// ``ConnectionSettings`` may limit networks, and wait for one.
    public static let choosesNetworks = TransportCapabilities(rawValue: 1 << 11)
    /// Redirects are followed, but not those of a request that forbids it (``Request/withoutRedirects()``).
    public static let redirectsOnlyWhenAllowed = TransportCapabilities(rawValue: 1 << 12)
    /// The deadline of a call and the limits of a transfer are kept.
    ///
    /// No wait goes on beyond them, with nobody to cancel it; ``TransferTimer`` helps with that.
    public static let keepsDeadlines = TransportCapabilities(rawValue: 1 << 13)

    /// ``ConnectionSettings/connectTimeout`` is kept.
    public static let limitsConnecting = TransportCapabilities(rawValue: 1 << 14)
    /// Connections go through ``ConnectionSettings/proxy``.
    public static let usesProxies = TransportCapabilities(rawValue: 1 << 15)
    /// ``ConnectionSettings/minimumTLSVersion`` is kept.
    public static let choosesTLSVersion = TransportCapabilities(rawValue: 1 << 16)

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

    /// The capabilities by name, separated by commas.
    public var description: String {
        Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
