public import HTTPChainCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Sends requests with Foundation's `URLSession`, on Apple platforms and on Linux.
///
/// ```swift
/// let response = try await URLSessionTransport().send(.get("https://example.com/"))
/// ```
///
/// Bodies stream both ways in constant memory. What `URLSession` would do on its own is switched off, because it is the
/// business of stages: its cache, its cookies, its credentials and its redirects. A 3xx, 401 or 407 is a response like
/// any other, with its body. Trust in a server's certificate is decided by the platform.
///
/// A response that is read slowly does not slow the server down: what waits beyond
/// ``Configuration/memoryWatermark`` goes to temporary files, and beyond ``Configuration/spillLimit`` the transfer ends
/// with a ``SpillLimitError``. Dropping a response that was not read to its end cancels its transfer.
///
/// `URLSession` decodes the content codings it knows. The head then no longer says `Content-Encoding` and
/// `Content-Length`; send `Accept-Encoding: identity` for a response that is not encoded. It joins repeated response
/// fields with commas; only `Set-Cookie` is taken apart again, behind an attribute such as `Path=/`: a cookie without
/// attributes stays joined with the one after it, since the comma may belong to its value. A GET or HEAD with a body is an
/// ``/HTTPChainCore/InvalidRequestError``. Dot segments in a path (`/a/../b`) are resolved before it is sent. A request
/// for which a kept connection turns out to be closed is sent again on another by the platform, whatever its method.
///
/// On Apple platforms a body without `Content-Type` is sent as `application/octet-stream`, which RFC 9110 §8.3 lets its
/// receiver assume: the platform would call it a form.
///
/// ## On Linux
///
/// Foundation's own implementation there (seen with Swift 6.3, libcurl 7.88) leaves these facts, which no code above it
/// can change. Servers are better served by the AsyncHTTPClient transport. One thing is better than with the bare
/// session, which a call that is cancelled under load can end the process with: here it ends that call alone.
///
/// - **A reply that is cut inside its header section ends the process**: Foundation traps on it ("Transfer completed,
///   but there's no response") and no error handling sees it. Do not talk to servers you do not trust.
/// - **A chunked reply with a trailer field ends the process in the same way**, although it is well-formed (RFC 9112
///   §7.1.2). Use the AsyncHTTPClient transport for a service that sends trailers, such as digests and signatures of a
///   stream, and for every server that you do not trust.
/// - **A `Content-Length` from 2^63 − 512 to 2^63 − 1 ends the process, too**: Foundation counts progress as a `Double`,
///   which is 2^63 then, and makes a whole number of it.
/// - Every content coding is decoded, and one that libcurl does not know fails the transfer as malformed. A gzip stream
///   that ends early within its declared length is not noticed.
/// - A response header field that is not UTF-8 fails the transfer as malformed.
/// - The body of a 301, 302, 303 or 305–308 arrives when it is complete, and waits in memory until then. **Its size is
///   not bounded**: Foundation tells neither the head nor the bytes before, so that only time can end it, the deadline
///   of the call or ``Configuration/resourceTimeout``. Set one of them where a server may be hostile. The body of one
///   whose `Location` is missing or not a URL is lost: reading it is a ``/HTTPChainCore/TransportError`` that says so.
/// - A streamed request body is read to its end, into memory and beyond ``Configuration/memoryWatermark`` into a
///   temporary file, before it is sent, then with its exact `Content-Length`: Foundation has one queue for the transfers
///   of all sessions, and a body that kept it waiting would stop them all. Bytes and files are sent as they are read.
/// - A file whose disk stalls while it is uploaded stalls the transfers of all sessions for the same reason. What waits
///   for a disk on this side of that queue, saving and spilling, stalls nobody else.
/// - Foundation keeps some 180 bytes of each request: 64,000 small ones of a bare session leave 10 MiB.
/// - That one queue also means that a download at full speed, from any session of the process, delays the start and the
///   cancellation of others; the caller's `CancellationError` does not wait for it.
/// - Foundation keeps about 120 bytes for each call as long as the process lives, 12 MB in 100,000 calls; another session
///   every so often changes nothing about it.
/// - ``Configuration/requestTimeout`` is rounded up to whole seconds.
/// - Errors tell a lost connection from a timeout, but not whether a timeout came before or after sending:
///   ``/HTTPChainCore/TransportError/Sent/maybe`` then.
public struct URLSessionTransport: Transport {
    private let engine: Engine

    /// A transport over the one session that all transports made this way share, and that lives as long as the process.
    public init() {
        engine = .shared
    }

