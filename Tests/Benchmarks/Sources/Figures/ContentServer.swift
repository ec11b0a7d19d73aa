import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server whose answers have content, head and body in one packet: the answer of the other one has none, because that
/// one sends them apart.
enum ContentServer {
    /// The content of an answer.
    static let content = #"{"id":42,"name":"Ada","mail":"ada@example.com","role":"engineer","since":"1843-07-10"}"#

    /// Listens on a free port of the loopback interface, until the channel is closed.
    static func start() async throws -> any Channel {
        try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(ContentHandler())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }
}

/// Answers each request with the content.
private final class ContentHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let body = context.channel.allocator.buffer(string: ContentServer.content)
        let fields: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)", "Cache-Control": "no-store",
        ]
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: fields))),
            promise: nil
        )
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
