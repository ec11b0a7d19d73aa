public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// An answer of an in-memory transport, with its delays, its chunks and its fault.
///
/// ```swift
/// transport.enqueue(.status(503).delayed(by: .seconds(2)))
/// try transport.enqueue(.json(User(name: "Ada")))
/// transport.enqueue(.text("hello").failing(.atByte(3)))
/// ```
///
/// Delays pass on the clock of the request's environment, so a virtual clock moves them.
public struct ScriptedReply: Sendable {
    private enum Content: Sendable {
        case body(HTTPBody)
        case feed(ChunkFeed)
    }

    /// Status and header fields.
    ///
    /// `Content-Length` is added when the length of the body is known and there is no such field. A field that differs
    /// from the body stays, and whoever reads the body gets the error that a lying server causes.
    public var head: HTTPResponse
    /// The time that the head takes to arrive; no time by default.
    public var delay: Duration = .zero
    /// The time that each chunk of the body after the first takes to arrive; no time by default.
    public var chunkDelay: Duration = .zero
    /// The fault of the exchange; it does not by default.
    public var fault: Fault?
    /// Whether the request's body is read before the answer; `true` by default.
    ///
    /// A server that refuses an upload by its head alone (413, 417) does not read it.
    public var readsRequestBody = true

    private var content: Content

    /// A reply with a body of any kind.
    ///
    /// - Parameters:
    ///   - status: The status, RFC 9110 §15.
    ///   - headers: Header fields.
    ///   - body: The content.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: HTTPBody = .empty) {
        head = HTTPResponse(status: status, headerFields: headers)
        content = .body(body)
    }

    /// A reply whose body arrives in exactly these chunks; empty ones are passed over.
    ///
    /// - Parameters:
    ///   - status: The status, RFC 9110 §15.
    ///   - headers: Header fields.
    ///   - chunks: The content, in the pieces the reader gets.
    ///   - declaresLength: Whether `Content-Length` gives the sum; `true` by default.
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

    /// A reply whose body a test hands out by hand.
    ///
    /// - Parameters:
    ///   - status: The status, RFC 9110 §15.
    ///   - headers: Header fields.
    ///   - feed: The handle that hands out the body; it serves one reply.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], feed: ChunkFeed) {
        head = HTTPResponse(status: status, headerFields: headers)
        content = .feed(feed)
    }

    /// A reply that is a response made elsewhere, such as a recorded one.
    public init(_ response: Response) {
        head = response.head
        content = .body(response.body)
    }

    /// The same reply, later.
    ///
    /// - Parameters:
    ///   - delay: How long the head takes to arrive.
    ///   - chunkDelay: How long each chunk after the first takes; no time by default.
    public func delayed(by delay: Duration, betweenChunks chunkDelay: Duration = .zero) -> ScriptedReply {
        var reply = self
        reply.delay = delay
        reply.chunkDelay = chunkDelay
        return reply
    }

    /// The same reply, cut off by a fault.
    public func failing(_ fault: Fault) -> ScriptedReply {
        var reply = self
        reply.fault = fault
        return reply
    }

    /// The same reply, given without reading the request's body.
    public func withoutReadingRequestBody() -> ScriptedReply {
        var reply = self
        reply.readsRequestBody = false
        return reply
    }

    /// The response to deliver; asked for once for each exchange.
    var response: Response {
        switch content {
        case .body(let body): Response(head: head, body: body)
        case .feed(let feed): Response(head: head, body: feed.body)
        }
    }
}

extension ScriptedReply {
    /// 200 with no content.
    public static var ok: ScriptedReply { ScriptedReply(.ok) }

    /// A status with header fields and a body, empty by default.
    public static func status(
        _ status: HTTPResponse.Status,
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: body)
    }

    /// A value as JSON, with its `Content-Type`.
    ///
    /// - Throws: `EncodingError` when the value cannot be encoded.
    public static func json(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: HTTPBody(try encoder.encode(value)))
            .withContentType("application/json")
    }

    /// UTF-8 text, with its `Content-Type`.
    public static func text(
        _ text: String,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: HTTPBody(text)).withContentType("text/plain; charset=utf-8")
    }

    /// The content of a file, or of a range of it, read as the body is.
    public static func file(
        _ url: URL,
        range: Range<Int64>? = nil,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:]
    ) -> ScriptedReply {
        ScriptedReply(status, headers: headers, body: .file(url, range: range))
    }

    /// A redirect, RFC 9110 §15.4; 302 by default.
    public static func redirect(to location: String, status: HTTPResponse.Status = .found) -> ScriptedReply {
        ScriptedReply(status, headers: [.location: location])
    }

    /// No answer: the exchange fails.
    public static func failure(_ fault: Fault) -> ScriptedReply {
        ScriptedReply().failing(fault)
    }

    /// No answer: an error of yours is thrown in place of the head.
    public static func failure(_ error: any Error) -> ScriptedReply {
        ScriptedReply().failing(.at(.beforeHead, throwing: error))
    }

    private func withContentType(_ type: String) -> ScriptedReply {
        var reply = self
        if reply.head.headerFields[.contentType] == nil { reply.head.headerFields[.contentType] = type }
        return reply
    }
}

/// Hands out chunks as they were given.
private struct ChunksReader: BodyReader {
    var chunks: ArraySlice<Data>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        chunks.popFirst()
    }
}

extension ScriptedReply: CustomStringConvertible {
    /// Status, body, delays and fault on one line; no header values and no content.
    public var description: String {
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
