import Foundation
import HTTPChainCore
import HTTPTypes

/// Delivers a response to its client as a network would: framed by its head, readable once, and delayed or cut off as
/// scripted.
struct Delivery: Sendable {
    /// The request being answered.
    let request: HTTPRequest
    /// The transport's name, for its errors.
    let transport: String
    let time: any TimeSource
    /// The options of the call, which determine its redaction.
    let options: RequestOptions
    var network = SimulatedNetwork()
    var chunkDelay: Duration = .zero
    var fault: Fault?
    /// A closure that is called with the reader's progress.
    var observer: (@Sendable (DeliveryProgress) -> Void)?
    /// A closure that is called with the head before the body can be read.
    var willDeliver: (@Sendable (HTTPResponse) -> Void)?

    /// Plays a scripted reply.
    ///
    /// - Parameter receive: A closure that receives the request. It isn't called if the script fails before the
    ///   connection or doesn't read the body.
    func play(_ reply: ScriptedReply, receive: () async throws -> Void) async throws -> Response {
        if let fault = reply.fault, fault.point == .beforeConnect {
            try await wait(for: reply.delay)
            throw failure(fault)
        }
        if reply.readsRequestBody { try await receive() }
        try await wait(for: reply.delay)
        if let fault = reply.fault, fault.point == .beforeHead { throw failure(fault) }
        var delivery = self
        delivery.chunkDelay = reply.chunkDelay
        delivery.fault = reply.fault
        return try await delivery.deliver(reply.response)
    }

    /// Frames a response, so that reading its body either returns as many bytes as the head declares, or throws an
    /// error.
    func deliver(_ response: Response) async throws -> Response {
        var response = response
        response.body = try await response.body.measured()
        let isChunked = response.headers[.transferEncoding] != nil
        var declared: Int64?
        if let text = response.headers[.contentLength] {
            declared = ContentLength.parse(text)
            if declared == nil {
                let detail = "Content-Length \"\(text)\" is not a number of bytes"
                throw error(.malformedResponse, response.head, detail: detail)
            }
        }
        // RFC 9112 §6.3: a transfer coding determines the end of the body, regardless of Content-Length.
        if isChunked { declared = nil }
        let known = response.body.length.flatMap { $0 >= 0 ? $0 : nil }
        if HTTPResponse(status: response.status).endsWithHead(answering: request.method) {
            // RFC 9110 §8.6: a response to HEAD has the Content-Length that a response to GET would have.
            if request.method == .head, declared == nil, !isChunked, let known, known > 0 {
                response.headers[.contentLength] = "\(known)"
            }
            response.body = .empty
            willDeliver?(response.head)
            observer?(.complete)
            return response
        }
        if declared == nil, !isChunked, let known {
            declared = known
            response.headers[.contentLength] = "\(known)"
        }
        willDeliver?(response.head)
        if response.body.bytes?.isEmpty == true, fault?.isInBody != true, declared ?? 0 == 0 {
            observer?(.complete)
            return response
        }
        response.body = framed(response, declared: declared)
        return response
    }

    private func framed(_ response: Response, declared: Int64?) -> HTTPBody {
        let body = response.body
        // Exists as long as the body can still be read.
        let lifeline = Lifeline { [observer] in observer?(.dropped) }
        return .once(length: declared) { [self, head = response.head] in
            DeliveryReader(
                inner: try await body.makeReader(),
                delivery: self,
                head: head,
                declared: declared,
                lifeline: lifeline
            )
        }
    }

    func wait(for delay: Duration) async throws {
        if delay > .zero { try await time.sleep(for: delay) }
    }

    private func exchange(_ head: HTTPResponse?) -> ExchangeSnapshot {
        ExchangeSnapshot(request, response: head, redaction: Request(head: request, options: options).redaction)
    }

    fileprivate func failure(_ fault: Fault, after head: HTTPResponse? = nil) -> any Error {
        fault.error(transport: transport, exchange: exchange(head))
    }

    fileprivate func error(
        _ kind: TransportError.Kind,
        _ head: HTTPResponse,
        detail: String,
        cause: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            kind,
            sent: .answered,
            stage: transport,
            detail: detail,
            exchange: exchange(head),
            underlyingError: cause
        )
    }
}

/// The progress of the reader of a response body.
enum DeliveryProgress: Sendable {
    /// The reader has read this many bytes.
    case reading(Int64)
    case complete
    case failed
    /// The body can't be read anymore, whether or not it was read to its end.
    case dropped
}

/// Returns the body as scripted, and checks it against the length that its head declares.
private struct DeliveryReader: BodyReader {
    var inner: any BodyReader
    let delivery: Delivery
    let head: HTTPResponse
    let declared: Int64?
    let lifeline: Lifeline
    var count: Int64 = 0
    var end: Result<Void, any Error>?

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let end {
            try end.get()
            return nil
        }
        do {
            guard let chunk = try await next() else {
                end = .success(())
                delivery.observer?(.complete)
                return nil
            }
            delivery.observer?(.reading(count))
            return chunk
        } catch {
            let error = asTransportError(error)
            end = .failure(error)
            // If the reader is cancelled, the transfer ends when the reader is dropped.
            if !(error is CancellationError) { delivery.observer?(.failed) }
            throw error
        }
    }

    private nonisolated(nonsending) mutating func next() async throws -> Data? {
        try Task.checkCancellation()
        let fault = delivery.fault
        if let fault, fault.deliveredBytes == count { throw delivery.failure(fault, after: head) }
        guard var chunk = try await inner.read() else {
            if let fault, fault.isInBody { throw delivery.failure(fault, after: head) }
            if let declared, count < declared {
                throw BodyError(.shorterThanDeclared(declared: declared, actual: count))
            }
            return nil
        }
        if count > 0 { try await delivery.wait(for: delivery.chunkDelay) }
        try await delivery.wait(for: SimulatedNetwork.time(for: chunk.count, at: delivery.network.downloadPerSecond))
        if let limit = fault?.deliveredBytes, count + Int64(chunk.count) > limit {
            chunk = chunk.prefix(Int(limit - count))
        }
        count += Int64(chunk.count)
        if let declared, count > declared { throw BodyError(.longerThanDeclared(declared: declared)) }
        return chunk
    }

    /// Converts the error of a body that has another length than it declares to the fault of a server.
    private func asTransportError(_ error: any Error) -> any Error {
        guard let cause = error as? BodyError else { return error }
        let kind: TransportError.Kind
        switch cause.problem {
        case .shorterThanDeclared: kind = .truncatedBody
        case .longerThanDeclared: kind = .malformedResponse
        default: return error
        }
        return delivery.error(kind, head, detail: cause.reason, cause: cause)
    }
}
