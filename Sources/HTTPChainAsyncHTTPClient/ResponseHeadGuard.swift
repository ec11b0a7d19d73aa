#if AsyncHTTPClient
import NIOCore
import NIOHPACK
import NIOHTTP1
import NIOHTTP2

/// Makes a response fail if its head would end the process in async-http-client (1.37) or in SwiftNIO's HTTP/2 (1.46).
///
/// The client waits for another head after each status below 200, and traps at the content or the end of a response
/// whose status is below 100, which SwiftNIO delivers like any other response's. Over HTTP/2, SwiftNIO traps on an
/// empty or negative `:status`. It treats any status that begins with "1" as interim, whereas the client treats 101 and
/// 1000 as final, and traps on the next head.
final class ResponseHeadGuard<Part: Sendable>: ChannelInboundHandler {
    typealias InboundIn = Part

    private let readHead: @Sendable (Part) -> ReceivedHead?
    private var interimCount = 0
    private var hasFailed = false

    /// - Parameter readHead: A closure that returns the kind of a head; nil for any other part.
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

    /// Fails the exchange.
    ///
    /// The client ends the exchange after an error, so later parts, which no longer have a request, are dropped.
    private func fail(_ context: ChannelHandlerContext, _ detail: String) {
        hasFailed = true
        context.fireErrorCaught(MalformedHeadError(detail: detail))
    }
}

/// The kind of a received head.
enum ReceivedHead: Sendable, Equatable {
    case final
    /// A head with a 1xx status, followed by another.
    case interim
    case malformed(String)

    /// The maximum number of interim responses to one request; each restarts the client's read timeout.
    static let interimLimit = 100

    /// Reads the head in an HTTP/1.1 part; there, 101 is a final status.
    init?(_ part: HTTPClientResponsePart) {
        guard case .head(let head) = part else { return nil }
        self = Self.kind(ofStatus: Int(clamping: head.status.code), isFinal: head.status == .switchingProtocols)
    }

    /// Reads the head in an HTTP/2 frame, with its original status, which must be three digits (RFC 9110 §15) and not
    /// 101 (RFC 9113 §8.6).
    init?(_ frame: HTTP2Frame.FramePayload) {
        guard case .headers(let headers) = frame,
            let text = headers.headers.first(name: ":status")
        else { return nil }
        guard text.utf8.count == 3, let status = UInt16(text), status != 101 else {
            self = .malformed("status code \"\(Substring(text.unicodeScalars.prefix(10)))\"")
            return
        }
        self = Self.kind(ofStatus: Int(status), isFinal: false)
        // RFC 9113 §8.1 forbids this. The client would wait for a head that can't follow.
        if self == .interim, headers.endStream { self = .malformed("the stream ends with an interim response") }
    }

    private static func kind(ofStatus status: Int, isFinal: Bool) -> ReceivedHead {
        guard (100...999).contains(status) else { return .malformed("status code \(status)") }
        return status < 200 && !isFinal ? .interim : .final
    }
}

/// An error for an invalid response head.
struct MalformedHeadError: DetailedError {
    let detail: String
}
#endif
