import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server whose answers have content, head and body in one packet: the answer of the other one has none, because that
/// one sends them apart.
///
/// The content of `/zeros/N` are N zeros.
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

/// Answers each request with its content.
private final class ContentHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let zeros = ByteBuffer(repeating: 0, count: 1 << 16)

    /// How many zeros are asked for.
    private var asked: Int?
    /// How many of them are still to be sent.
    private var rest = 0
    private var isSending = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            asked = head.uri.hasPrefix("/zeros/") ? head.uri.split(separator: "/").last.flatMap { Int($0) } : nil
        case .body: break
        case .end:
            if let asked {
                begin("application/octet-stream", of: asked, in: context)
                rest = asked
                sendZeros(in: context)
            } else {
                let body = context.channel.allocator.buffer(string: ContentServer.content)
                begin("application/json", of: body.readableBytes, in: context)
                context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if rest > 0 { sendZeros(in: context) }
        context.fireChannelWritabilityChanged()
    }

    private func begin(_ type: String, of size: Int, in context: ChannelHandlerContext) {
        let fields: HTTPHeaders = ["Content-Type": type, "Content-Length": "\(size)", "Cache-Control": "no-store"]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
    }

    /// Sends as many zeros as the connection takes now.
    private func sendZeros(in context: ChannelHandlerContext) {
        // A write may tell at once that the connection takes more, which the loop sees itself.
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while rest > 0, context.channel.isWritable {
            let part = Self.zeros.getSlice(at: 0, length: min(rest, Self.zeros.readableBytes)) ?? Self.zeros
            rest -= part.readableBytes
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
        }
        if rest == 0 { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
    }
}
