import ArgumentParser
import AsyncHTTPClient
import Foundation
import HTTPChainAsyncHTTPClient
import HTTPChainCache
import HTTPChainCore
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// A reverse proxy that puts a chain's cache between its clients and a server.
///
/// `swift run --package-path Examples/CachingProxy CachingProxy --port 8080 --upstream http://127.0.0.1:9000`
@main
struct CachingProxy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A caching reverse proxy: client, cache by RFC 9111, one upstream server."
    )

    @Option(help: "The port to listen on, on loopback.")
    var port = 8080

    @Option(help: "The server behind the proxy, as scheme, host and port: http://127.0.0.1:9000.")
    var upstream: String

    @Option(help: "For whom the cache stores: private (one user) or shared.")
    var mode = ModeOption.private

    @Option(help: "Where responses are kept: memory, file:PATH or sqlite:PATH.")
    var store = StoreOption.memory

    @Option(help: "How many megabytes the store holds at most.")
    var limit: Int64 = 200

    @Flag(help: "Print what the cache does with each request.")
    var verbose = false

    func run() async throws {
        guard let origin = Origin(upstream) else {
            throw ValidationError("--upstream \(upstream) is not a URL such as http://127.0.0.1:9000")
        }
        let transport = AsyncHTTPClientTransport(configuration: Self.clientConfiguration)
        let revalidator = CacheRevalidator(limit: 256)
        let cache = CacheMiddleware(
            store: try store.open(limit: .megabytes(limit)),
            rules: CacheRules(mode: mode.mode),
            partition: .shared,
            revalidator: revalidator,
            observer: verbose ? { @Sendable event in print(event) } : nil
        )
        let chain = try Chain([cache], transport: UpstreamTransport(origin: origin, over: transport))
        var logger = Logger(label: "CachingProxy")
        logger.logLevel = .notice
        let server = Server(
            childChannelSetup: ProxyConnection(gateway: Gateway(chain: chain)),
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                print("listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0), in front of \(origin)")
                fflush(nil)
            },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        )
        let group = ServiceGroup(services: [server], gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        try await group.run()
        await revalidator.shutdown()
        try await transport.shutdown()
    }

    /// The configuration allows many connections, because each client's request may need one.
    ///
    /// Idle connections are closed before the server closes them, because that would break the next request.
    private static var clientConfiguration: HTTPClient.Configuration {
        var configuration = AsyncHTTPClientTransport.standardConfiguration
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        configuration.connectionPool.idleTimeout = .seconds(2)
        return configuration
    }
}

/// The option for a private or a shared cache.
enum ModeOption: String, ExpressibleByArgument, CaseIterable {
    case `private`
    case shared

    var mode: CacheRules.Mode { self == .shared ? .shared : .private }
}
