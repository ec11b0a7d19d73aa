#if AsyncHTTPClient
public import AsyncHTTPClient
import Foundation
public import HTTPChainCore
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Sends requests with async-http-client: the transport for servers.
///
/// Uploads and downloads are streamed with backpressure both ways: nothing is read that the other side has not asked
/// for. HTTP/2 is used where the server offers it over TLS.
///
/// ```swift
/// let chain = try Chain(transport: AsyncHTTPClientTransport()) { … }
/// ```
///
/// Dropping the body of a response ends its transfer and closes its connection; read small bodies to their end, so
/// that the connection can be used again.
public struct AsyncHTTPClientTransport: Transport {
    private let client: ClientHandle

    /// What the transport does on its own, and what it can do.
    public let capabilities: TransportCapabilities

    /// What the transport can do when its client follows no redirects and decodes nothing.
    public static let standardCapabilities: TransportCapabilities = [
        .streamsUploads, .backpressure, .reportsUploadProgress, .keepsRepeatedFields,
    ]

    /// Uses the client that all such transports of the process share, with ``standardConfiguration``.
    public init() {
        client = .shared
        capabilities = Self.standardCapabilities
    }

    /// Uses a client of the caller's, who shuts it down.
    ///
    /// - Parameters:
    ///   - client: A client that follows no redirects and decompresses nothing, as both are stages of a chain.
    ///   - capabilities: What the client does; say so here when it does follow redirects or decompress.
    public init(client: HTTPClient, capabilities: TransportCapabilities = Self.standardCapabilities) {
        self.client = ClientHandle(client, isOwned: false)
        self.capabilities = capabilities
    }

    /// Uses a client of its own on the process's event loops.
    ///
    /// The client ends with ``shutdown()``, or when the last copy of the transport is gone.
    ///
    /// - Parameter configuration: Timeouts, TLS, proxy and connection pool. Redirects and decompression are switched
    ///   off whatever it says, as both are stages of a chain.
    public init(configuration: HTTPClient.Configuration) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        self.client = ClientHandle(
            HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration),
            isOwned: true
        )
        capabilities = Self.standardCapabilities
    }

    /// The configuration of the shared client.
    ///
    /// Up to 32 HTTP/1.1 connections to a host; 60 seconds to connect, of which waiting for a free connection is a part;
    /// 60 seconds without a byte from the server before a ``TransportError`` of kind `timedOut`. The last of these also
    /// ends a transfer that is not read from for so long. A connection that cannot be made is not tried again: that is
    /// for a retry stage.
    public static var standardConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(60), read: .seconds(60)),
            decompression: .disabled
        )
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.networkFrameworkWaitForConnectivity = false
        return configuration
    }

    /// Closes the connections of a client that the transport owns; does nothing to one that it does not.
    ///
    /// Requests under way fail, and later ones are a ``TransportError`` of kind `shutDown`.
    ///
    /// - Throws: ``TransportError`` of kind `shutDown` when it was shut down before.
    public func shutdown() async throws {
        try await client.shutdown()
    }

    /// Sends a request and returns when the head of the response is there.
    ///
    /// - Throws: ``InvalidRequestError`` for what cannot be sent, ``TransportError`` for what fails on the way,
    ///   `CancellationError`, and what reading the request body throws.
    public func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        let progress = request.options[UploadProgress.self]
        let wire = try request.forWire()
        let upload = Upload(wire, progress: progress)
        let errors = ErrorTranslation(request: wire, upload: upload)
        let outgoing = HTTPClientRequest(wire, upload: upload)
        do {
            return try await withTaskCancellationHandler {
                let incoming = try await client.client.execute(outgoing, deadline: .distantFuture)
                upload.isAnswered()
                return try await Response(incoming, to: wire.head, upload: upload, errors: errors)
            } onCancel: {
                upload.cancel()
            }
        } catch {
            upload.cancel()
            throw errors.translate(error, response: nil)
        }
    }
}

/// Keeps a client, and shuts it down in the end when it is the transport's own.
private final class ClientHandle: Sendable {
    let client: HTTPClient
    private let isOwned: Bool

    static let shared = ClientHandle(
        HTTPClient(
            eventLoopGroup: HTTPClient.defaultEventLoopGroup,
            configuration: AsyncHTTPClientTransport.standardConfiguration
        ),
        isOwned: false
    )

    init(_ client: HTTPClient, isOwned: Bool) {
        self.client = client
        self.isOwned = isOwned
    }

    func shutdown() async throws {
        guard isOwned else { return }
        do {
            try await client.shutdown()
        } catch {
            throw TransportError(
                .shutDown,
                sent: .nothing,
                stage: "AsyncHTTPClientTransport",
                underlyingError: error
            )
        }
    }

    deinit {
        // An HTTPClient that goes without a shutdown stops the process in debug builds; the callback keeps it in
        // being until it has ended, and a second shutdown is an error that changes nothing.
        if isOwned { client.shutdown { [client] _ in _ = client } }
    }
}
#endif
