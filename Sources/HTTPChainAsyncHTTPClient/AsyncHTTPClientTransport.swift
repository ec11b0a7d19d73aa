#if AsyncHTTPClient
public import AsyncHTTPClient
import Foundation
public import HTTPChainCore
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOPosix

/// A transport that uses async-http-client, for servers.
///
/// Uploads and downloads are streamed with backpressure in both directions: nothing is read before the other side
/// requests it. The transport uses HTTP/2 if the server offers it over TLS.
///
/// ```swift
/// let chain = try Chain(transport: AsyncHTTPClientTransport()) { … }
/// ```
///
/// **Limits.** The transport enforces the limits of an exchange:
///
/// - The connect limit covers the time until a connection sends the head: resolving the host name, connecting, TLS, a
///   proxy, and the wait for a free connection. If it ends the exchange, nothing was sent.
/// - The write limit restarts each time the client accepts a part of the body. The client does so while at most 128 KiB
///   of earlier parts wait for the system.
/// - The response limit starts when the client has accepted the last part of the body, or the head if there is no body.
/// - The read limit and the total limit are the same as for every transport.
///
/// A client supplied by the caller doesn't report its connections. The time to connect then counts toward the next
/// step, and the connect limit is added to the limit of that step. The timeouts of the client's configuration apply as
/// well, and throw a ``/HTTPChainCore/TransportError`` of kind `timedOut`.
///
/// **Sending again.** If a connection was about to end and the server certainly didn't process a request, the request
/// is sent again immediately, even a POST, up to ten times in all (RFC 9113 §8.7). This applies if no connection began
/// to send it, or if its HTTP/2 stream is above the last one of a GOAWAY. If the server itself refuses a stream
/// (`REFUSED_STREAM`), its request is sent again once. If part of the body may have been read, the body must be
/// replayable, and the reports of its upload start again. The limits continue to apply, but the connect limit ends once
/// a connection has sent a head. Failed connection attempts are left to a retry stage.
///
/// **Memory.** An upload needs memory for 128 KiB and two further parts of its body, in addition to the buffers of the
/// client's connection and the system. The body's reader determines the size of the parts. A client supplied by the
/// caller accepts parts faster than it sends them, so an upload whose reader is faster than the network may need more.
///
/// A response keeps its client running until it is read or dropped, even if the transport has been deallocated.
/// Dropping the body of a response ends its transfer and closes its connection. Read small bodies to their end, so that
/// the connection can be reused.
public struct AsyncHTTPClientTransport: BuiltInTransport {
    private let client: ClientHandle

    /// The capabilities of the transport, which depend on its client's configuration.
    package let transportCapabilities: TransportCapabilities

    /// The capabilities of the transport if its client doesn't follow redirects or decode content.
    package static let standardCapabilities: TransportCapabilities = [
        .streamsUploads, .backpressure, .reportsUploadProgress, .keepsRepeatedFields, .reportsConnections,
        .keepsDeadlines,
    ]

    /// Creates a transport that uses the caller's client, or the one shared by all such transports of the process, with
    /// ``standardConfiguration``.
    ///
    /// If the caller supplies a client, the caller also shuts it down.
    ///
    /// Such a client doesn't report its connections, so the connect limit can't end an exchange. If you need that
    /// limit, pass a configuration to the transport instead of a client.
    ///
    /// Create the client with ``standardConfiguration``, or with changes to it. Otherwise, async-http-client (1.37)
    /// ends the process in two cases: after a response whose status is below 100 (with that configuration, the response
    /// fails instead), and after an HTTP/2 response that is complete before the end of its upload.
    ///
    /// - Parameters:
    ///   - client: A client that doesn't follow redirects or decompress, because both are stages of a chain. For a
    ///     chain with a tracing stage, also disable its tracing: `configuration.tracing.tracer = nil`. The shared client
    ///     by default.
    ///   - capabilities: The client's capabilities. Declare here if it does follow redirects or decompress. Defaults to
    ///     those of a transport that creates its own client.
    public init(client: HTTPClient? = nil, capabilities: TransportCapabilities? = nil) {
        self.client = client.map { ClientHandle(foreign: $0) } ?? .shared
        transportCapabilities = capabilities ?? Self.standardCapabilities
    }

    /// Whether the client creates its own span for each request that isn't traced by a stage.
    ///
    /// Requests traced by a tracing stage (``/HTTPChainCore/Request/isTracedByStage``) use a separate client without a
    /// tracer, which is created with the first such request. If the caller supplies the client, however, it traces them
    /// a second time.
    public enum ClientTracing: Sendable, Hashable {
        /// The client traces as configured.
        case asConfigured
        /// The client creates no spans.
        case disabled
    }

