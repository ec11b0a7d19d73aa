import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainSerializer
import HTTPTypes

extension ClientCore {
    /// Returns the stored reply of a request.
    func storedReply<Kind: StoredRequest>(
        for request: Kind,
        _ settings: CallSettings
    ) async throws -> StoredReply<Kind.Output>? {
        guard let replies else { throw ReplyStoreError(.noStore(requestType: "\(Kind.self)")) }
        let endpoint = try endpoint(for: request)
        try replies.requireDivision(of: endpoint)
        let http = try makeRequest(request, settings)
        guard let (metadata, body) = try await replies.read(request, http) else { return nil }
        let place = settings.processing ?? processing
        switch Kind.storage.form {
        case .value(_, let decode):
            let bytes = try await body.collect(upTo: .unlimited)
            return StoredReply(value: try await place.run { try decode(bytes) }, date: metadata.responseTime)
        case .raw:
            guard case .transport(let transport) = endpoint.handler else { return nil }
            let stored = StoredReplyTransport(head: metadata.head, body: body)
            let value = try await request.result.perform(http.asking(transport), transport.decoding(stored), place)
                .value
            return StoredReply(value: value, date: metadata.responseTime)
        }
    }

    /// Performs a call and stores its reply.
    ///
    /// An error from storing is reported but doesn't fail the call.
    func storing<Output: Sendable>(
        _ request: any StoredRequest,
        _ http: Request,
        in replies: ReplyStore,
        from endpoint: Endpoint,
        telling teller: CallTeller?,
        _ settings: CallSettings,
        _ operation: () async throws -> CallResult<Output>
    ) async throws -> CallResult<Output> {
        let stamp = replies.begin()
        defer { replies.end() }
        let start = environment.time.date
        // Ignores an error here. It occurs again before the reply is stored, and is reported then.
        let key = try? await replies.key(for: request, http)
        let result = try await operation()
        guard result.response.status.kind == .successful else { return result }
        await settings.beforeStoring?()
        do {
            try replies.requireDivision(of: endpoint)
            try await keep(result, of: request, http, in: replies, startedAt: start, askedAs: key, since: stamp)
        } catch {
            teller?.tell(.notStored(error))
        }
        return result
    }

    private func keep<Kind: StoredRequest>(
        _ result: any Sendable,
        of request: Kind,
        _ http: Request,
        in replies: ReplyStore,
        startedAt start: Date,
        askedAs key: CacheKey?,
        since stamp: UInt64
    ) async throws {
        guard request.storageIdentifier != nil, let result = result as? CallResult<Kind.Output> else { return }
        var head = HTTPResponse(status: result.response.status)
        let bytes: Data
        switch Kind.storage.form {
        case .value(let encode, _): bytes = try encode(result.value)
        case .raw:
            guard Kind.canStoreRaw, result.response.body.isReplayable else { return }
            head = result.response.head
            // A stored reply must not set cookies again.
            head.headerFields[.setCookie] = nil
            bytes = try await result.response.body.collect(upTo: .unlimited)
        }
        let times = (start, environment.time.date)
        try await replies.write(bytes, of: request, http, head: head, times: times, askedAs: key, since: stamp)
    }

    func makeRequest<Kind: TypedRequest>(_ request: Kind, _ settings: CallSettings) throws -> Request {
        var http = try request.makeRequest()
        http.value = request
        for change in settings.changes { http = change(http) }
        let place = settings.processing ?? processing
        if place.isElsewhere { http.options[DecodingPlaceNote.self] = place }
        return http
    }
}

extension StoredRequest {
    /// Whether the bytes of the reply are still available after a call.
    static var canStoreRaw: Bool {
        !(Output.self == HTTPBody.self || Output.self == Response.self || Output.self == TemporaryFile.self)
    }

    /// Returns a transport that keeps the bytes of the reply available after the output has been made.
    static func keepingBytes(_ transport: any Transport) -> any Transport {
        guard case .raw = storage.form, canStoreRaw else { return transport }
        return BytesKeepingTransport(transport: transport)
    }
}

extension Request {
    /// Returns the request without its body: the reply is already stored, so nothing is sent.
    fileprivate func asking(_ transport: any Transport) -> Request {
        var request = self
        request.body = .empty
        Chain.fillEnvironment(of: &request, over: transport)
        return request
    }
}

extension Transport {
    /// Returns a chain of this transport's serializers around a stored reply.
    fileprivate func decoding(_ stored: StoredReplyTransport) throws -> any Transport {
        try Chain(serializers, transport: stored, order: .unchecked, options: .unchecked)
    }

    private var serializers: [any Middleware] {
        Chain.stages(in: self).filter { $0 is SerializerMiddleware }
    }
}

/// A transport that responds with a stored reply.
private struct StoredReplyTransport: Transport {
    let head: HTTPResponse
    let body: HTTPBody

    var capabilities: TransportCapabilities { [.streamsUploads, .backpressure, .keepsRepeatedFields] }
    var name: String { "stored reply" }

    func send(_ request: consuming Request) async throws -> Response {
        var response = Response(head.status, headers: head.headerFields, body: body)
        response.request = request.head
        return response
    }
}

/// A transport that buffers response bodies, unless a serializer has already done so.
private struct BytesKeepingTransport: Transport {
    private static let limit = ByteCount.mebibytes(16)
    let transport: any Transport

    var capabilities: TransportCapabilities { transport.capabilities }
    var name: String { transport.name }
    var optionsRead: [any RequestOption.Type] { transport.optionsRead }

    func send(_ request: consuming Request) async throws -> Response {
        var response = try await transport.send(request)
        response.body = try await response.body.buffered(upTo: Self.limit, memory: Self.limit)
        return response
    }
}
