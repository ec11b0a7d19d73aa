import FlyingFox
import Foundation
import HTTPChain
import HTTPChainLogShipper

/// Handles requests.
///
/// The receiver accepts logs in three formats, spans, metrics, and archives of HTTP traffic for the page.
struct Receiver: HTTPHandler {
    let store: RecordStore
    /// Whether only this computer can reach the receiver.
    ///
    /// If so, requests must name it as a loopback host.
    let isLocal: Bool
    private let gate = Gate(limit: 16)
    /// The limit is lower than for other requests, because archives are large.
    private let archiveGate = Gate(limit: 2)
    private let reader = BatchReader()

    init(store: RecordStore, isLocal: Bool) {
        self.store = store
        self.isLocal = isLocal
    }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        do {
            try checkSender(of: request)
            if request.path == "/har", request.method == .POST {
                return try await archiveGate.pass { try await takeArchive(request) }
            }
            return try await gate.pass { try await answer(request, try await IncomingContent.read(request)) }
        } catch let refusal as Refusal {
            return Self.response(refusal, to: request)
        }
    }

    private func answer(_ request: HTTPRequest, _ content: Data) async throws -> HTTPResponse {
        switch (request.path, request.method) {
        case ("/health", .GET): return Self.json(await store.state.json)
        case ("/events", .GET): return try await events(request)
        case ("/records", .GET): return try await records(request)
        case ("/records", .DELETE):
            await store.clear()
            return HTTPResponse(statusCode: .noContent)
        case ("/v1/logs", .POST): return try await takeOTLP(request, content, .logs)
        case ("/v1/traces", .POST): return try await takeOTLP(request, content, .traces)
        case ("/v1/metrics", .POST): return try await takeOTLP(request, content, .metrics)
        case ("/loki/api/v1/push", .POST): return try await takeLoki(request, content)
        case ("/ndjson", .POST): return try await takeLines(request, content)
        case (_, .GET):
            guard let file = Page.file(request.path) else { throw Self.notServed(request) }
            return file
        default: throw Self.notServed(request)
        }
    }

    // MARK: Formats

    private func takeOTLP(
        _ request: HTTPRequest,
        _ content: Data,
        _ signal: OTLPProtobuf.Request
    ) async throws -> HTTPResponse {
        let isProtobuf = Self.isProtobuf(request)
        let content = try await IncomingContent.decode(content, request.headers[.contentEncoding])
        let batch = try await reader.read(content) { content in
            let json = isProtobuf ? try OTLPProtobuf.json(content, signal) : try JSONValue(json: content)
            return switch signal {
            case .logs: try OTLPLogs.batch(json)
            case .traces: try OTLPTraces.batch(json)
            case .metrics: try OTLPMetrics.batch(json)
            }
        }
        await store.append(batch.records)
        let problem = batch.rejected > 0 ? batch.problem ?? "" : nil
        if isProtobuf {
            var answer = ProtobufWriter()
            if let problem {
                answer.message("partialSuccess", 1) {
                    $0.int64("rejected", 1, Int64(batch.rejected))
                    $0.string("errorMessage", 2, problem)
                }
            }
            let fields = Self.fields("application/x-protobuf")
            return HTTPResponse(statusCode: .ok, headers: fields, body: Data(answer.bytes))
        }
        guard let problem else { return Self.json("{}") }
        let counter =
            switch signal {
            case .logs: "rejectedLogRecords"
            case .traces: "rejectedSpans"
            case .metrics: "rejectedDataPoints"
            }
        let partial = JSONValue.object([
            "partialSuccess": .object([counter: .string(String(batch.rejected)), "errorMessage": .string(problem)])
        ])
        return Self.json(partial.text)
    }

    private static func isProtobuf(_ request: HTTPRequest) -> Bool {
        (request.headers[.contentType] ?? "").lowercased().contains("protobuf")
    }

    private func takeLoki(_ request: HTTPRequest, _ content: Data) async throws -> HTTPResponse {
        let batch = try await reader.read(try await decoded(request, content), as: LokiPush.batch)
        await store.append(batch.records)
        if batch.rejected > 0 {
            let problem = batch.problem ?? ""
            throw Refusal.malformed("\(batch.rejected) entries cannot be read, the others are kept. \(problem).")
        }
        return HTTPResponse(statusCode: .noContent)
    }

    private func takeLines(_ request: HTTPRequest, _ content: Data) async throws -> HTTPResponse {
        let decoded = try await IncomingContent.decode(content, request.headers[.contentEncoding])
        let batch = try await reader.read(decoded, as: JSONLines.batch)
        await store.append(batch.records)
        if batch.records.isEmpty, let problem = batch.problem { throw Refusal.malformed(problem) }
        var answer: [String: JSONValue] = [
            "accepted": .integer(Int64(batch.records.count)), "rejected": .integer(Int64(batch.rejected)),
        ]
        answer["message"] = batch.problem.map { .string($0) }
        return Self.json(JSONValue.object(answer).text)
    }

    private func takeArchive(_ request: HTTPRequest) async throws -> HTTPResponse {
        let content = try await IncomingContent.read(request, upTo: ArchiveRecords.sizeLimit)
        let batch = try await reader.read(content, as: ArchiveRecords.batch)
        await store.append(batch.records)
        return Self.json(JSONValue.object(["accepted": .integer(Int64(batch.records.count))]).text)
    }

    private func decoded(_ request: HTTPRequest, _ content: Data) async throws -> Data {
        let type = (request.headers[.contentType] ?? "").lowercased()
        if type.contains("protobuf") || type.contains("snappy") {
            throw Refusal(
                status: .unsupportedMediaType,
                reason: "Push JSON to Loki's path, not protocol buffers: Content-Type: application/json."
            )
        }
        return try await IncomingContent.decode(content, request.headers[.contentEncoding])
    }

    // MARK: Reading

    private func records(_ request: HTTPRequest) async throws -> HTTPResponse {
        let after = try Self.number("after", in: request) ?? 0
        let limit = try Self.number("limit", in: request) ?? 1_000
        let state = await store.state
        let page = await store.page(after: after, count: Int(min(limit, 10_000)), bytes: 16 << 20)
        var text = Array("{\"instance\":\"\(state.instance)\",\"first\":\(state.first),\"last\":\(state.last),".utf8)
        text.append(text: "\"next\":\(page.last),\"records\":[")
        text.append(contentsOf: page.elements)
        text.append(text: "]}")
        return HTTPResponse(statusCode: .ok, headers: Self.fields("application/json"), body: Data(text))
    }

    private func events(_ request: HTTPRequest) async throws -> HTTPResponse {
        // A browser that reconnects sends the ID of its last event. The page can also put the ID into the query.
        let last = (request.headers[HTTPHeader("Last-Event-ID")] ?? request.query["last"] ?? "").split(separator: ":")
        let isSameRun = last.count == 2 && last[0] == store.instance
        let position = isSameRun ? Int64(last[1]) ?? 0 : 0
        guard let signals = await store.watch() else {
            throw Refusal(status: .serviceUnavailable, reason: "Too many pages are open: close one.")
        }
        let events = RecordEvents(store: store, signals: signals, position: max(0, position))
        let body = HTTPBodySequence(from: events, suggestedBufferSize: 65_536)
        return HTTPResponse(statusCode: .ok, headers: Self.fields("text/event-stream"), body: body)
    }

    private static func number(_ name: String, in request: HTTPRequest) throws -> Int64? {
        guard let text = request.query[name] else { return nil }
        guard let number = Int64(text), number >= 0 else {
            throw Refusal.malformed("\(name) needs a number, zero or more.")
        }
        return number
    }
}