    /// Creates a transport with a separate client on the process's event loops.
    ///
    /// The client is shut down by ``shutdown()``, or when the last copy of the transport and its last response are
    /// deallocated.
    ///
    /// - Parameters:
    ///   - configuration: The timeouts, TLS, proxy and connection pool. Redirects and decompression are always
    ///     disabled, because both are stages of a chain.
    ///   - clientTracing: Whether the client itself traces requests; as configured by default.
    public init(configuration: HTTPClient.Configuration, clientTracing: ClientTracing = .asConfigured) {
        self.client = ClientHandle(Self.prepared(configuration, clientTracing: clientTracing))
        transportCapabilities = Self.standardCapabilities
    }

    package static func prepared(
        _ configuration: HTTPClient.Configuration,
        clientTracing: ClientTracing
    ) -> HTTPClient.Configuration {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        if clientTracing == .disabled { configuration.tracing.tracer = nil }
        return configuration
    }

    /// Creates a transport with a separate client and connection settings.
    ///
    /// Keys are pinned for the server's own certificate, not for those of its authorities, so pin the key of each host.
    /// Each pinned host has a separate connection pool. async-http-client doesn't support `allowsExpensiveNetworks:`,
    /// `allowsConstrainedNetworks:` and `waitsForConnectivity:`.
    ///
    /// - Parameters:
    ///   - connection: The settings for the connect timeout, TLS, trust, client certificate and proxy.
    ///   - configuration: All other settings; ``standardConfiguration`` by default.
    ///   - clientTracing: Whether the client itself traces requests; as configured by default.
    /// - Throws: ``/HTTPChainCore/ConnectionSettingsError`` for an unsupported or invalid setting.
    public init(
        connection: ConnectionSettings,
        configuration: HTTPClient.Configuration = Self.standardConfiguration,
        clientTracing: ClientTracing = .asConfigured
    ) throws(ConnectionSettingsError) {
        var configuration = Self.prepared(configuration, clientTracing: clientTracing)
        try ClientSettings(connection).apply(to: &configuration)
        client = ClientHandle(
            configuration,
            on: MultiThreadedEventLoopGroup.singleton,
            pinning: connection.trust.pinned
        )
        transportCapabilities = Self.standardCapabilities.union([
            .checksServerTrust, .showsClientIdentity, .limitsConnecting, .usesProxies, .choosesTLSVersion,
        ])
    }

    /// The configuration of the shared client.
    ///
    /// Up to 32 HTTP/1.1 connections to a host; 60 seconds to connect, including the wait for a free connection; 60
    /// seconds without a byte from the server before a ``/HTTPChainCore/TransportError`` of kind `timedOut`. The last
    /// limit also ends a transfer that isn't read for that long. A failed connection attempt is not retried; use a
    /// retry stage for that. A response whose status is below 100, or that follows more than 100 interim responses,
    /// throws a ``/HTTPChainCore/TransportError`` of kind `malformedResponse`.
    public static var standardConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(60), read: .seconds(60)),
            decompression: .disabled
        )
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.networkFrameworkWaitForConnectivity = false
        ConnectionHandlers.add(to: &configuration)
        return configuration
    }

    /// Shuts down the client if the transport owns it; does nothing otherwise.
    ///
    /// Requests in flight fail, and later ones throw a ``/HTTPChainCore/TransportError`` of kind `shutDown`.
    ///
    /// - Throws: ``/HTTPChainCore/TransportError`` of kind `shutDown` if it was already shut down.
    public func shutdown() async throws {
        try await client.shutdown()
    }

    /// Sends a request and returns when the response head has arrived.
    ///
    /// - Throws: ``/HTTPChainCore/InvalidRequestError`` for a request that can't be sent,
    ///   ``/HTTPChainCore/TransportError`` for a failure of the exchange, `CancellationError`, and any error from
    ///   reading the request body.
    public func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        if request.body.isUnmeasuredFile { request.body = try await request.body.measured() }
        let progress = request.beginUploadReport()
        // This request carries the limits of the exchange. The head and body are used separately.
        let limited = Request(head: request.head, options: request.options)
        let report = request.options[ConnectionReportNote.self]
        let wire = try request.forWire()
        try wire.requirePath(for: "AsyncHTTPClient")
        let upload = Upload(wire, progress: progress)
        let timer = TransferTimer(
            limited,
            tellsConnection: client.reportsExchanges,
            upload: upload == nil || wire.contentLength == 0 ? .atOnce : .told
        )
        let isLive = type(of: limited.environment.time) == SystemTime.self
        let exchange = ClientExchange(
            client: client,
            report: report,
            wire: wire,
            options: limited.options,
            timer: timer,
            upload: upload,
            ending: isLive && timer != nil && client.reportsExchanges ? ExchangeEnding() : nil
        )
        return try await exchange.response(isLive: isLive)
    }
}

