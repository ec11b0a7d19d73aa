public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A response of an in-memory transport, with its delays, its chunks and its fault.
///
/// ```swift
/// transport.enqueue(.status(503).delayed(by: .seconds(2)))
/// try transport.enqueue(.json(User(name: "Ada")))
/// transport.enqueue(.text("hello").failing(.atByte(3)))
/// ```
///
/// Delays use the clock of the request's environment, such as a virtual clock.
public struct ScriptedReply: CustomStringConvertible, DescribedValue, Sendable {
    private enum Content: Sendable {
        case body(HTTPBody)
        case feed(ChunkFeed)
    }

    /// The status and header fields.
    ///
    /// `Content-Length` is added if the length of the body is known and the field is absent. A field that contradicts
    /// the body is kept. Reading the body then fails, as with a faulty server.
    package var head: HTTPResponse
    /// The delay of the head; zero by default.
    package var delay: Duration = .zero
    /// The delay of each chunk of the body after the first; zero by default.
    package var chunkDelay: Duration = .zero
    /// The fault of the exchange; none by default.
    package var fault: Fault?
    /// Whether the request's body is read before the response is sent; `true` by default.
    ///
    /// A server that rejects an upload because of its head (413, 417) doesn't read the body.
    package var readsRequestBody = true

    private var content: Content

    /// Creates a reply with a body of any kind.
    ///
    /// - Parameters:
    ///   - status: The status, RFC 9110 §15.
    ///   - headers: The header fields.
    ///   - body: The content.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: HTTPBody = .empty) {
        head = HTTPResponse(status: status, headerFields: headers)
        content = .body(body)
    }

    /// Creates a reply whose body arrives in exactly these chunks, except empty ones.
    ///
    /// - Parameters:
    ///   - status: The status, RFC 9110 §15.
    ///   - headers: The header fields.
    ///   - chunks: The content, in chunks as the reader receives them.
    ///   - declaresLength: Whether `Content-Length` gives the total length; `true` by default.
    public init(
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        chunks: [Data],
        declaresLength: Bool = true
    ) {
        let chunks = chunks.filter { !$0.isEmpty }
        let length = chunks.reduce(Int64(0)) { $0 + Int64($1.count) }
        let body = HTTPBody.replayable(length: declaresLength ? length : nil) { ChunksReader(chunks: chunks[...]) }
        self.init(status, headers: headers, body: body)
    }

    /// Creates a reply whose body a test feeds by hand.
    ///
    /// - Parameters:
    ///   - status: The status, RFC 9110 §15.
    ///   - headers: The header fields.
    ///   - feed: The feed for the body. It serves a single reply.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], feed: ChunkFeed) {
        head = HTTPResponse(status: status, headerFields: headers)
        content = .feed(feed)
    }

    /// Returns the reply with delays.
    ///
    /// - Parameters:
    ///   - delay: The delay of the head.
    ///   - chunkDelay: The delay of each chunk after the first; zero by default.
    public func delayed(by delay: Duration, betweenChunks chunkDelay: Duration = .zero) -> ScriptedReply {
        var reply = self
        reply.delay = delay
        reply.chunkDelay = chunkDelay
        return reply
    }

    /// Returns the reply with a fault.
    public func failing(_ fault: Fault) -> ScriptedReply {
        var reply = self
        reply.fault = fault
        return reply
    }

    /// Returns the reply, changed to be sent without reading the request's body.
    package func withoutReadingRequestBody() -> ScriptedReply {
        var reply = self
        reply.readsRequestBody = false
        return reply
    }

    /// The response to deliver; it is read once for each exchange.
    var response: Response {
        switch content {
        case .body(let body): Response(head: head, body: body)
        case .feed(let feed): Response(head: head, body: feed.body)
        }
    }
}

extension ScriptedReply {
    /// A 200 response without content.
    public static var ok: ScriptedReply { ScriptedReply(.ok) }

    /// Returns a reply with a status, header fields and a body, which is empty by default.
    public static func status(
        _ status: HTTPResponse.Status,
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: body)
    }

    /// Returns a value as JSON, with its `Content-Type`.
    ///
    /// - Throws: `EncodingError` if the value can't be encoded.
    public static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: HTTPBody(try encoder.encode(value)))
            .withContentType("application/json")
    }

    /// Returns UTF-8 text, with its `Content-Type`.
    public static func text(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: HTTPBody(text)).withContentType("text/plain; charset=utf-8")
    }

    /// Returns the content of a file, or of a range of it, which is read when the body is read.
    package static func file(
        _ url: URL,
        range: Range<Int64>? = nil,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: .file(url, range: range))
    }

    /// Returns a redirect, RFC 9110 §15.4; 302 by default.
    package static func redirect(to location: String, status: HTTPResponse.Status = .found) -> ScriptedReply {
        ScriptedReply(status, headers: [.location: location])
    }

    /// Returns a reply that fails the exchange.
    public static func failure(_ fault: Fault) -> ScriptedReply {
        ScriptedReply().failing(fault)
    }

    /// Returns a reply that throws a custom error instead of the head.
    public static func failure(_ error: any Error) -> ScriptedReply {
        ScriptedReply().failing(.at(.beforeHead, throwing: error))
    }

    private func withContentType(_ type: String) -> ScriptedReply {
        var reply = self
        if reply.head.headerFields[.contentType] == nil { reply.head.headerFields[.contentType] = type }
        return reply
    }
}

/// Returns chunks unchanged.
private struct ChunksReader: BodyReader {
    var chunks: ArraySlice<Data>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        chunks.popFirst()
    }
}

extension ScriptedReply {
    /// The status, body, delay and fault on one line, without header values and content.
    package var words: String {
        var text: String
        switch content {
        case .body(let body): text = "\(head.status)" + (body.isEmpty ? "" : ", \(body)")
        case .feed: text = "\(head.status), fed by hand"
        }
        if delay > .zero { text += ", after \(delay)" }
        if let fault { text += ", fails \(fault.point)" }
        return text
    }
}
