#if Valkey
import HTTPChainCore
import NIOCore
import NIOPosix
import NIOSSL

/// A pending command, with a promise for its reply.
///
/// It completes exactly once, with the server's reply, its timeout, or the end of the connection.
final class PendingCommand: Sendable {
    let bytes: [UInt8]
    private let promise: EventLoopPromise<RESPValue>
    private let isAnswered = Locked(false)

    /// Creates a command and starts its time limit.
    ///
    /// When the limit expires, the command completes, whether or not it has been sent.
    init(_ command: ValkeyCommand, within limit: Duration, on loop: any EventLoop, _ server: String) {
        bytes = command.encoded
        promise = loop.makePromise()
        let timer = loop.scheduleTask(in: limit.timeAmount) { [self] in
            answer(.failure(ValkeyError(.timeout, server: server)))
        }
        promise.futureResult.whenComplete { _ in timer.cancel() }
    }

    /// The reply.
    var future: EventLoopFuture<RESPValue> { promise.futureResult }

    /// Whether the command has completed.
    var isOver: Bool { isAnswered.withLock { $0 } }

    func answer(_ result: Result<RESPValue, any Error>) {
        let isFirst = isAnswered.withLock { answered in
            defer { answered = true }
            return !answered
        }
        if isFirst { promise.completeWith(result) }
    }
}

/// Writes commands and matches replies to them in order, on the connection's event loop.
final class CommandHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = PendingCommand
    typealias OutboundOut = ByteBuffer

    private let server: String
    private var parser = RESPParser()
    private var pending = CircularBuffer<PendingCommand>()
    private var failure: ValkeyError?

    init(server: String) {
        self.server = server
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let command = unwrapOutboundIn(data)
        guard context.channel.isActive, failure == nil else {
            command.answer(.failure(failure ?? ValkeyError(.connectionLost, server: server)))
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        // The command timed out before there was a connection.
        if command.isOver {
            promise?.succeed()
            return
        }
        pending.append(command)
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: command.bytes)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard failure == nil else { return }
        var buffer = unwrapInboundIn(data)
        do throws(RESPParser.Malformed) {
            // The receiver of a reply may immediately write the next command, but the remaining bytes don't belong to
            // that.
            var asked = pending.count
            // Bytes that don't belong to a command aren't even parsed, because the event loop also serves the timers of
            // all commands.
            if asked > 0 { parser.append(buffer.readBytes(length: buffer.readableBytes) ?? []) }
            while asked > 0, let value = try parser.next() {
                asked -= 1
                pending.popFirst()?.answer(.success(value))
            }
            guard asked > 0 || parser.isEmpty && buffer.readableBytes == 0 else {
                throw RESPParser.Malformed(reason: "a reply without a command")
            }
        } catch {
            fail(context, ValkeyError(.malformedReply, server: server, detail: error.reason))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        failAll(ValkeyError(.connectionLost, server: server))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let detail = error is NIOSSLError || error is NIOSSLExtraError ? "TLS: \(error)" : "\(type(of: error))"
        fail(context, ValkeyError(.connectionLost, server: server, detail: detail))
    }

    private func fail(_ context: ChannelHandlerContext, _ error: ValkeyError) {
        failAll(error)
        context.close(promise: nil)
    }

    private func failAll(_ error: ValkeyError) {
        if failure == nil { failure = error }
        while let command = pending.popFirst() { command.answer(.failure(failure ?? error)) }
    }
}

/// Creates connections that are ready, with TLS, password and database set up.
enum ValkeyConnector {
    static func connect(_ settings: ValkeySettings, on loop: any EventLoop) -> EventLoopFuture<any Channel> {
        let server = "\(settings.host):\(settings.port)"
        if let problem = PortNumber.problem(of: settings.port) {
            return loop.makeFailedFuture(ValkeyError(.unavailable, server: server, detail: problem))
        }
        let context: NIOSSLContext?
        do {
            context = try tlsContext(settings.tls)
        } catch {
            return loop.makeFailedFuture(ValkeyError(.unavailable, server: server, detail: "TLS: \(error)"))
        }
        return ClientBootstrap(group: loop)
            .connectTimeout(settings.connectTimeout.timeAmount)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        let name = isAddress(settings.host) ? nil : settings.host
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: name)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    try channel.pipeline.syncOperations.addHandler(CommandHandler(server: server))
                }
            }
            .connect(host: settings.host, port: settings.port)
            .flatMapErrorThrowing { error in
                throw ValkeyError(.unavailable, server: server, detail: "\(type(of: error))")
            }
            .flatMap { channel in
                greet(channel, settings, server).map { channel }
                    .flatMapError { error in
                        channel.close(mode: .all, promise: nil)
                        return channel.eventLoop.makeFailedFuture(error)
                    }
            }
    }

    private static func greet(
        _ channel: any Channel,
        _ settings: ValkeySettings,
        _ server: String
    ) -> EventLoopFuture<Void> {
        var commands: [ValkeyCommand] = []
        if let password = settings.password {
            let user = settings.username.map { [$0] } ?? []
            commands.append(ValkeyCommand(["AUTH"] + user + [password.revealed]))
        }
        if settings.database != 0 { commands.append(ValkeyCommand(["SELECT", "\(settings.database)"])) }
        // If there is neither a password nor a database, sends PING. A reply proves that the server uses this protocol,
        // and that TLS was negotiated.
        if commands.isEmpty { commands.append(ValkeyCommand(["PING"])) }
        let answers = commands.map { command in
            let pending = PendingCommand(command, within: settings.connectTimeout, on: channel.eventLoop, server)
            send(pending, over: channel, server)
            return pending.future
        }
        return EventLoopFuture.whenAllSucceed(answers, on: channel.eventLoop).flatMapThrowing { answers in
            for case .error(let text) in answers {
                // Includes only the kind of the error, because the server may quote its input, such as a password.
                throw ValkeyError(.server, server: server, detail: text.pieces(at: " ").first.map { String($0) } ?? "")
            }
        }
    }

    /// Sends a command; if it times out, closes the connection, because the server hangs or is too slow.
    static func send(_ pending: PendingCommand, over channel: any Channel, _ server: String) {
        pending.future.whenFailure { error in
            if (error as? ValkeyError)?.kind == .timeout { channel.close(mode: .all, promise: nil) }
        }
        channel.writeAndFlush(pending).whenFailure { _ in
            pending.answer(.failure(ValkeyError(.connectionLost, server: server)))
        }
    }

    private static func tlsContext(_ tls: ValkeySettings.TLS) throws -> NIOSSLContext? {
        var configuration = TLSConfiguration.makeClientConfiguration()
        switch tls {
        case .off: return nil
        case .systemRoots: break
        case .roots(let file): configuration.trustRoots = .file(file)
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// Whether the host is an address, which TLS can't send as the server's name (RFC 6066 §3).
    private static func isAddress(_ host: String) -> Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }
}

extension Duration {
    var timeAmount: TimeAmount {
        let bounded = min(max(self, .zero), .seconds(86_400))
        return .nanoseconds(bounded.components.seconds * 1_000_000_000 + bounded.components.attoseconds / 1_000_000_000)
    }
}
#endif
