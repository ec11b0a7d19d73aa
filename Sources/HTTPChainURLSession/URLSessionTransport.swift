public import HTTPChainCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// A transport that uses Foundation's `URLSession`, on Apple platforms and on Linux.
///
/// ```swift
/// let response = try await URLSessionTransport().send(.get("https://example.com/"))
/// ```
///
/// Bodies stream in both directions in constant memory. The automatic features of `URLSession` that stages provide are
/// disabled: its cache, cookies, credentials and redirects. A 3xx, 401 or 407 is a response like any other, with its
/// body. The platform decides whether to trust a server's certificate.
///
/// Reading a response slowly doesn't slow the server down. Instead, unread bytes beyond `memoryWatermark` are written
/// to temporary files, and beyond `spillLimit` the transfer ends with a ``SpillLimitError``. Dropping a response before
/// its end cancels its transfer.
///
/// The platform doesn't report when a connection is established. The time to connect therefore counts toward the next
/// step of an exchange, and the connect limit is added to the limit of that step.
///
/// `URLSession` decodes the content codings it supports. The head then lacks `Content-Encoding` and `Content-Length`;
/// send `Accept-Encoding: identity` for a response without coding. It joins repeated response fields with commas; only
/// `Set-Cookie` is split again, after an attribute such as `Path=/`. A cookie without attributes, or with another path
/// at its end, stays joined with the next one, because the comma may belong to it. A GET or HEAD with a body throws
/// ``/HTTPChainCore/InvalidRequestError``. Dot segments in a path (`/a/../b`) are resolved before it is sent. If a
/// reused connection turns out to be closed, the platform resends the request on another one. If the method isn't
/// idempotent and the request has no `Idempotency-Key`, the resend is stopped, and the call fails with a lost
/// connection (RFC 9110 §9.2.2). On Apple platforms, resending a request without a body, or with a body in memory, can't
/// be stopped, because the platform doesn't request the body again. On Linux, such a request without a body gets a
/// separate connection instead, which `maximumConnectionsPerHost` doesn't count.
///
/// On Apple platforms, a body without `Content-Type` is sent as `application/octet-stream`, which RFC 9110 §8.3 allows
/// a recipient to assume. The platform would otherwise label it as a form.
///
/// ## On Linux
///
/// Foundation's implementation on Linux (tested with Swift 6.3, libcurl 7.88) has the following limitations, which
/// can't be fixed here. For servers, the AsyncHTTPClient transport is the better choice. One problem of a bare session
/// is solved here: cancelling a call under load, or while its redirect arrives, only ends the call, and not the
/// process.
///
/// - **A reply that is truncated inside its header section ends the process**: Foundation traps on it ("Transfer
///   completed, but there's no response") and error handling can't catch it. Don't connect to untrusted servers.
/// - **A chunked reply with a trailer field ends the process in the same way**, although it is well-formed (RFC 9112
///   §7.1.2). Use the AsyncHTTPClient transport for services that send trailers, such as digests and signatures of a
///   stream, and for every untrusted server.
/// - **A `Content-Length` from 2^63 − 512 to 2^63 − 1 ends the process, too**: Foundation counts progress as a
///   `Double`, which becomes 2^63, and converts it to an integer.
/// - **Many connections that fail at once can end the process**, about once in 5,000 broken replies, eight at a time:
///   libcurl then reports the socket −1, which Foundation converts to an unsigned number.
/// - An IPv6 address as the host of a URL (`http://[::1]:8080/`) throws an ``/HTTPChainCore/InvalidRequestError``;
///   host names with IPv6 addresses work.
/// - Every content coding is decoded, and one that libcurl doesn't support fails the transfer as malformed. A gzip
///   stream that ends early within its declared length is not detected.
/// - A response header field that is not UTF-8 fails the transfer as malformed.
/// - The body of a 301, 302, 303 or 305–308 arrives only when it is complete, and is kept in memory until then. **Its
///   size is not limited**: Foundation reports neither the head nor the bytes before the end, so only a time limit can
///   end it, the deadline of the call or `resourceTimeout`. Set one of them if a server may be hostile. If `Location`
///   is missing or not a URL, the body is lost: reading it throws a ``/HTTPChainCore/TransportError`` that says so.
/// - A streamed request body is read to its end before it is sent with its exact `Content-Length`. It is stored in
///   memory, and beyond `memoryWatermark` in a temporary file. The reason is that Foundation has one queue for the
///   transfers of all sessions, and a body that has to wait would block all of them. Bytes and files are sent as they
///   are read. The limits of the call and of the attempt include the time to store the stream; the limits of the steps
///   begin afterwards.
/// - For the same reason, if the disk of a file stalls during its upload, the transfers of all sessions stall. Disk
///   access for saving and spilling is outside that queue, and stalls nothing else.
/// - Foundation retains about 180 bytes of each request: 64,000 small requests of a bare session leave 10 MiB.
/// - Because of that single queue, a full-speed download of any session in the process delays the start and the
///   cancellation of other transfers. The caller's `CancellationError` isn't delayed.
/// - Foundation retains about 120 bytes for each call for the lifetime of the process, 12 MB per 100,000 calls;
///   creating new sessions doesn't change that.
/// - `requestTimeout` is rounded up to whole seconds.
/// - Errors distinguish a lost connection from a timeout. They don't show whether a timeout occurred before or after
///   sending, so it is ``/HTTPChainCore/TransportError/Sent/maybe``.
public struct URLSessionTransport: BuiltInTransport {
    private let engine: Engine

