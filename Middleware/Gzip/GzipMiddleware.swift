public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Compresses requests and decodes responses.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     GzipMiddleware(requests: .standard)
/// }
/// let response = try await chain.send(.post("https://api.example.com/events", body: .file(log)))
/// let text = try await response.body.text()   // decoded
/// ```
///
/// **Responses** are decoded as they are read: gzip with any number of members; deflate, zlib-wrapped or raw; and
/// brotli, zstd and custom codings if the stage has them. Up to five codings may be stacked. Checksums and lengths are
/// verified. `Content-Encoding` and `Content-Length` are removed, and remain available in
/// ``/HTTPChainCore/Response/originalContentFields``. If a coding is unknown, it and the codings applied before it
/// remain, along with the field. Responses to HEAD and 1xx, 204, 205 and 304 are left unchanged, as are 206 responses,
/// which contain a part of encoded content. If the transport has already decoded the body, `Content-Encoding` is
/// absent, and the body is left unchanged.
///
/// If the request has no `Accept-Encoding`, the stage adds `gzip, deflate`, or its own codings. It doesn't do so over a
/// transport that decodes by itself (``ContentNegotiation``), and never for a request with `Range`, whose offsets would
/// count encoded bytes.
///
/// **Requests** are compressed only if the stage or the call is configured to, because many servers don't support it.
/// Bodies that are small, already compressed, or covered by a digest or a range are sent unchanged. A replayable body
/// stays replayable. If a server responds with 415 to a compressed request, the stage retries it without the coding,
/// unless its body can be read only once, and stops using that coding for requests to that origin.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/compress``: inside it, digests cover and caches store the encoded content.
///
/// **Options.** ``HTTPChainCore/Request/compression(_:)-(CompressionSettings)``,
/// ``HTTPChainCore/Request/compression(_:)-(Bool)``,
/// ``HTTPChainCore/Request/decompression(limits:)`` and ``HTTPChainCore/Request/decompression(_:)``.
///
/// **Errors.** ``ContentCodingError``, usually while the body is read; the transfer is then cancelled.
public struct GzipMiddleware: BuiltInStage {
    private let compression: CompressionSettings?
    private let limits: DecodingLimits?
    private let known: CodingSet
    private let negotiation: ContentNegotiation
    private let refusals = CompressionRefusals()
    /// The options that the stage reads.
    ///
    /// Those for decoding are included only if it has codings.
    package let stageOptions: [any RequestOption.Type]

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - compression: The compression of request bodies; none by default.
    ///   - limits: The limits for responses; 1 GiB and a ratio of 1,100 by default. `nil` leaves responses encoded.
    ///   - codings: The codings that can be decoded, in the order of `Accept-Encoding`; gzip and deflate by default.
    ///     ``ContentCoding/preferred(_:)`` sets a weight.
    ///   - negotiation: The rule for adding `Accept-Encoding`. By default, it is added unless the transport decodes by
    ///     itself.
    public init(
        requests compression: CompressionSettings? = nil,
        responses limits: DecodingLimits? = DecodingLimits(),
        codings: [ContentCoding] = [.gzip, .deflate],
        negotiation: ContentNegotiation = .automatic
    ) {
        known = CodingSet(codings)
        self.negotiation = negotiation
        self.compression = compression
        self.limits = limits
        stageOptions = codings.isEmpty ? [CompressionOption.self] : [CompressionOption.self, DecompressionOption.self]
    }

