public import Foundation
public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// A request that an in-memory transport received, and what became of it.
public struct RecordedRequest: Sendable {
    /// The progress of a client that reads the body of a response.
    public enum ResponseBodyState: Sendable, Hashable {
        /// There is no response, or not yet.
        case none
        /// There is a body that is not read to its end.
        case pending
        /// The body was read to its end, or there is none to read.
        case complete
        /// The body broke off with an error.
        case failed
        /// The client dropped the body before its end: a real transfer would have been cancelled.
        case dropped
    }

    /// Method, target and header fields as they would go over the wire; `Content-Length` is the transport's own.
    public let head: HTTPRequest
    /// The absolute URL.
    public let url: String
    /// The options the request came with.
    public let options: RequestOptions
    /// The first bytes of the body, up to the transport's limit.
    public internal(set) var body = Data()
    /// The number of bytes that were received.
    public internal(set) var bodyLength: Int64 = 0
    /// The head of the response; `nil` until there is one.
    public internal(set) var response: HTTPResponse?
    /// Why there is no response.
    public internal(set) var error: (any Error)?
    /// The progress of the client in the response's body.
    public internal(set) var responseBody = ResponseBodyState.none
    /// The number of bytes of the response's body that the client took.
    public internal(set) var responseBytesRead: Int64 = 0

    init(head: HTTPRequest, url: String, options: RequestOptions) {
        self.head = head
        self.url = url
        self.options = options
    }

    /// The request method.
    public var method: HTTPRequest.Method { head.method }

    /// The header fields.
    public var headers: HTTPFields { head.headerFields }

    /// Whether ``body`` holds less than was received.
    public var isBodyTruncated: Bool { bodyLength > Int64(body.count) }

    /// The recorded body as UTF-8 text; bytes that are not UTF-8 become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The recorded body as a value, decoded from JSON.
    ///
    /// - Throws: `DecodingError` when the body is not such a value.
    public func decode<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        try decoder.decode(type, received: body)
    }
}

extension RecordedRequest: CustomStringConvertible {
    /// Method, URL, answer or error, and size, with secrets redacted and no content.
    public var description: String {
        let redaction = Request(head: head, options: options).redaction
        var text = "\(ExchangeSnapshot(head, response: response, redaction: redaction))"
        if bodyLength > 0 { text += " (sent \(ByteCount(bodyLength)))" }
        if let error { text += " → \(error)" }
        return text
    }
}

extension RecordedRequest {
    mutating func append(_ chunk: Data, upTo limit: ByteCount) {
        bodyLength += Int64(chunk.count)
        body.append(chunk.prefix(Int(clamping: limit.bytes - Int64(body.count))))
    }

    mutating func note(_ progress: DeliveryProgress) {
        // The response of a call that failed after all reaches nobody, and its end says nothing.
        guard error == nil else { return }
        switch progress {
        case .reading(let count): responseBytesRead = count
        case .complete: responseBody = .complete
        case .failed: responseBody = .failed
        case .dropped: responseBody = .dropped
        }
    }
}

/// The requests received: the latest, up to a limit, each under a number that stays.
struct Recordings: Sendable {
    private let limit: Int
    private var kept: [RecordedRequest] = []
    private var nextNumber = 0

    /// How many came since the recordings were cleared.
    private(set) var count = 0

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    var requests: [RecordedRequest] { Array(kept.suffix(limit)) }

    /// Records a request and returns its number.
    mutating func append(_ request: RecordedRequest) -> Int {
        // Twice the limit before the old ones go, so that they do not go one by one.
        if kept.count / 2 >= limit { kept.removeFirst(kept.count - limit) }
        kept.append(request)
        count += 1
        nextNumber += 1
        return nextNumber - 1
    }

    mutating func update(_ number: Int, _ change: (inout RecordedRequest) -> Void) {
        let index = kept.count - (nextNumber - number)
        if kept.indices.contains(index) { change(&kept[index]) }
    }

    mutating func removeAll() {
        kept = []
        count = 0
    }
}
