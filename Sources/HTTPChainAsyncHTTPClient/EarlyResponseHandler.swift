#if AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Ends an HTTP/2 stream whose response is complete before the end of its upload (RFC 9113 §8.1).
///
/// The client (1.37) sends nothing more of such an upload, but leaves the stream open. A shutdown then waits for the
/// stream forever. If the status is below 300, the client has also forgotten the request, and ends the process at the
/// next event of the stream: a reset, an error, the end of the connection, a shutdown, or a change of its writability.
///
/// This handler therefore resets the stream. The client gets the end of the response last, when the stream's channel
/// removes its handlers, because no further event follows then.
///
/// Add the handler between SwiftNIO's codec and the client's handler.
final class EarlyResponseHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart

    private var hasSentEnd = false
    /// The end of a response to an unfinished upload; it is kept until the client gets it.
    private var end: HTTPClientResponsePart?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { hasSentEnd = true }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard !hasSentEnd, case .end = part else { return context.fireChannelRead(data) }
        end = part
        context.close(promise: nil)
    }

    /// Withholds the event while the end of the response is withheld, because the client would otherwise take the
    /// response for one that was cut off by the end of its connection.
    func channelReadComplete(context: ChannelHandlerContext) {
        if end == nil { context.fireChannelReadComplete() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if end == nil { context.fireErrorCaught(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if end == nil { context.fireChannelInactive() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        guard let end else { return }
        self.end = nil
        context.fireChannelRead(wrapInboundOut(end))
    }
}
#endif