extension Receiver {
    /// Refuses requests that a browser on this computer sends for pages of other sites.
    ///
    /// Such a page may use its own host name for the address of this computer.
    private func checkSender(of request: HTTPRequest) throws {
        let host = request.headers[.host] ?? ""
        if let origin = request.headers[HTTPHeader("Origin")], origin != "http://" + host {
            throw Refusal(status: .forbidden, reason: "Pages of other sites may not use this receiver.", closes: true)
        }
        guard isLocal, !host.isEmpty else { return }
        let name = host.hasPrefix("[") ? host : host.split(separator: ":").first.map(String.init) ?? ""
        let isLoopback = name == "localhost" || name.hasSuffix(".localhost") || name.hasPrefix("[::1]")
        guard isLoopback || name.hasPrefix("127.") && name.allSatisfy({ $0.isNumber || $0 == "." }) else {
            throw Refusal(
                status: .forbidden,
                reason: "This receiver is for this computer only: ask 127.0.0.1 or localhost, not \(name).",
                closes: true
            )
        }
    }

    private static func notServed(_ request: HTTPRequest) -> Refusal {
        let methods = [
            "/health": "GET", "/events": "GET", "/records": "GET, DELETE", "/v1/logs": "POST",
            "/v1/traces": "POST", "/v1/metrics": "POST",
            "/loki/api/v1/push": "POST", "/ndjson": "POST", "/har": "POST",
        ]
        if let allowed = methods[request.path] ?? (Page.file(request.path) == nil ? nil : "GET") {
            return Refusal(status: .methodNotAllowed, reason: "\(request.path) takes \(allowed).", allowed: allowed)
        }
        return Refusal(
            status: .notFound,
            reason: "There is nothing here. Logs go to /v1/logs (OTLP), /loki/api/v1/push (Loki) or /ndjson, "
                + "spans to /v1/traces, metrics to /v1/metrics, archives of HTTP traffic to /har."
        )
    }