/// A request that the client sends.
private struct ClientExchange: Sendable {
    let client: ClientHandle
    let report: (@Sendable (ConnectionMetrics) -> Void)?
    let wire: WireRequest
    /// The options of the request, for the reports of an upload.
    let options: RequestOptions
    /// The timer; nil if nothing limits the exchange.
    let timer: TransferTimer?
    /// The upload; nil if the whole request is sent at once.
    var upload: Upload?
    /// The way to end the exchange from another thread.
    ///
    /// Nil if reads of the body need tasks, because nothing else can end them: with a client supplied by the caller,
    /// and with another clock than the system's.
    let ending: ExchangeEnding?

    /// Waits for the response and applies the limits to its body.
    func response(isLive: Bool) async throws -> Response {
        guard let timer else { return try await response(by: .distantFuture) }
        var response: Response
        if isLive, upload == nil, timer.isSettled {
            // Only the wait for the head is limited, and the client's own deadline for that costs nothing.
            response = try await head(within: timer)
        } else {
            upload?.report(to: timer)
            response = try await timer.run { try await self.response(by: .distantFuture) }
        }
        timer.answered(response.head)
        if let ending {
            response.body = timer.keep(response.body) { ending.end(with: $0) }
        } else {
            response.body = timer.keep(response.body)
        }
        return response
    }

    private func head(within timer: TransferTimer) async throws -> Response {
        guard let remaining = timer.remaining else { return try await response(by: .distantFuture) }
        if remaining <= .zero, let error = timer.expire() { throw error }
        do {
            return try await response(by: .now() + TimeAmount(bounding: remaining))
        } catch let error as TransportError {
            guard error.underlyingError as? HTTPClientError == .deadlineExceeded, let late = timer.expire() else {
                throw error
            }
            throw late
        }
    }

    func response(by deadline: NIODeadline) async throws -> Response {
        var exchange = self
        var resending = Resending()
        while true {
            let errors = ErrorTranslation(request: wire, upload: exchange.upload)
            do {
                return try await exchange.response(by: deadline, errors)
            } catch {
                guard resending.maySendAgain(after: error), let next = exchange.again(after: error) else {
                    exchange.upload?.cancel()
                    throw errors.translate(error, response: nil)
                }
                exchange = next
            }
        }
    }

    /// Returns an exchange that sends the request again, after an error that shows that the server didn't process it.
    ///
    /// Returns nil if the body can't be sent again, or if the exchange has ended for another reason.
    private func again(after error: any Error) -> ClientExchange? {
        guard !Task.isCancelled, timer?.failure == nil, upload?.failure == nil else { return nil }
        // No part of the body has been read.
        guard let upload, !(error is UnsentError) else { return self }
        guard wire.body.isReplayable else { return nil }
        upload.cancel()
        var next = self
        next.upload = Upload(wire, progress: options.beginUploadReport())
        if let timer { next.upload?.report(to: timer) }
        return next
    }

    private func response(by deadline: NIODeadline, _ errors: ErrorTranslation) async throws -> Response {
        guard let upload else { return try await response(by: deadline, lifetime: client, errors) }
        return try await withTaskCancellationHandler {
            try await upload.requireEmptyIfDeclared()
            // Retained as long as the response can be read. After an early response, the server may not want the rest
            // of the upload. Also keeps the client running, which would otherwise be shut down with the last copy of
            // the transport.
            let lifetime = Lifeline { [client] in withExtendedLifetime(client) { upload.cancel() } }
            return try await response(by: deadline, lifetime: lifetime, errors)
        } onCancel: {
            upload.cancel()
        }
    }

    private func response(
        by deadline: NIODeadline,
        lifetime: any AnyObject & Sendable,
        _ errors: ErrorTranslation
    ) async throws -> Response {
        let incoming = try await execute(by: deadline)
        upload?.isAnswered()
        if let report {
            var metrics = ConnectionMetrics()
            metrics.protocolName = incoming.version.major == 2 ? "h2" : "http/1.\(incoming.version.minor)"
            report(metrics)
        }
        return try await Response(incoming, to: wire.head, lifetime: lifetime, errors: errors)
    }

    private func execute(by deadline: NIODeadline) async throws -> HTTPClientResponse {
        let target = wire.unreadableTarget
        var outgoing = HTTPClientRequest(wire, upload: upload, replacesFieldBytes: client.reportsExchanges)
        guard client.reportsExchanges else {
            if target != nil {
                throw InvalidRequestError(
                    .invalidURL(wire.url, "async-http-client can't send a path that isn't UTF-8 over a client of yours")
                )
            }
            return try await client.client(for: wire).execute(outgoing, deadline: deadline)
        }
        let number = ExchangeBoard.shared.add(
            ReportedExchange(timer: timer, upload: upload, ending: ending, target: target)
        )
        outgoing.headers.add(name: ExchangeBoard.field.rawName, value: number)
        do {
            // The connection that sends the head removes the exchange from the board.
            return try await client.client(for: wire).execute(outgoing, deadline: deadline)
        } catch {
            // If a connection still gets the request, it finds that the exchange has ended, and sends nothing.
            throw ExchangeBoard.shared.take(number) == nil ? error : UnsentError(cause: error)
        }
    }
}

