public import Foundation
public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// A request received by an in-memory transport, with its outcome.
public struct RecordedRequest: Sendable {
    /// The client's progress in reading a response body.
    package enum ResponseBodyState: Sendable, Hashable {
        /// There is no response yet, or none at all.
        case none
        /// The body has not been read to its end yet.
        case pending
        /// The body was read to its end, or is empty.
        case complete
        /// The body failed with an error.
        case failed
        /// The client dropped the body before its end; a real transfer would have been cancelled.
        case dropped
    }

    /// The method, target and header fields as they would be sent, without `Content-Length`, which the transport sets
    /// itself.
    package let head: HTTPRequest
    /// The absolute URL.
    public let url: String
    /// The options of the request.
    package let options: RequestOptions
    /// The first bytes of the body, up to the transport's limit.
    public internal(set) var body = Data()
    /// The number of bytes received.
    package internal(set) var bodyLength: Int64 = 0
    /// The head of the response; `nil` until there is one.
    package internal(set) var response: HTTPResponse?
    /// The error of the exchange; `nil` if there is none.
    package internal(set) var error: (any Error)?
    /// The client's progress in reading the response body.
    package internal(set) var responseBody = ResponseBodyState.none
    /// The number of response body bytes that the client has read.
    package internal(set) var responseBytesRead: Int64 = 0

    /// The request method.
    public var method: HTTPRequest.Method { head.method }

    /// The header fields.
    public var headers: HTTPFields { head.headerFields }

    /// Whether ``body`` is shorter than the received body.
    package var isBodyTruncated: Bool { bodyLength > Int64(body.count) }

    /// The recorded body as UTF-8 text; bytes that are not UTF-8 become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Decodes the recorded body from JSON.
    ///
    /// - Throws: `DecodingError` if the body isn't such a value.
    public func decode<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        try decoder.decode(type, received: body)
    }
}

extension RecordedRequest: CustomStringConvertible, DescribedValue {
    /// The method, URL, response or error, and size, with secrets redacted and without content.
    package var words: String {
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
        // If the call has failed in the meantime, its response isn't delivered, so the end of that response is ignored.
        guard error == nil else { return }
        switch progress {
        case .reading(let count): responseBytesRead = count
        case .complete: responseBody = .complete
        case .failed: responseBody = .failed
        case .dropped: if responseBody == .pending { responseBody = .dropped }
        }
    }
}

/// The latest requests received, up to a limit; each has a permanent number.
struct Recordings: Sendable {
    private let limit: Int
    private var kept: [RecordedRequest] = []
    private var nextNumber = 0

    /// The number of requests since the recordings were cleared.
    private(set) var count = 0

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    var requests: [RecordedRequest] { Array(kept.suffix(limit)) }

    /// Records a request and returns its number.
    mutating func append(_ request: RecordedRequest) -> Int {
        // Old entries are removed only at twice the limit, so that they aren't removed one by one.
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
