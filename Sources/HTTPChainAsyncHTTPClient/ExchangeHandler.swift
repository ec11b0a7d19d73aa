#if AsyncHTTPClient
import HTTPChainCore
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Reports when a connection sends a request, because the client itself doesn't report that.
///
/// The client passes only the message of a request to its connections. The head therefore has an additional field with
/// the number of the exchange, and another one if it has private characters for bytes (``FieldBytes``). This handler
/// removes both, and adds the latter to the head of a response.
final class ExchangeHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private var context: ChannelHandlerContext?
    /// The upload of the request that is being sent.
    private var upload: Upload?
    /// The way to end the exchange that the connection serves; nil if it can't be ended from outside.
    private var ending: ExchangeEnding?
    /// Whether the request ended before its head was sent, so that no part of it may be sent.
    private var isAbandoned = false
    /// The handler of the connection; nil for a stream over HTTP/2.
    private let fieldBytes: FieldBytesHandler?

    init(_ fieldBytes: FieldBytesHandler? = nil) {
        self.fieldBytes = fieldBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        forgetEnding()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isAbandoned {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard let number = head.headers.first(name: ExchangeBoard.field.rawName) else {
                return write(head, context, promise)
            }
            head.headers.remove(name: ExchangeBoard.field.rawName)
            guard let exchange = ExchangeBoard.shared.take(number), exchange.mayBegin() else {
                return abandon(context, promise)
            }
            upload = exchange.upload
            ending = exchange.ending
            ending?.begin(with: self, on: context.eventLoop)
            if let target = exchange.target { head.uri = target }
            return write(head, context, promise)
        case .body(let part):
            guard let upload else { break }
            let written = promise ?? context.eventLoop.makePromise()
            let count = part.readableBytes
            written.futureResult.whenComplete { _ in upload.wrote(count) }
            return context.write(data, promise: written)
        case .end:
            upload = nil
        }
        context.write(data, promise: promise)
    }

    /// Ends an exchange with an error, unless its response is complete; also ends its connection or stream.
    func end(_ exchange: ExchangeEnding, with error: any Error) {
        guard let context, ending === exchange else { return }
        forgetEnding()
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    private func forgetEnding() {
        ending?.finish(with: self)
        ending = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .end = part { forgetEnding() }
        let name = FieldBytesHandler.field.rawName
        guard let fieldBytes, case .head(var head) = part,
            fieldBytes.hasReplaced || head.headers.contains(name: name)
        else { return context.fireChannelRead(data) }
        head.headers.remove(name: name)
        if fieldBytes.hasReplaced { head.headers.add(name: name, value: "1") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private func write(_ head: HTTPRequestHead, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        var head = head
        let isReplaced = head.headers.contains(name: FieldBytesHandler.field.rawName)
        if isReplaced { head.headers.remove(name: FieldBytesHandler.field.rawName) }
        if let fieldBytes {
            let data = wrapOutboundOut(.head(head))
            return fieldBytes.sendHead(isReplaced: isReplaced) { context.write(data, promise: promise) }
        }
        if isReplaced { head.headers = HTTPHeaders(head.headers.map { ($0.name, FieldBytes.decoded($0.value)) }) }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private func abandon(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        isAbandoned = true
        promise?.fail(ChannelError.ioOnClosedChannel)
        // Closes the connection later, because the client is currently sending.
        context.eventLoop.assumeIsolated().execute { context.close(promise: nil) }
    }
}

/// An exchange whose request is sent over a connection with an ``ExchangeHandler``.
struct ReportedExchange: Sendable {
    let timer: TransferTimer?
    let upload: Upload?
    /// The way to end the exchange while it runs; nil if nothing limits its response's body.
    let ending: ExchangeEnding?
    /// The target to send instead of the client's; nil for the client's.
    let target: String?

    /// Reports that a connection is about to send the head.
    ///
    /// - Returns: Whether the connection may send it. It may not if a limit has ended the exchange while it waited for
    ///   a connection: the exchange's error then says that nothing was sent, and the client may not have noticed yet.
    func mayBegin() -> Bool {
        timer?.connected()
        upload?.isReported()
        return timer?.failure == nil
    }
}

/// Ends an exchange from any thread while a connection serves it.
///
/// The client itself can end a transfer only by cancelling the task that reads it, so each read with a limit would need
/// a task.
final class ExchangeEnding: Sendable {
    private struct Connection: Sendable {
        let id: ObjectIdentifier
        let handler: NIOLoopBound<ExchangeHandler>
    }

    /// The connection that serves the exchange; nil before and after that.
    private let connection = Locked<Connection?>(nil)

    /// Called when a connection begins to send the head.
    func begin(with handler: ExchangeHandler, on loop: any EventLoop) {
        let current = Connection(id: ObjectIdentifier(handler), handler: NIOLoopBound(handler, eventLoop: loop))
        connection.withLock { $0 = current }
    }

    /// Called when the response is complete, or the connection has ended.
    ///
    /// By then, another connection may have sent the head again.
    func finish(with handler: ExchangeHandler) {
        let id = ObjectIdentifier(handler)
        connection.withLock { if $0?.id == id { $0 = nil } }
    }

    /// Ends the exchange; reading its response's body throws the error, or another one if the client replaces it.
    func end(with error: any Error) {
        guard let handler = connection.withLock({ $0 })?.handler else { return }
        handler.eventLoop.execute { handler.value.end(self, with: error) }
    }
}

/// The exchanges that wait for a connection.
final class ExchangeBoard: Sendable {
    /// The field of a request that passes the number of its exchange from this transport to its handlers.
    static let field = HTTPField.Name(constant: "HTTPChain-Exchange")

    static let shared = ExchangeBoard()

    private struct State: Sendable {
        var waiting: [String: ReportedExchange] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Locked(State())

    /// Adds an exchange until it is taken.
    ///
    /// - Returns: Its number.
    func add(_ exchange: ReportedExchange) -> String {
        state.withLock { state in
            state.lastNumber += 1
            let number = String(state.lastNumber)
            state.waiting[number] = exchange
            return number
        }
    }

    /// Removes an exchange and returns it, or nil if it has ended.
    @discardableResult
    func take(_ number: String) -> ReportedExchange? {
        state.withLock { $0.waiting.removeValue(forKey: number) }
    }
}
#endif
