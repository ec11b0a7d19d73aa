#if AsyncHTTPClient
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Fails a response whose head would end the process in async-http-client (1.37) or in SwiftNIO's HTTP/2 (1.46).
///
/// The client waits for another head after each status below 200, and traps on the content or the end of a response
/// whose status is below 100, which SwiftNIO delivers like that of any other. Over HTTP/2 SwiftNIO traps on a `:status`
/// that is empty or negative, and takes each one that begins with "1" for an interim one, of which the client takes 101
/// and 1000 for a final one, and traps on the next head.
final class ResponseHeadGuard<Part: Sendable>: ChannelInboundHandler {
    typealias InboundIn = Part
    typealias InboundOut = Part

    private let readHead: @Sendable (Part) -> ReceivedHead?
    private var interimCount = 0
    private var hasFailed = false

    /// - Parameter readHead: Returns the kind of a part that is a head, and nil for any other part.
    init(_ readHead: @escaping @Sendable (Part) -> ReceivedHead?) {
        self.readHead = readHead
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasFailed else { return }
        switch readHead(unwrapInboundIn(data)) {
        case nil: break
        case .final: interimCount = 0
        case .interim:
            interimCount += 1
            guard interimCount <= ReceivedHead.interimLimit else {
                return fail(context, "more than \(ReceivedHead.interimLimit) interim responses")
            }
        case .malformed(let detail): return fail(context, detail)
        }
        context.fireChannelRead(data)
    }

    /// The client ends the exchange at an error; parts that come after it would find no request.
    private func fail(_ context: ChannelHandlerContext, _ detail: String) {
        hasFailed = true
        context.fireErrorCaught(MalformedHeadError(detail: detail))
    }
}

/// The kind of a head that a server sent.
enum ReceivedHead: Sendable, Equatable {
    case final
    /// A head of status 1xx, after which another one follows.
    case interim
    case malformed(String)

    /// The largest number of interim responses to one request; each of them restarts the client's read timeout.
    static let interimLimit = 100

    /// The head in a part over HTTP/1.1; 101 is a final status there.
    init?(_ part: HTTPClientResponsePart) {
        guard case .head(let head) = part else { return nil }
        self = Self.kind(ofStatus: Int(clamping: head.status.code), isFinal: head.status == .switchingProtocols)
    }

    /// The head in a frame over HTTP/2, as the frame has it: three digits (RFC 9110 §15), and not 101 (RFC 9113 §8.6).
    init?(_ frame: HTTP2Frame.FramePayload) {
        guard case .headers(let headers) = frame,
            let text = headers.headers.first(name: ":status")
        else { return nil }
        guard text.utf8.count == 3, let status = UInt16(text), status != 101 else {
            self = .malformed("status code \"\(text.prefix(10))\"")
            return
        }
        self = Self.kind(ofStatus: Int(status), isFinal: false)
        // RFC 9113 §8.1: the client would wait for a head that cannot follow.
        if self == .interim, headers.endStream { self = .malformed("the stream ends with an interim response") }
    }

    private static func kind(ofStatus status: Int, isFinal: Bool) -> ReceivedHead {
        guard (100...999).contains(status) else { return .malformed("status code \(status)") }
        return status < 200 && !isFinal ? .interim : .final
    }
}

/// The server sent a head that cannot be used.
struct MalformedHeadError: Error {
    let detail: String
}
#endif
