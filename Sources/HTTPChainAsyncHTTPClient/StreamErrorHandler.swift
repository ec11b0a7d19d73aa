#if AsyncHTTPClient
import NIOCore
import NIOHTTP2

/// Reports why an HTTP/2 stream has ended.
///
/// A stream above the last one of a GOAWAY is reported as unprocessed (RFC 9113 §6.8). SwiftNIO's HTTP/2 (1.46) closes
/// such a stream with the code `CANCEL`. It does the same for a stream that the server reset with this code, but
/// delivers the RST_STREAM frame first. The server may have processed that stream.
///
/// A stream that SwiftNIO itself resets, because its response is malformed (RFC 9113 §8.1.1), is reported with the cause.
/// SwiftNIO only says that the stream is closed, and then reports the cause to the connection.
///
/// If the connection has an error, its streams are reported with that error; see ``ConnectionErrorHandler``.
final class StreamErrorHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload

    /// Whether the server or the client has reset the stream.
    private var isReset = false
    /// Whether the end of the stream has not been reported yet, because its cause is awaited.
    private var isEnding = false
    /// The cause for which SwiftNIO has reset the stream; nil if it is unknown.
    var cause: (any Error)?
    private var context: ChannelHandlerContext?
    private var connection: ConnectionErrorHandler?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection = try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionErrorHandler.self)
        connection?.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        connection?.remove(self)
        connection = nil
        self.context = nil
    }

    /// Ends the stream with the error of its connection.
    func fail(_ error: BrokenConnectionError) {
        context?.fireErrorCaught(error)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .rstStream = unwrapInboundIn(data) { isReset = true }
        context.fireChannelRead(data)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isReset = true
        context.close(mode: mode, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isReset, let closed = error as? NIOHTTP2Errors.StreamClosed, connection?.isBroken != true else {
            return context.fireErrorCaught(error)
        }
        guard closed.errorCode != .cancel else {
            return context.fireErrorCaught(UnprocessedStreamError())
        }
        isEnding = true
        connection?.expectError(of: self)
        // Runs before the channel removes its handlers, which it also does later.
        context.eventLoop.assumeIsolated().execute {
            self.connection?.expectNoError(of: self)
            context.fireErrorCaught(MalformedStreamError(cause: self.cause ?? closed))
            context.fireChannelInactive()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isEnding { context.fireChannelInactive() }
    }
}

/// An error for a stream above the last one of a GOAWAY, which the server didn't process (RFC 9113 §6.8).
struct UnprocessedStreamError: DetailedError {
    var detail: String { "the server was closing the connection (GOAWAY), and didn't process the request" }
}

/// An error for a malformed HTTP/2 response (RFC 9113 §8.1.1).
struct MalformedStreamError: DetailedError {
    let cause: any Error

    /// Whether the content doesn't have its declared length.
    var isOfLength: Bool { cause is NIOHTTP2Errors.ContentLengthViolated }

    var detail: String {
        "the response is malformed: "
            + (isOfLength ? "its content doesn't have the length in Content-Length" : "\(cause)")
    }
}
#endif