/// Keeps the clients of a transport, and shuts down those that the transport owns.
final class ClientHandle: Sendable {
    /// A client, and another one without a tracer for requests that a stage traces.
    private struct Pair: Sendable {
        let client: HTTPClient
        /// The configuration without the client's tracer; nil if the client has no tracer, or if the caller supplied
        /// it.
        let untracedConfiguration: HTTPClient.Configuration?
        var untraced: HTTPClient?

        init(foreign client: HTTPClient) {
            self.client = client
            untracedConfiguration = nil
        }

        init(_ configuration: HTTPClient.Configuration, on group: any EventLoopGroup) {
            var configuration = configuration
            ConnectionHandlers.add(to: &configuration)
            client = HTTPClient(eventLoopGroup: group, configuration: configuration)
            let isTraced = configuration.tracing.tracer != nil
            configuration.tracing.tracer = nil
            untracedConfiguration = isTraced ? configuration : nil
        }

        var all: [HTTPClient] { [client] + (untraced.map { [$0] } ?? []) }

        mutating func withoutTracer(mayMake: Bool) -> HTTPClient {
            if let untraced { return untraced }
            guard mayMake, let untracedConfiguration else { return client }
            let made = HTTPClient(eventLoopGroup: client.eventLoopGroup, configuration: untracedConfiguration)
            untraced = made
            return made
        }
    }

    private struct State: Sendable {
        /// The pair for all hosts without pinned keys, followed by the pairs for hosts with pinned keys, in order.
        var pairs: [Pair]
        var isShutDown = false
    }

    /// The client for most requests, which can be used without the lock.
    private let client: HTTPClient
    /// The clients for hosts with pinned keys; each checks the keys of its own connections.
    private let pinnedClients: [(keys: PinnedKeys, client: HTTPClient)]
    private let isOwned: Bool
    /// Whether all connections have an ``ExchangeHandler``; the connections of a client supplied by the caller may not.
    let reportsExchanges: Bool
    private let state: Locked<State>

    static let shared = ClientHandle(AsyncHTTPClientTransport.standardConfiguration, isOwned: false)

    init(foreign client: HTTPClient) {
        self.client = client
        isOwned = false
        reportsExchanges = false
        pinnedClients = []
        state = Locked(State(pairs: [Pair(foreign: client)]))
    }

    init(
        _ configuration: HTTPClient.Configuration,
        on group: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
        pinning pinned: [PinnedKeys] = [],
        isOwned: Bool = true
    ) {
        let first = Pair(configuration, on: group)
        let others = pinned.map { keys in
            var configuration = configuration
            ClientSettings.pin(keys, &configuration)
            return Pair(configuration, on: group)
        }
        client = first.client
        self.isOwned = isOwned
        reportsExchanges = true
        pinnedClients = zip(pinned, others).map { (keys: $0, client: $1.client) }
        state = Locked(State(pairs: [first] + others))
    }

    /// Returns the client whose connections may carry a request.
    func client(for request: WireRequest) -> HTTPClient {
        let pinned = pinnedIndex(of: request)
        guard request.isTracedByStage else { return pinned.map { pinnedClients[$0].client } ?? client }
        return state.withLock { state in
            let index = pinned.map { $0 + 1 } ?? 0
            return state.pairs[index].withoutTracer(mayMake: !state.isShutDown)
        }
    }

    private func pinnedIndex(of request: WireRequest) -> Int? {
        guard !pinnedClients.isEmpty, request.head.scheme == "https", let host = Origin(request.url)?.host else {
            return nil
        }
        return pinnedClients.firstIndex { $0.keys.matches(host) }
    }

    func shutdown() async throws {
        guard isOwned else { return }
        let clients = state.withLock { state in
            state.isShutDown = true
            return state.pairs.reversed().flatMap(\.all)
        }
        do {
            for client in clients { try await client.shutdown() }
        } catch {
            throw TransportError(.shutDown, sent: .nothing, stage: "AsyncHTTPClientTransport", underlyingError: error)
        }
    }

    deinit {
        // If an HTTPClient is deallocated without a shutdown, it stops the process in debug builds. The callback keeps
        // it alive until the shutdown has ended. A second shutdown only fails with an error.
        guard isOwned else { return }
        for client in state.withLock({ $0.pairs.flatMap(\.all) }) { client.shutdown { [client] _ in _ = client } }
    }
}
#endif
