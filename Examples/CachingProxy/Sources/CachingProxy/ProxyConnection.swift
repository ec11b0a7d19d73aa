import AsyncAlgorithms
import Foundation
import HTTPChainCore
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A client's connection, which serves one request after the other.
struct ProxyConnection: ServerChildChannel {
    typealias Client = NIOAsyncChannel<HTTPServerRequestPart, ByteBuffer>
    typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
    typealias Writer = NIOAsyncChannelOutboundWriter<ByteBuffer>

    struct Value: ServerChildChannelValue {
        let client: Client
        var channel: any Channel { client.channel }
    }

    /// The error if a response can't be completed.
    ///
    /// Throwing it closes the connection, so that the client notices.
    struct Broken: Error {}

    let gateway: Gateway

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
            )
            try channel.pipeline.syncOperations.addHandler(QuiescingHandler())
            let configuration = Client.Configuration(isOutboundHalfClosureEnabled: true)
            return Value(client: try Client(wrappingChannelSynchronously: channel, configuration: configuration))
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            try await value.client.executeThenClose { inbound, outbound in
                var parts = inbound.makeAsyncIterator()
                do {
                    while case .head(let head) = try await parts.next() {
                        guard try await serve(head, &parts, outbound) else { return }
                    }
                } catch is HTTPParserError {
                    try await refuse(.badRequest, outbound)
                }
            }
        } catch {
            logger.debug("connection ended: \(error)")
        }
    }

    /// Serves one request.
    ///
    /// - Returns: Whether the connection can serve another request.
    /// - Throws: Any error that breaks the exchange, in either direction.
    private func serve(_ head: HTTPRequestHead, _ parts: inout Parts, _ writer: Writer) async throws -> Bool {
        guard Gateway.hasContent(head) else {
            _ = try await parts.next()
            guard let request = gateway.request(head, content: nil) else {
                return try await refuse(.badRequest, writer)
            }
            return try await answer(request, head, writer)
        }
        let content = Gateway.Content()
        guard let request = gateway.request(head, content: content) else {
            return try await refuse(.badRequest, writer)
        }
        if HopByHop.listed(head.headers["Expect"]).contains("100-continue") {
            try await writer.write(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"))
        }
        async let isPersistent = answering(request, head, writer, content)
        do {
            while case .body(let bytes) = try await parts.next() { await content.send(Data(bytes.readableBytesView)) }
            content.finish()
        } catch {
            content.fail(error)
            throw error
        }
        return try await isPersistent
    }

    /// Responds, and then finishes the content's channel, so that unread content is discarded.
    private func answering(
        _ request: HTTPChainCore.Request,
        _ head: HTTPRequestHead,
        _ writer: Writer,
        _ content: Gateway.Content
    ) async throws -> Bool {
        defer { content.finish() }
        return try await answer(request, head, writer)
    }

    private func answer(_ request: HTTPChainCore.Request, _ head: HTTPRequestHead, _ writer: Writer) async throws
        -> Bool
    {
        let response: HTTPChainCore.Response
        do {
            response = try await gateway.chain.send(request)
        } catch is TransportError {
            return try await refuse(.badGateway, writer)
        } catch is InvalidRequestError {
            return try await refuse(.badRequest, writer)
        }
        let encoding = ResponseEncoding(response.head, answering: head)
        try await writer.write(encoding.head())
        if encoding.framing == .none { return encoding.isPersistent }
        var count: Int64 = 0
        // If there is a length, the last chunk is sent only when the body has ended. By then, the cache has stored the
        // response, so that the client's next request finds it.
        var last: Data?
        for try await chunk in response.body {
            count += Int64(chunk.count)
            if case .length(count) = encoding.framing {
                last = chunk
            } else {
                try await writer.write(encoding.content(chunk))
            }
        }
        if let last { try await writer.write(encoding.content(last)) }
        if case .length(let length) = encoding.framing, count != length { throw Broken() }
        if let end = encoding.end { try await writer.write(end) }
        return encoding.isPersistent
    }

    /// Responds without forwarding the request, and closes the connection.
    @discardableResult
    private func refuse(_ status: HTTPResponse.Status, _ writer: Writer) async throws -> Bool {
        let line = "HTTP/1.1 \(status.code) \(status.reasonPhrase)"
        let text = "\(line)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        try await writer.write(ByteBuffer(string: text))
        return false
    }
}

/// Closes a connection when the server shuts down, after the request in flight.
private final class QuiescingHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event is ChannelShouldQuiesceEvent ? ChannelEvent.inputClosed : event)
    }
}
