import Foundation
import HTTPChain
import HTTPChainLogShipper
import Logging

/// A shop's client that sends logs of its calls and other actions, and the spans of its traces, to a receiver.
struct Demo {
    private let shipper: LogShipper
    private let chain: Chain
    private let server = DemoServer()
    private let logger: Logger
    private let traces: DemoTraces

    init(receiver url: String, format name: String) throws {
        let format: BuiltInWireFormat =
            switch name {
            case "loki": .loki
            case "ndjson": .ndjson
            case "protobuf": .otlp(.protobuf)
            default: .otlp
            }
        var settings = LogShipper.Settings()
        settings.batchAge = .milliseconds(200)
        let transport = try Chain(transport: URLSessionTransport()) { GzipMiddleware(requests: .standard) }
        let shipper = LogShipper(
            to: name == "ndjson" ? url + "/ndjson" : format.url(endpoint: url),
            format: format,
            resource: LogResource(serviceName: "shop", serviceVersion: "1.0"),
            over: transport,
            settings: settings,
            levels: LogLevels(.debug)
        )
        self.shipper = shipper
        // Spans are always sent as OTLP, regardless of the records' format.
        let traces = DemoTraces(
            receiver: url,
            encoding: name == "protobuf" ? .protobuf : .json,
            over: transport,
            settings: settings
        )
        self.traces = traces
        chain = try Chain(transport: DemoServerSpans(server: server.transport, shipper: traces.server)) {
            RemoteLoggingMiddleware(shipper, detailByLevel: [.warning: .headers, .error: .bodies])
            StatusValidationMiddleware()
            HeadersMiddleware([.userAgent: "Shop/1.0", .accept: "application/json"])
            CacheMiddleware(store: .memory(limit: .mebibytes(1)))
            RetryMiddleware(RetryPolicy(backoff: Backoff(base: .milliseconds(150))))
            RemoteLoggingMiddleware(shipper, each: .attempt)
            DemoAttemptSpans(shipper: traces.shop)
        }
        logger = Logger(label: "shop.checkout") { RemoteLogHandler(label: $0, sink: shipper, level: .debug) }
    }

    /// Makes the sample calls once: some succeed, some are retried, some are cached, and some fail.
    func round(_ number: Int) async throws {
        server.prepare()
        logger.info("Round begins", metadata: ["round": "\(number)"])
        await call(.get("https://shop.example.com/plants?season=summer"))
        await call(.get("https://shop.example.com/plants/7/photo"))
        await call(.get("https://shop.example.com/plants?season=summer"))
        await call(.get("https://shop.example.com/stock/7"))
        let order = Request.post("https://shop.example.com/orders", body: #"{"plant":7,"access_token":"hidden-token"}"#)
        await call(order, "Order placed")
        await call(.get("https://shop.example.com/plants/404"))
        await call(.get("https://shop.example.com/weather"))
        // This call fails, so that its fields and content are logged.
        let reorder = Request.post(
            "https://shop.example.com/supplier?api_key=hidden-key",
            headers: [.authorization: "Bearer hidden-bearer", .contentType: "application/json"],
            body: #"{"plant":7,"password":"hidden-password"}"#
        )
        await call(reorder)
        logger.debug("Round ends", metadata: ["round": "\(number)", "next": "\(number + 1)"])
    }

    private func call(_ request: Request, _ event: Logger.Message? = nil) async {
        var request = request
        let path = request.head.path?.prefix { $0 != "?" } ?? ""
        let span = DemoSpan("\(request.method == .get ? "load" : "send") \(path)", scope: "shop.checkout")
        request.options[DemoSpanOption.self] = span
        do {
            let traced = request
            _ = try await span.run(reportingTo: traces.shop) { try await chain.send(traced).body.collect() }
            if let event { logger.notice(event) }
        } catch {
            logger.error("A call failed", error: error)
        }
    }

    /// Sends pending records and spans.
    ///
    /// - Returns: The numbers of records and spans that the receiver has acknowledged.
    func flush() async throws -> (records: Int64, spans: Int64) {
        try await shipper.flush(deadline: .seconds(20))
        return (Int64(clamping: shipper.statistics.acknowledged), try await traces.flush())
    }
}

/// Sends sample traffic to a receiver, either continuously or once, until it has arrived.
func runDemo(_ url: String, format: String, endsWhenReceived: Bool) async throws {
    let demo = try Demo(receiver: url, format: format)
    try await demo.round(1)
    guard endsWhenReceived else {
        for number in 2... {
            try await Task.sleep(for: .seconds(2))
            try await demo.round(number)
        }
        return
    }
    let acknowledged = try await demo.flush()
    let answer = try await URLSessionTransport().send(.get(url + "/records?limit=10000"))
    let received = try JSONValue(json: try await answer.body.collect())["records"]?.array ?? []
    let records = received.filter { $0["format"] != "span" }
    let spans = received.count - records.count
    let calls = Set(
        records.compactMap { record in
            record["attributes"]?.array?.first { $0[0] == "httpchain.call.id" || $0[0] == "httpchain_call_id" }?[1]
        }
    )
    guard records.count == acknowledged.records, spans == acknowledged.spans, calls.count == 8 else {
        throw DemoError(
            description: """
                \(records.count) of \(acknowledged.records) records, \(spans) of \(acknowledged.spans) spans and \
                \(calls.count) of 8 calls arrived.
                """
        )
    }
    print("\(records.count) records and \(spans) spans of \(calls.count) calls arrived.")
}

/// The error if the sample traffic didn't arrive.
struct DemoError: Error, CustomStringConvertible {
    var description: String
}
