import HTTPChain
import HTTPChainLogShipper

/// The traces of the sample traffic: the shop's calls, their attempts, and the server's spans.
///
/// The spans are created by hand, as in a program without a tracing library. With the trait `Tracing`,
/// `TracingMiddleware` and `ShippingTracer` create them.
struct DemoTraces: Sendable {
    let shop: LogShipper
    let server: LogShipper

    init(receiver url: String, encoding: OTLPEncoding, over transport: any Transport, settings: LogShipper.Settings) {
        func shipper(_ service: String) -> LogShipper {
            let format = BuiltInWireFormat.otlpTraces(encoding)
            return LogShipper(
                to: format.url(endpoint: url),
                format: format,
                resource: LogResource(serviceName: service, serviceVersion: "1.0"),
                over: transport,
                settings: settings
            )
        }
        shop = shipper("shop")
        server = shipper("warehouse")
    }

    /// Sends pending spans.
    ///
    /// - Returns: The number of spans that the receiver has acknowledged.
    func flush() async throws -> Int64 {
        try await shop.flush(deadline: .seconds(20))
        try await server.flush(deadline: .seconds(20))
        return Int64(clamping: shop.statistics.acknowledged + server.statistics.acknowledged)
    }
}

/// Creates a span for each attempt of a traced call, and sends its context to the server.
struct DemoAttemptSpans: Middleware {
    let shipper: LogShipper

    var phase: Phase { .wire }
    var optionsRead: [any RequestOption.Type] { [DemoSpanOption.self] }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let call = request.options[DemoSpanOption.self] else { return try await next(request) }
        let span = call.attempt(request)
        if let name = HTTPField.Name("traceparent") { request.headers[name] = span.traceparent }
        let sent = consume request
        return try await span.run(reportingTo: shipper, status: { $0.status.code }) { try await next(sent) }
    }
}

/// A server that creates a span for each traced request.
struct DemoServerSpans<Server: Transport>: Transport {
    let server: Server
    let shipper: LogShipper

    var capabilities: TransportCapabilities { server.capabilities }
    var optionsRead: [any RequestOption.Type] { server.optionsRead }

    func send(_ request: consuming Request) async throws -> Response {
        guard let span = DemoSpan.server(request) else { return try await server.send(request) }
        let received = consume request
        return try await span.run(reportingTo: shipper, status: { $0.status.code }) { try await server.send(received) }
    }
}
