#if AsyncHTTPClient
import NIOCore
import NIOHTTP2

/// Reports a stream above the last one of a GOAWAY as refused, because the server didn't process it (RFC 9113 §6.8).
///
/// SwiftNIO's HTTP/2 (1.46) closes such a stream with the code `CANCEL`. It reports a stream that the server reset with
/// this code in the same way, but delivers the RST_STREAM frame first. The server may have processed that stream.
final class UnprocessedStreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Whether the server or the client has reset the stream.
    private var isReset = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .rstStream = unwrapInboundIn(data) { isReset = true }
        context.fireChannelRead(data)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isReset = true
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isReset, let closed = error as? NIOHTTP2Errors.StreamClosed, closed.errorCode == .cancel else {
            return context.fireErrorCaught(error)
        }
        context.fireErrorCaught(NIOHTTP2Errors.streamClosed(streamID: closed.streamID, errorCode: .refusedStream))
    }
}
#endif
