#if AsyncHTTPClient
import NIOCore

/// Keeps an answer that is whole before the last of its upload is written.
///
/// The client closes a connection after the last answer on it. That fails what is still to be written, and the client
/// (1.37) ends the exchange with this failure although it holds the answer. An end of an upload that the client's own
/// close cuts off is therefore reported as written.
final class UploadEndHandler: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny

    private var isClosing = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Of all that it writes the client watches the end of an upload alone.
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
