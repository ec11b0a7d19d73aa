public import HTTPChainCore
import HTTPTypes

/// Compresses what is sent, and decodes what arrives.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     GzipMiddleware(requests: .standard)
/// }
/// let response = try await chain.send(.post("https://api.example.com/events", body: .file(log)))
/// let text = try await response.body.text()   // decoded
/// ```
///
/// **Responses** are decoded as they are read: gzip with any number of members, and deflate, zlib-wrapped or raw; up to
/// five on top of each other. Checksums and lengths are verified. `Content-Encoding` and `Content-Length` go, and stay
/// in reach in ``OriginalContentFields``. Codings that are not known stay, with their field and with what lies beneath
/// them. Left alone are answers to HEAD, 1xx, 204, 205, 304, and 206, whose content is a part of encoded content.
/// What a transport decoded arrives without `Content-Encoding`, and passes untouched.
///
/// `Accept-Encoding: gzip, deflate` is added where the request has no such field, but never to a request with `Range`:
/// its offsets would count encoded bytes.
///
/// **Requests** are compressed only when the stage or the call says so, because many servers do not take it. What is
/// small, compressed already, or covered by a digest or a range, is sent as it is. A body that can be read again can
/// still be read again. Where a server says 415 to a compressed request, it is sent once more as it was, and the origin
/// gets no more compressed ones from this stage.
///
/// **Place.** Phase ``Phase/compress``: inside it, digests cover and caches store the encoded content.
///
/// **Options.** ``RequestCompression`` and ``ResponseDecoding``; in short ``HTTPChainCore/Request/compressed(_:)``,
/// ``HTTPChainCore/Request/uncompressed()``, ``HTTPChainCore/Request/decodingResponse(limits:)`` and
/// ``HTTPChainCore/Request/leavingResponseEncoded()``.
///
/// **Errors.** ``GzipError``, most of them while the body is read; the transfer is cancelled then.
public struct GzipMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    private let compression: CompressionSettings?
    private let limits: DecodingLimits?
    private let refusals = CompressionRefusals()

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - compression: Which request bodies are compressed; none by default.
    ///   - limits: How far responses may grow; at most 1 GiB and 1,100-fold by default. `nil` leaves them encoded.
    public init(
        requests compression: CompressionSettings? = nil,
        responses limits: DecodingLimits? = .standard
    ) {
        self.compression = compression
        self.limits = limits
    }

    /// Outside digests, cache, retry and authentication, which deal with the encoded content.
    public var phase: Phase { .compress }

    /// What is compressed, and the limits of decoding.
    public var summary: StageSummary {
        let requests = compression.map { "level \($0.level), from \($0.minimumSize)" } ?? "as they are"
        let responses = limits.map { "decoded up to \($0.maximumSize), \($0.maximumRatio):1" } ?? "as they arrive"
        return StageSummary(
            "GzipMiddleware",
            purpose: "compresses requests, decodes responses",
            settings: ["requests": requests, "responses": responses]
        )
    }

    /// What is inside, and decoded content where responses are decoded.
    public func capabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        limits == nil ? inner : inner.union(.decodesContent)
    }

    /// Compresses the request's body, passes the request on, and makes the response's body one that is decoded as it is
    /// read.
    ///
    /// - Throws: ``GzipError``; what the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let limits = limits(for: request.options[ResponseDecoding.self])
        if limits != nil { Self.acceptEncoded(&request.head.headerFields) }
        let target = request.head.withoutFields
        let redaction = request.redaction
        var plain: Request?
        if let settings = settings(for: request.options[RequestCompression.self]),
            !refusals.contains(request.origin)
        {
            let original = copy request
            let isCompressed = try RequestCompressor(settings: settings).compress(&request)
            if isCompressed, original.body.isReplayable { plain = original }
        }
        var response = try await send(request, plain: plain, next)
        if let limits { try decode(&response, to: target, limits, redaction) }
        return response
    }

    /// Sends a request, and sends it once more as it was where the server does not take it compressed.
    private func send(_ request: consuming Request, plain: Request?, _ next: Next) async throws -> Response {
        let response = try await next(request)
        guard let plain, CompressionRefusals.mayRefuseCoding(response.head) else { return response }
        let second = try await next(plain)
        // Refused again: it was not the coding.
        if second.status.code != 415 { refusals.insert(plain.origin) }
        return second
    }

    private func settings(for rule: RequestCompression.Rule) -> CompressionSettings? {
        switch rule {
        case .asConfigured: compression
        case .off: nil
        case .on: compression ?? .standard
        case .using(let settings): settings
        }
    }

    private func limits(for rule: ResponseDecoding.Rule) -> DecodingLimits? {
        switch rule {
        case .asConfigured: limits
        case .off: nil
        case .limited(let limits): limits
        }
    }

    private static func acceptEncoded(_ fields: inout HTTPFields) {
        // `HTTPFields` ends the process when it has one field too many.
        guard !fields.contains(.acceptEncoding), !fields.contains(.range), fields.count < Int(UInt16.max) - 1 else {
            return
        }
        fields[.acceptEncoding] = ContentCoding.acceptable
    }

    private func decode(
        _ response: inout Response,
        to target: HTTPRequest,
        _ limits: DecodingLimits,
        _ redaction: Redaction
    ) throws(GzipError) {
        guard response.headers.contains(.contentEncoding), Self.hasDecodableContent(response.head, to: target.method)
        else { return }
        let (codings, rest) = AppliedCodings(response.headers).peeled
        let head = response.head
        let exchange: @Sendable () -> ExchangeSnapshot = {
            ExchangeSnapshot(target, response: head, redaction: redaction)
        }
        guard codings.count <= DecodingLimits.maximumCodings else {
            throw GzipError(
                .tooManyCodings(count: codings.count, limit: DecodingLimits.maximumCodings),
                exchange: exchange()
            )
        }
        guard !codings.isEmpty else { return }
        response.removeContentFields(leaving: rest.isEmpty ? nil : rest.joined(separator: ", "))
        response.body = response.body.decoded(from: codings, limits: limits, exchange: exchange)
    }

    /// RFC 9110 §14.4 for 206, whose range counts encoded bytes.
    private static func hasDecodableContent(_ head: HTTPResponse, to method: HTTPRequest.Method) -> Bool {
        head.status.code != 206 && !head.hasNoContent(answering: method)
    }
}

extension HTTPRequest {
    /// Method and target alone: a copy of the fields would make the stages inside copy them to change them.
    fileprivate var withoutFields: HTTPRequest {
        HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    }
}
