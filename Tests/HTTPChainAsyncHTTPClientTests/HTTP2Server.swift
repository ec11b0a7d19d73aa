#if AllTests && AsyncHTTPClient
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import HTTPTypes
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import TestSupport

/// A server over HTTP/2 that sends heads with the statuses in the path of a request, the last of which ends the stream,
/// or the frames that the path names; GOAWAY without the request for a path "/goaway", and for a path "/goaway/3" on the
/// first three connections; RST_STREAM for "/cancel" and "/refuse"; 500 for a request with a field that should not have left its client.
struct HTTP2Server {
    private let channel: any Channel
    /// The number of connections.
    let connections: Counter
    /// The number of requests.
    let requests: Counter

    var port: Int { channel.localAddress?.port ?? 0 }

    /// Starts a server, and makes a transport that trusts it.
    static func start() async throws -> (server: HTTP2Server, transport: AsyncHTTPClientTransport) {
        let fixture = try await TLSFixture()
        var settings = ConnectionSettings()
        settings.trust = try .roots(pem: fixture.authority)
        return (try await start(fixture), try AsyncHTTPClientTransport(connection: settings))
    }

    static func start(_ fixture: TLSFixture) async throws -> HTTP2Server {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(try fixture.directory.content(of: "server.pem")))
                .map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(try fixture.directory.content(of: "server.key")), format: .pem)
            )
        )
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let (connections, requests) = (Counter(), Counter())
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let number = connections.add()
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    // Its own checks would keep it from sending what is not valid.
                    try pipeline.addHandler(
                        NIOHTTP2Handler(
                            mode: .server,
                            headerBlockValidation: .disabled,
                            contentLengthValidation: .disabled
                        )
                    )
                    try pipeline.addHandler(
                        HTTP2StreamMultiplexer(
                            mode: .server,
                            channel: channel,
                            inboundStreamInitializer: { stream in
                                stream.eventLoop.makeCompletedFuture {
                                    try stream.pipeline.syncOperations.addHandler(
                                        StatusesInPath(connection: number, requests: requests)
                                    )
                                }
                            }
                        )
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0)
            .get()
        return HTTP2Server(channel: channel, connections: connections, requests: requests)
    }

    func stop() async throws { try await channel.close() }
}

private final class StatusesInPath: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// The number of the connection, from 1.
    private let connection: Int
    private let requests: Counter
    /// Whether the response waits for the end of the request.
    private var isWaiting = false

    init(connection: Int, requests: Counter) {
        self.connection = connection
        self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let request):
            guard let path = request.headers.first(name: ":path") else { return }
            receive(request, for: path, context)
        case .data(let data) where data.endStream && isWaiting: send(["200"], context)
        default: break
        }
    }

    private func receive(
        _ request: HTTP2Frame.FramePayload.Headers,
        for path: String,
        _ context: ChannelHandlerContext
    ) {
        requests.add()
        if path.hasPrefix("/goaway"), connection <= Int(path.dropFirst("/goaway/".count)) ?? .max {
            let frame = HTTP2Frame.FramePayload.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
            context.channel.parent?.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: frame), promise: nil)
            return
        }
        switch path {
        case "/fields":
            return echoFields(of: request.headers, context)
        case "/cancel":
            return context.writeAndFlush(wrapOutboundOut(.rstStream(.cancel)), promise: nil)
        case "/refuse":
            return context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
        default: break
        }
        var statuses = path.split(separator: "/").map { $0 == "empty" ? "" : String($0) }
        if statuses.first == "goaway" {
            statuses = ["200"]
            isWaiting = !request.endStream
            if isWaiting { return }
        }
        if statuses.count == 2, statuses[0] == "raw" { return write(Self.bytes(statuses[1]), context) }
        if statuses.count == 2, statuses[0] == "fields", let count = Int(statuses[1]) {
            return write(Self.head(withFields: count), context)
        }
        let reserved = ["HTTPChain-Exchange", "HTTPChain-Field-Bytes"]
        if reserved.contains(where: { request.headers.contains(name: $0) }) { statuses = ["500"] }
        send(statuses, context)
    }

    private func send(_ statuses: [String], _ context: ChannelHandlerContext) {
        for (index, status) in statuses.enumerated() {
            let head = HTTP2Frame.FramePayload.Headers(
                headers: HPACKHeaders([(":status", status)]),
                endStream: index == statuses.count - 1
            )
            context.write(wrapOutboundOut(.headers(head)), promise: nil)
        }
        context.flush()
    }

    /// Sends the values of three fields in a response, with the private character U+EF80 in one of its fields.
    private func echoFields(of request: HPACKHeaders, _ context: ChannelHandlerContext) {
        let head = HPACKHeaders([(":status", "200"), ("x-p", "\u{EF80}")])
        context.write(wrapOutboundOut(.headers(.init(headers: head))), promise: nil)
        let values = ["x-l", "x-p", "cookie"].flatMap { request[$0] }.joined(separator: ",")
        let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: values)), endStream: true)
        context.writeAndFlush(wrapOutboundOut(.data(data)), promise: nil)
    }

    /// Writes bytes to the connection, whatever its protocol says.
    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        let connection = try? context.channel.parent?.pipeline.syncOperations.context(handlerType: NIOHTTP2Handler.self)
        connection?.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
    }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        var rest = Substring(hexadecimal)
        var bytes: [UInt8] = []
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// The frames of a response with status 200 on the first stream, with a number of fields of 133 bytes each, as
    /// RFC 9113 §6.5.2 counts them.
    private static func head(withFields count: Int) -> [UInt8] {
        let field = [0, 1, UInt8(ascii: "x"), 100] + Array(repeating: UInt8(ascii: "y"), count: 100)
        var rest = ([0x88] + Array(repeating: field, count: count).joined())[...]
        var frames: [UInt8] = []
        while !rest.isEmpty {
            let part = rest.prefix(16_384)
            rest = rest.dropFirst(part.count)
            let type: UInt8 = frames.isEmpty ? 1 : 9
            let flags: UInt8 = (frames.isEmpty ? 1 : 0) | (rest.isEmpty ? 4 : 0)
            frames += [0, UInt8(part.count >> 8), UInt8(part.count & 0xFF), type, flags, 0, 0, 0, 1] + part
        }
        return frames
    }
}
#endif
