#if AsyncHTTPClient
import NIOCore
package import NIOHTTP2

/// Closes a connection over HTTP/2 after an error of the connection (RFC 9113 §5.4.1), and ends its streams.
///
/// SwiftNIO's HTTP/2 (1.46) sends GOAWAY and reports the error, which async-http-client (1.37) ignores. The streams
/// would wait forever, and later requests would get the same connection, from which nothing more is read.
///
/// The handler belongs after SwiftNIO's HTTP/2 and before the client's handlers.
final class ConnectionErrorHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The maximum size of a list of fields, which is SwiftNIO's limit for a head over HTTP/1.1.
    static let headerListSize = 80 * 1024

    private let goAway: GoAwayWatch
    private var hasFailed = false
    private var streams: [ObjectIdentifier: StreamErrorHandler] = [:]
    /// The stream that SwiftNIO has ended because of an error that it is about to report.
    private var ending: StreamErrorHandler?

    init(_ goAway: GoAwayWatch) {
        self.goAway = goAway
    }

    /// Whether the connection has had an error, so that it is about to close.
    var isBroken: Bool { goAway.errorCode != nil }

    /// Adds a stream, which ends if the connection breaks.
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

    /// Raises SwiftNIO's limit of 16 KiB for a list of fields; the new limit applies once the server has acknowledged
    /// it.
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
        // The client uses a connection no more after a GOAWAY of the server, and closing may wait for the server.
        let frame = HTTP2Frame.FramePayload.goAway(lastStreamID: .maxID, errorCode: code, opaqueData: nil)
        context.fireChannelRead(wrapInboundOut(HTTP2Frame(streamID: .rootStream, payload: frame)))
        for stream in streams.values { stream.fail(BrokenConnectionError(cause: error, code: code)) }
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }
}

/// Finds the GOAWAY frame that SwiftNIO's HTTP/2 sends for an error of the connection.
///
/// Only this frame distinguishes such an error from the error of a single stream, for which SwiftNIO sends RST_STREAM.
/// The handler belongs before SwiftNIO's HTTP/2, which writes frames whose headers aren't divided.
final class GoAwayWatch: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    /// The code of a GOAWAY frame that was sent, unless it is `NO_ERROR`.
    private(set) var errorCode: HTTP2ErrorCode?
    /// The number of bytes up to the next frame.
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
            // The header of a frame (RFC 9113 §4.1).
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

/// An error of a connection over HTTP/2, which ends all of its streams.
package struct BrokenConnectionError: DetailedError {
    let cause: any Error
    let code: HTTP2ErrorCode

    package init(cause: any Error, code: HTTP2ErrorCode) {
        self.cause = cause
        self.code = code
    }

    /// Whether valid frames came more often than SwiftNIO's HTTP/2 allows.
    ///
    /// A busy server that resets 200 streams within half a minute is enough (1.46).
    var isOfRate: Bool { cause is NIOHTTP2Errors.ExcessiveRSTFrames || cause is NIOHTTP2Errors.ExcessiveControlFrames }

    package var detail: String {
        if isOfRate { return "the client closed the connection because the server sent too many frames: \(cause)" }
        let limit = "\(ConnectionErrorHandler.headerListSize / 1024) KiB"
        let reason =
            switch cause {
            // SwiftNIO doesn't distinguish the two.
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
