#if Valkey
package import HTTPChainValkey
import NIOCore
import NIOPosix

/// What speaks the protocol of Valkey and replies what a test wants.
package final class FakeServer: Sendable {
    package typealias Reply = @Sendable (_ command: [[UInt8]]) -> [UInt8]

    private let channel: any Channel

    /// Listens on a free port of this machine.
    ///
    /// - Parameter reply: The bytes for each command; none for no reply.
    package static func started(_ reply: @escaping Reply) async throws -> FakeServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ReplyHandler(reply))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return FakeServer(channel)
    }

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    deinit { channel.close(promise: nil) }

    package var settings: ValkeySettings {
        var settings = ValkeySettings(port: channel.localAddress?.port ?? 0)
        settings.reconnection = .milliseconds(1)...(.milliseconds(5))
        // Enough for a machine that is busy.
        settings.commandTimeout = .seconds(120)
        settings.connectTimeout = .seconds(120)
        return settings
    }

    /// The reply to a script; `nil` for a command that is not one.
    package static func script(_ command: [[UInt8]]) -> (text: String, arguments: [[UInt8]])? {
        guard command.count >= 4, command[0] == Array("EVAL".utf8) else { return nil }
        return (String(decoding: command[1], as: UTF8.self), Array(command[4...]))
    }
}

private final class ReplyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let reply: FakeServer.Reply
    private var parser = RESPParser()

    init(_ reply: @escaping FakeServer.Reply) {
        self.reply = reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        parser.append(buffer.readBytes(length: buffer.readableBytes) ?? [])
        while let value = try? parser.next() {
            guard case .list(let parts) = value else { return }
            let bytes = reply(parts.compactMap(\.data))
            context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}

extension RESPValue {
    /// The value as bytes.
    package var encoded: [UInt8] {
        switch self {
        case .text(let text): Array("+\(text)\r\n".utf8)
        case .error(let text): Array("-\(text)\r\n".utf8)
        case .number(let number): Array(":\(number)\r\n".utf8)
        case .bytes(let bytes): Array("$\(bytes.count)\r\n".utf8) + bytes + [13, 10]
        case .null: Array("$-1\r\n".utf8)
        case .list(let values): Array("*\(values.count)\r\n".utf8) + values.flatMap(\.encoded)
        }
    }

    /// A string.
    package static func string(_ text: String) -> RESPValue { .bytes(Array(text.utf8)) }
}
#endif
