import Foundation
import HTTPChainCore
import HTTPTypes

extension CacheMiddleware {
    /// Requests the rest of a stored response and returns the complete response, RFC 9111 §3.4.
    func complete(
        _ request: consuming Request,
        _ question: CacheQuestion,
        _ completion: CacheCompletion,
        variants: [CacheEntry],
        _ next: Next
    ) async throws -> Response {
        let own = request
        let beginning = try? await contents.store.body(of: completion.entry, range: nil)
        guard let beginning, own.body.isReplayable else {
            return try await forward(own, question, .incomplete, variants: variants, next)
        }
        let time = own.environment.time
        var asking = own
        asking.head.headerFields = completion.fields
        // The response is stored as the response to the request that has the range.
        let exchange = exchange(question.asking(asking.head), of: own, variants: variants)
        let response = try await next(asking)
        let received = time.date
        let status = reports.status(.incomplete, answered: response.status.code)
        switch response.status.code {
        case 206:
            // The rest may belong to another user, even if it has the same validator.
            guard await exchange.isStillOwned, let repeated = completion.repeatedCount(in: response.head, received)
            else {
                return try await forward(own, question, .incomplete, variants: variants, next, discarding: response)
            }
            var rest = await take(response, exchange, status, receivedAt: received)
            let part = rest.headers
            rest.source = .stored(received: rest.head)
            rest.head = completion.entry.response.metadata.head
            rest.headers = rules.updatedFields(rest.headers, with: part, received)
            rest.headers[.contentLength] = "\(completion.length)"
            rest.headers.removeContentDigests()
            rest.body = .joined(beginning, rest.body, skipping: repeated, length: completion.length)
            return rest
        case 304, 412, 416:
            return try await forward(own, question, .incomplete, variants: variants, next, discarding: response)
        default:
            return await take(response, exchange, status, receivedAt: received)
        }
    }

    /// Sends the request without the cache's conditions, after a response to them that can't be used.
    func forward(
        _ request: consuming Request,
        _ question: CacheQuestion,
        _ reason: CacheReason,
        variants: [CacheEntry],
        _ next: Next,
        discarding response: Response
    ) async throws -> Response {
        await request.discard(response)
        // The discarded response may have changed the cookies, and thereby the variant.
        let asking = question.asking(request.head)
        return try await forward(request, asking, reason, variants: variants, next)
    }
}

extension CacheCompletion {
    /// Returns the number of leading bytes of a partial response that are already stored; `nil` if it isn't the rest of
    /// the same representation, RFC 9111 §3.4.
    fileprivate func repeatedCount(in response: HTTPResponse, _ received: Date) -> Int64? {
        guard let range = ContentRange(response.headerFields) else { return nil }
        let part = PartialContent(Validators(response.headerFields, receivedAt: received), range)
        let whole = try? entry.response.heldContent.joined(with: part, requestedIf: fields.first(of: .ifRange))
        guard whole?.range == 0..<length, range.range.upperBound == length else { return nil }
        return offset - range.range.lowerBound
    }
}

extension HTTPBody {
    /// Concatenates two bodies, without the first bytes of the second; the result can be read once.
    fileprivate static func joined(
        _ first: HTTPBody,
        _ second: HTTPBody,
        skipping repeated: Int64,
        length: Int64
    ) -> HTTPBody {
        .once(length: length) {
            JoinedReader(readers: [try await first.makeReader()], rest: second, repeated: repeated)
        }
    }
}

private struct JoinedReader: BodyReader {
    var readers: [any BodyReader]
    var rest: HTTPBody?
    /// The number of bytes of the rest that must still be skipped.
    var repeated: Int64

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        while !readers.isEmpty {
            while let chunk = try await readers[0].read() {
                guard rest == nil, repeated > 0 else { return chunk }
                let skipped = min(repeated, Int64(chunk.count))
                repeated -= skipped
                if skipped < chunk.count { return chunk.dropFirst(Int(skipped)) }
            }
            readers = []
            if let rest {
                self.rest = nil
                readers = [try await rest.makeReader()]
            }
        }
        return nil
    }
}
