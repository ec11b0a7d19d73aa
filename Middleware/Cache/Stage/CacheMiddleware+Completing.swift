import Foundation
import HTTPChainCore
import HTTPTypes

extension CacheMiddleware {
    /// Requests the rest of a stored response and returns the whole, RFC 9111 §3.4.
    func complete(
        _ request: consuming Request,
        _ question: CacheQuestion,
        _ completion: CacheCompletion,
        variants: [CacheEntry],
        _ next: Next
    ) async throws -> Response {
        let own = request
        let beginning = try? await store.body(of: completion.entry, range: nil)
        guard let beginning, own.body.isReplayable else {
            return try await forward(own, question, .incomplete, variants: variants, next)
        }
        let time = own.environment.time
        var asking = own
        asking.head.headerFields = completion.fields
        // The response is stored as the response to the request with the range.
        let exchange = Exchange(question.asking(asking.head), of: own, variants: variants, self)
        let response = try await next(asking)
        let received = time.date
        let status = CacheStatus(
            cache: name,
            forward: .partial,
            forwardStatus: response.status.code,
            reason: .incomplete
        )
        switch response.status.code {
        case 206 where completion.isContinued(by: response.head, received):
            var rest = await take(response, exchange, status, receivedAt: received)
            let part = rest.headers
            rest.source = .stored(received: part)
            rest.head = completion.entry.response.metadata.head
            rest.headers = rules.updatedFields(rest.headers, with: part, received)
            rest.headers[.contentLength] = "\(completion.length)"
            rest.body = .joined(beginning, rest.body, length: completion.length)
            return rest
        case 206, 304, 412, 416:
            await response.body.drain(time: time)
            return try await forward(own, question, .incomplete, variants: variants, next)
        default:
            return await take(response, exchange, status, receivedAt: received)
        }
    }
}

extension CacheCompletion {
    /// Whether a partial response is the rest of the same representation.
    fileprivate func isContinued(by response: HTTPResponse, _ received: Date) -> Bool {
        guard let range = ContentRange(response.headerFields), range.range == offset..<length else { return false }
        let facts = ResponseFacts(response.headerFields, status: 206, receivedAt: received)
        return facts.isSameRepresentation(as: entry.response.facts)
    }
}

extension HTTPBody {
    /// Concatenates two bodies; the result can be read once.
    fileprivate static func joined(_ first: HTTPBody, _ second: HTTPBody, length: Int64) -> HTTPBody {
        .once(length: length) {
            JoinedReader(readers: [try await first.makeReader()], rest: second)
        }
    }
}

private struct JoinedReader: BodyReader {
    var readers: [any BodyReader]
    var rest: HTTPBody?

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        while !readers.isEmpty {
            if let chunk = try await readers[0].read() { return chunk }
            readers = []
            if let rest {
                self.rest = nil
                readers = [try await rest.makeReader()]
            }
        }
        return nil
    }
}