    private static func response(_ refusal: Refusal, to request: HTTPRequest) -> HTTPResponse {
        var text = refusal.reason + "\n"
        var fields = fields("text/plain; charset=utf-8")
        var bytes: [UInt8]?
        if request.path.hasPrefix("/v1/") {
            // The `Status` message of OTLP/HTTP: 3 is INVALID_ARGUMENT, 14 is UNAVAILABLE.
            let code: Int64 = refusal.status == .serviceUnavailable ? 14 : 3
            if isProtobuf(request) {
                var status = ProtobufWriter()
                status.int64("code", 1, code)
                status.string("message", 2, refusal.reason)
                bytes = status.bytes
                fields[.contentType] = "application/x-protobuf"
            } else {
                text = JSONValue.object(["code": .integer(code), "message": .string(refusal.reason)]).text
                fields[.contentType] = "application/json"
            }
        }
        if refusal.status == .serviceUnavailable { fields[HTTPHeader("Retry-After")] = "1" }
        if let allowed = refusal.allowed { fields[HTTPHeader("Allow")] = allowed }
        if request.method == .HEAD { text = "" }
        let content = bytes ?? Array(text.utf8)
        guard refusal.closes else {
            return HTTPResponse(statusCode: refusal.status, headers: fields, body: Data(content))
        }
        fields[.connection] = "close"
        let body = HTTPBodySequence(from: LastBytes(bytes: content), count: content.count)
        return HTTPResponse(statusCode: refusal.status, headers: fields, body: body)
    }

    static func json(_ text: String) -> HTTPResponse {
        HTTPResponse(statusCode: .ok, headers: fields("application/json"), body: Data(text.utf8))
    }

    /// The fields of a response, which prevent caching, type sniffing, and use by other sites.
    static func fields(_ contentType: String) -> HTTPHeaders {
        [
            .contentType: contentType,
            HTTPHeader("Cache-Control"): "no-store",
            HTTPHeader("X-Content-Type-Options"): "nosniff",
            HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
        ]
    }
}