    /// ``/HTTPChainCore/Phase/compress``: outside digests, cache, retry and authentication, which see the encoded
    /// content.
    package var stagePhase: Phase { .compress }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        let requests = compression.map { settings in
            [settings.coding.name, settings.coding.settings].filter { !$0.isEmpty }.joined(separator: " ")
                + ", from \(settings.minimumSize)"
        }
        let names = known.codings.map(\.name).joined(separator: ", ")
        let responses = limits.map { "\(names), up to \($0.maximumSize), \($0.maximumRatio):1" }
        return StageSummary(
            "GzipMiddleware",
            purpose: "compresses requests, decodes responses",
            settings: ["requests": requests ?? "as they are", "responses": responses ?? "as they arrive"]
        )
        .adding("asks for codings", negotiation == .automatic ? nil : negotiation.rawValue)
    }

    /// Returns the inner capabilities, with decoded content if responses are decoded.
    package func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        limits == nil ? inner : inner.union(.decodesContent)
    }

    /// Compresses the request's body, passes the request on, and decodes the response's body as it is read.
    ///
    /// - Throws: ``ContentCodingError``; errors from the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let limits = request.options[DecompressionOption.self].applied(to: limits)
        if limits != nil { acceptEncoded(&request.head.headerFields, next) }
        let target = request.head.withoutFields
        let redaction = request.redaction
        var plain: (request: Request, coding: ContentCoding)?
        if compression != nil || request.options.contains(CompressionOption.self),
            let settings = settings(for: request.options[CompressionOption.self]),
            !refusals.contains(request.origin, settings.coding)
        {
            let original = copy request
            if try RequestCompressor(settings: settings).compress(&request) { plain = (original, settings.coding) }
        }
        var response = plain == nil ? try await next(request) : try await send(request, plain: plain, next)
        if let limits { try decode(&response, to: target, limits, redaction) }
        return response
    }

    /// Sends a request, and retries it uncompressed if the server doesn't accept the coding.
    private func send(
        _ request: consuming Request,
        plain: (request: Request, coding: ContentCoding)?,
        _ next: Next
    ) async throws -> Response {
        let response = try await next(request)
        guard let plain, CompressionRefusals.mayRefuse(plain.coding, response.head) else { return response }
        guard plain.request.body.isReplayable else {
            // A second attempt isn't possible. Assume that the coding was the reason; if so, the next call succeeds.
            refusals.insert(plain.request.origin, plain.coding)
            return response
        }
        let second = try await next(plain.request, discarding: response)
        // If it was refused again, the coding wasn't the reason.
        if second.status.code != 415 { refusals.insert(plain.request.origin, plain.coding) }
        return second
    }

    private func settings(for call: CallSetting<CompressionSettings?>) -> CompressionSettings? {
        switch call {
        case .standard: compression
        case .off: nil
        case .value(let settings): settings ?? compression ?? .standard
        }
    }

    private func acceptEncoded(_ fields: inout HTTPFields, _ next: Next) {
        switch negotiation {
        case .never: return
        case .automatic: if next.capabilities.contains(.decodesContent) { return }
        case .always: break
        }
        // `HTTPFields` traps if there is one field too many.
        guard !fields.contains(.acceptEncoding), !fields.contains(.range), fields.count < HTTPFields.capacity else {
            return
        }
        if let acceptable = known.acceptable { fields.append(acceptable) }
    }

    private func decode(
        _ response: inout Response,
        to target: HTTPRequest,
        _ limits: DecodingLimits,
        _ redaction: Redaction
    ) throws(ContentCodingError) {
        // RFC 9110 §14.4: the range of a 206 counts encoded bytes.
        guard response.headers.contains(.contentEncoding), response.status.code != 206,
            !response.head.hasNoContent(answering: target.method)
        else { return }
        let (codings, rest) = AppliedCodings(response.headers).peeled(by: known)
        let head = response.head
        let exchange: @Sendable () -> ExchangeSnapshot = {
            ExchangeSnapshot(target, response: head, redaction: redaction)
        }
        guard codings.count <= DecodingLimits.maximumCodings else {
            throw ContentCodingError(
                .tooManyCodings(count: codings.count, limit: DecodingLimits.maximumCodings),
                exchange: exchange()
            )
        }
        guard !codings.isEmpty else { return }
        response.removeContentFields(leaving: rest.isEmpty ? nil : rest.joined(separator: ", "))
        response.body = response.body.decoded(from: codings, limits: limits, exchange: exchange)
    }
}