    /// Creates a transport that uses a shared session, which lives as long as the process.
    public init() {
        engine = .shared
    }

    /// Creates a transport with a separate session.
    ///
    /// Keep the transport as long as there are requests, because connections are reused only within one session. The
    /// session ends with ``shutdown()``, or when the transport is no longer referenced and its last response is
    /// finished.
    ///
    /// - Parameter configuration: The timeouts, limits, and changes to the platform's configuration.
    public init(configuration: Configuration) {
        engine = Engine(configuration)
    }

    /// Creates a transport with a separate session and connection settings.
    ///
    /// On Apple platforms all settings are supported except `connectTimeout:`, which URLSession doesn't have. A key may
    /// be pinned for the server's own certificate or for one of its authorities. On macOS 14 the key of a client
    /// certificate is added to the user's keychain; later versions keep it in memory. On Linux no setting is supported,
    /// because FoundationNetworking passes none to libcurl. Use the AsyncHTTPClient transport there.
    ///
    /// - Parameters:
    ///   - configuration: The timeouts, limits, and changes to the platform's configuration.
    ///   - connection: The settings for TLS, trust, client certificate, proxy and networks.
    /// - Throws: ``/HTTPChainCore/ConnectionSettingsError`` for an unsupported or invalid setting.
    public init(
        configuration: Configuration = Configuration(),
        connection: ConnectionSettings
    ) throws(ConnectionSettingsError) {
        engine = Engine(configuration, try ConnectionControl(connection))
    }

    /// The capabilities: decodes content, streams uploads, reports upload progress, keeps deadlines.
    ///
    /// On Apple platforms, also those for connection settings.
    package var transportCapabilities: TransportCapabilities {
        let shared: TransportCapabilities = [
            .decodesContent, .streamsUploads, .reportsUploadProgress, .keepsDeadlines,
        ]
        return shared.union(engine.control.capabilities)
    }

    /// The options that the transport reads: on Apple platforms, those of ``/HTTPChainCore/Request/network(_:)``.
    package var transportOptions: [any RequestOption.Type] { PlatformBehaviour.optionsRead }

    /// Sends a request and returns when the response head has arrived.
    ///
    /// - Throws: ``/HTTPChainCore/InvalidRequestError`` for a request that can't be sent,
    ///   ``/HTTPChainCore/TransportError``, any error from reading the request's body, and `CancellationError` as soon
    ///   as the task is cancelled.
    public func send(_ request: consuming Request) async throws -> Response {
        try await engine.send(request)
    }

    /// Shuts down the transport.
    ///
    /// Calls in flight and later calls fail with ``/HTTPChainCore/TransportError/Kind/shutDown``.
    ///
    /// Returns when the platform has released the connections. Does nothing to the shared session of transports created
    /// with ``init()``.
    public func shutdown() async {
        guard engine !== Engine.shared else { return }
        await engine.shutDown()
    }
}

extension URLSessionTransport {
    /// The timeouts and limits of a transport.
    public struct Configuration: Sendable {
        package var requestTimeout: Duration
        package var resourceTimeout: Duration?
        package var maximumConnectionsPerHost: Int
        package var memoryWatermark: ByteCount
        package var spillLimit: ByteCount
        package var customize: (@Sendable (URLSessionConfiguration) -> Void)?

        /// Creates a configuration, with defaults for omitted values.
        ///
        /// - Parameters:
        ///   - requestTimeout: The time without any bytes in either direction after which a transfer times out, rounded up
        ///     to whole seconds; 60 seconds by default.
        ///   - resourceTimeout: The maximum time for a whole transfer; the platform's default if `nil`: 7 days on Apple
        ///     platforms, unlimited on Linux.
        ///   - maximumConnectionsPerHost: The maximum number of open connections to one host; 1,024 by default. With
        ///     HTTP/2, which the platform negotiates over TLS, one connection carries many requests.
        ///   - memoryWatermark: The maximum size of unread response bytes in memory, and on Linux of a streamed request
        ///     body before it is sent; 1 MiB by default.
        ///   - spillLimit: The maximum size of unread response bytes on disk, and on Linux of a streamed request body;
        ///     4 GiB by default.
        ///   - customize: A closure that changes the platform's configuration before the session is created, for
        ///     example its TLS versions, proxies and network service. The cache, cookies, credentials and the settings
        ///     above are set afterwards.
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
