#if AsyncHTTPClient
import NIOCore
package import NIOHTTP2

/// Closes an HTTP/2 connection after a connection error (RFC 9113 §5.4.1), and ends its streams.
///
/// SwiftNIO's HTTP/2 (1.46) sends GOAWAY and reports the error, but async-http-client (1.37) ignores it. The streams
/// would then wait forever, and later requests would use the same connection, from which nothing more is read.
///
/// Add the handler after SwiftNIO's HTTP/2 and before the client's handlers.
final class ConnectionErrorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The maximum size of a list of fields; it is the same as SwiftNIO's limit for a head over HTTP/1.1.
    static let headerListSize = 80 * 1024

    private let goAway: GoAwayWatch
    private var hasFailed = false
    private var streams: [ObjectIdentifier: StreamErrorHandler] = [:]
    /// The stream that SwiftNIO has ended because of an error that it is about to report.
    private var ending: StreamErrorHandler?

    init(_ goAway: GoAwayWatch) {
        self.goAway = goAway
    }

    /// Whether the connection has had an error, and is therefore about to close.
    var isBroken: Bool { goAway.errorCode != nil }

    /// Adds a stream, which ends if the connection has an error.
    func add(_ stream: StreamErrorHandler) {
        streams[ObjectIdentifier(stream)] = stream
    }

    func remove(_ stream: StreamErrorHandler) {
        streams[ObjectIdentifier(stream)] = nil
        expectNoError(of: stream)
    }

    /// Passes the next error to a stream.
    func expectError(of stream: StreamErrorHandler) {
        ending = stream
    }

    func expectNoError(of stream: StreamErrorHandler) {
        if ending === stream { ending = nil }
    }

    /// Raises SwiftNIO's limit of 16 KiB for a list of fields.
    ///
    /// The new limit applies when the server has acknowledged it.
    func handlerAdded(context: ChannelHandlerContext) {
        let limit = HTTP2Setting(parameter: .maxHeaderListSize, value: Self.headerListSize)
        let frame = HTTP2Frame(streamID: .rootStream, payload: .settings(.settings([limit])))
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let code = goAway.errorCode, !hasFailed else {
            ending?.cause = error
            ending = nil
            return context.fireErrorCaught(error)
        }
        hasFailed = true
        // Simulates a GOAWAY from the server, after which the client doesn't use the connection anymore, because
        // closing may wait for the server.
        let frame = HTTP2Frame.FramePayload.goAway(lastStreamID: .maxID, errorCode: code, opaqueData: nil)
        context.fireChannelRead(wrapInboundOut(HTTP2Frame(streamID: .rootStream, payload: frame)))
        for stream in streams.values { stream.fail(BrokenConnectionError(cause: error, code: code)) }
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}

/// Detects the GOAWAY frame that SwiftNIO's HTTP/2 sends after a connection error.
///
/// This frame is the only way to distinguish a connection error from the error of a single stream, for which SwiftNIO
/// sends RST_STREAM. Add the handler before SwiftNIO's HTTP/2, which never divides the header of a frame when writing.
final class GoAwayWatch: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    /// The code of a GOAWAY frame that was sent, unless it is `NO_ERROR`.
    private(set) var errorCode: HTTP2ErrorCode?
    /// The number of bytes until the next frame.
    private var rest = 0

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        follow(unwrapOutboundIn(data))
        context.write(data, promise: promise)
    }

    private func follow(_ data: IOData) {
        guard case .byteBuffer(var bytes) = data else {
            rest = max(0, rest - data.readableBytes)
            return
        }
        while bytes.readableBytes > 0 {
            let skipped = min(rest, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: skipped)
            rest -= skipped
            // The header of a frame, RFC 9113 §4.1.
            guard rest == 0,
                let (high, low, type, _, _) = bytes.readMultipleIntegers(
                    as: (UInt16, UInt8, UInt8, UInt8, UInt32).self
                )
            else { return }
            rest = Int(high) << 8 | Int(low)
            // RFC 9113 §6.8: the last stream and the code.
            if type == 7, let code = bytes.getInteger(at: bytes.readerIndex + 4, as: UInt32.self), code != 0 {
                errorCode = HTTP2ErrorCode(networkCode: Int(clamping: code))
            }
        }
    }
}

/// An error of an HTTP/2 connection, which ends all of its streams.
package struct BrokenConnectionError: DetailedError {
    let cause: any Error
    let code: HTTP2ErrorCode

    package init(cause: any Error, code: HTTP2ErrorCode) {
        self.cause = cause
        self.code = code
    }

    /// Whether the error is that valid frames came more often than SwiftNIO's HTTP/2 allows.
    ///
    /// A busy server that resets 200 streams within half a minute is enough for that (1.46).
    var isOfRate: Bool { cause is NIOHTTP2Errors.ExcessiveRSTFrames || cause is NIOHTTP2Errors.ExcessiveControlFrames }

    package var detail: String {
        if isOfRate { return "the client closed the connection because the server sent too many frames: \(cause)" }
        let limit = "\(ConnectionErrorHandler.headerListSize / 1024) KiB"
        let reason =
            switch cause {
            // SwiftNIO doesn't distinguish these two causes.
            case is NIOHTTP2Errors.UnableToParseFrame where code == .compressionError:
                "the fields of a response are larger than \(limit), or not valid HPACK"
            case is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock, is NIOHTTP2Errors.ExcessiveContinuationFrames:
                "the fields of a response are larger than \(limit)"
            case is NIOHTTP2Errors.UnableToParseFrame: "a frame is not valid (\(code))"
            default: "\(cause)"
            }
        return "the connection was closed because the server broke HTTP/2: \(reason)"
    }
}
#endif
