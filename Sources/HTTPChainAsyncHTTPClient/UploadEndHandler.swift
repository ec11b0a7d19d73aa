#if AsyncHTTPClient
import NIOCore

/// Preserves a response that is complete before the end of its upload is written.
///
/// The client closes a connection after the last response on it. Pending writes then fail, and the client (1.37) ends
/// the exchange with that failure, although it has the response. If an upload is cut off by the client's own close, its
/// end is therefore reported as written.
final class UploadEndHandler: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny

    private var isClosing = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The client only observes the write of an upload's end, and this transport the writes of its parts.
        guard let promise else { return context.write(data, promise: nil) }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { result in
            if case .failure = result, !self.isClosing { promise.completeWith(result) } else { promise.succeed() }
        }
        context.write(data, promise: written)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isClosing = true
        context.close(mode: mode, promise: promise)
    }
}
#endif