    /// A transport with a session of its own.
    ///
    /// Keep it for as long as there are requests for it: connections are reused within one session. It ends with
    /// ``shutdown()``, or when nobody refers to it and its last response is done.
    ///
    /// - Parameter configuration: Timeouts, limits, and changes to the platform's own configuration.
    public init(configuration: Configuration) {
        engine = Engine(configuration)
    }

    /// A transport with a session of its own whose connections are made as the settings say.
    ///
    /// On Apple platforms all settings are kept but ``/HTTPChainCore/ConnectionSettings/connectTimeout``, which
    /// URLSession does not have. A key may be pinned for the server's own certificate or for one of its authorities. On
    /// macOS 14 the key of a client certificate is added to the user's keychain; later versions keep it in memory. On Linux none is kept, because FoundationNetworking hands none on to libcurl: use the
    /// AsyncHTTPClient transport there.
    ///
    /// - Parameters:
    ///   - configuration: Timeouts, limits, and changes to the platform's own configuration.
    ///   - connection: TLS, trust, client certificate, proxy and networks.
    /// - Throws: ``/HTTPChainCore/ConnectionSettingsError`` for a setting that cannot be kept or is not valid.
    public init(
        configuration: Configuration = Configuration(),
        connection: ConnectionSettings
    ) throws(ConnectionSettingsError) {
        engine = Engine(configuration, try ConnectionControl(connection))
    }

    /// Decodes content, sends streams, reports upload progress, keeps deadlines; on Apple platforms controls connections.
    public var capabilities: TransportCapabilities {
        let shared: TransportCapabilities = [
            .decodesContent, .streamsUploads, .reportsUploadProgress, .keepsDeadlines,
        ]
        return shared.union(engine.control.capabilities)
    }

    /// Sends a request and returns when the head of the response is there.
    ///
    /// - Throws: ``/HTTPChainCore/InvalidRequestError`` for what cannot be sent, ``/HTTPChainCore/TransportError``,
    ///   what reading the request's body throws, and `CancellationError` as soon as the task is cancelled.
    public func send(_ request: consuming Request) async throws -> Response {
        try await engine.send(request)
    }

    /// Ends the transport: calls in flight fail with ``/HTTPChainCore/TransportError/Kind/shutDown``, and so do later
    /// ones.
    ///
    /// Returns when the platform has released the connections. Does nothing to the session that transports made with
    /// ``init()`` share.
    public func shutdown() async {
        guard engine !== Engine.shared else { return }
        await engine.shutDown()
    }
}

extension URLSessionTransport {
    /// Timeouts and limits of a transport.
    public struct Configuration: Sendable {
        /// The time during which nothing may happen, neither way, before the transfer fails as timed out; 60 seconds by
        /// default.
        public var requestTimeout: Duration
        /// The time that a transfer may take in all; by default as the platform has it: 7 days on Apple platforms, for
        /// ever on Linux.
        public var resourceTimeout: Duration?
        /// The number of connections to one host that may be open at once; 1,024 by default.
        ///
        /// With HTTP/2, which the platform negotiates over TLS, one connection carries many requests.
        public var maximumConnectionsPerHost: Int
        /// The size of the part of a response that may wait unread in memory, and on Linux of a streamed request body
        /// before it is sent; 1 MiB by default.
        public var memoryWatermark: ByteCount
        /// The size of the part of a response that may wait unread on disk, and on Linux how large a streamed request
        /// body may be; 4 GiB by default.
        public var spillLimit: ByteCount
        /// Changes the platform's configuration before a session is made of it: TLS versions, proxies, network service.
        ///
        /// Cache, cookies, credentials and the settings above are set after it.
        public var customize: (@Sendable (URLSessionConfiguration) -> Void)?

        /// The defaults, unless told otherwise.
        ///
        /// - Parameters:
        ///   - requestTimeout: How long nothing may happen.
        ///   - resourceTimeout: How long a transfer may take in all.
        ///   - maximumConnectionsPerHost: How many connections to one host.
        ///   - memoryWatermark: How much of a response may wait in memory.
        ///   - spillLimit: How much of a response may wait on disk.
        ///   - customize: Changes the platform's configuration.
        public init(
            requestTimeout: Duration = .seconds(60),
            resourceTimeout: Duration? = nil,
            maximumConnectionsPerHost: Int = 1024,
            memoryWatermark: ByteCount = .mebibytes(1),
            spillLimit: ByteCount = .gibibytes(4),
            customize: (@Sendable (URLSessionConfiguration) -> Void)? = nil
        ) {
            self.requestTimeout = requestTimeout
            self.resourceTimeout = resourceTimeout
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.memoryWatermark = memoryWatermark
            self.spillLimit = spillLimit
            self.customize = customize
        }
    }
}
