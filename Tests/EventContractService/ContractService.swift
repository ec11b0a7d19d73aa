import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainTesting
import HTTPTypes

/// The test service of the protocol that launchdarkly/sse-contract-tests describes (docs/service_spec.md there): starts
/// streams on command, and reports what comes of them to the harness.
actor ContractService {
    /// What the library can do of the optional features (docs/optional_features.md there).
    ///
    /// Listeners for types are not among them: all types are delivered.
    static let capabilities = [
        "bom", "comments", "headers", "last-event-id", "post", "read-timeout", "report", "restart",
        "server-directed-shutdown-request",
    ]

    private struct Running: Sendable {
        let stream: EventStream<ServerSentEvent>
        let task: Task<Void, Never>
    }

    private let transport: any Transport
    private var streams: [Int: Running] = [:]
    private var lastID = 0
    private let stopped = Rendezvous()

    init(over transport: any Transport) {
        self.transport = transport
    }

    /// Returns when the harness asks the service to stop; its streams have ended then.
    func waitUntilStopped() async throws {
        try await stopped.wait()
        for id in streams.keys { await end(id) }
    }

    /// Returns when a stream has ended by itself, and its last report was sent.
    func waitForEnd(of id: Int) async {
        await streams[id]?.task.value
    }

    /// Answers one request of the harness.
    func answer(_ exchange: LoopbackExchange) async throws {
        let body = try await exchange.readBody()
        let target = exchange.request.target
        let id = target.hasPrefix("/streams/") ? Int(target.dropFirst(9)) : nil
        switch (exchange.request.method, id) {
        case ("GET", nil) where target == "/":
            let status = ServiceStatus(name: "HTTPChain", capabilities: Self.capabilities)
            let json = try JSONEncoder().encode(status)
            try await exchange.reply(200, fields: [("Content-Type", "application/json")], body: json)
        case ("POST", nil) where target == "/":
            guard let parameters = try? JSONDecoder().decode(StreamParameters.self, from: body) else {
                return try await exchange.reply(400)
            }
            let id = start(parameters)
            let host = exchange.request.values("host").first ?? "127.0.0.1"
            try await exchange.reply(201, fields: [("Location", "http://\(host)/streams/\(id)")])
        case ("DELETE", nil) where target == "/":
            try await exchange.reply(204)
            stopped.reach()
        case ("POST", let id?): try await exchange.reply(perform(body, on: id))
        case ("DELETE", let id?):
            let isKnown = streams[id] != nil
            await end(id)
            try await exchange.reply(isKnown ? 204 : 404)
        default: try await exchange.reply(404)
        }
    }

    private func start(_ parameters: StreamParameters) -> Int {
        lastID += 1
        let reports = ReportSender(to: parameters.callbackUrl, over: transport)
        var options = parameters.options
        options.onComment = { reports.enqueue(.comment($0)) }
        let stream = transport.events(parameters.request, options: options)
        let states = stream.states
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await reports.run() }
                group.addTask {
                    for await state in states {
                        if case .waiting(_, let error) = state { reports.enqueue(.error("\(error)")) }
                    }
                }
                group.addTask {
                    do {
                        for try await event in stream { reports.enqueue(.event(event)) }
                    } catch {
                        // Who ends a stream is not told that it ended.
                        if !Task.isCancelled { reports.enqueue(.error("\(error)")) }
                    }
                    reports.finish()
                }
            }
        }
        streams[lastID] = Running(stream: stream, task: task)
        return lastID
    }

    private func perform(_ body: Data, on id: Int) -> Int {
        guard let running = streams[id] else { return 404 }
        switch try? JSONDecoder().decode(Command.self, from: body).command {
        case "restart": running.stream.restart()
        // All types are delivered.
        case "listen": break
        default: return 400
        }
        return 202
    }

    private func end(_ id: Int) async {
        guard let running = streams.removeValue(forKey: id) else { return }
        running.task.cancel()
        await running.task.value
    }
}

private struct ServiceStatus: Encodable {
    let name: String
    let capabilities: [String]
}

private struct Command: Decodable {
    let command: String
}

/// What the harness asks for.
private struct StreamParameters: Decodable {
    let streamUrl: String
    let callbackUrl: String
    let initialDelayMs: Int?
    let readTimeoutMs: Int?
    let lastEventId: String?
    let headers: [String: String]?
    let method: String?
    let body: String?

    var request: Request {
        var request = Request(method.flatMap { HTTPRequest.Method($0) } ?? .get, streamUrl)
        for (name, value) in headers ?? [:] {
            if let name = HTTPField.Name(name) { request.head.headerFields[name] = value }
        }
        if let body { request.body = HTTPBody(body) }
        return request
    }

    var options: EventStreamOptions {
        let policy = ReconnectionPolicy(delay: .milliseconds(initialDelayMs ?? 1_000))
        return EventStreamOptions(
            reconnection: policy,
            watchdog: readTimeoutMs.map { .after(.milliseconds($0)) } ?? .learning(),
            lastEventID: lastEventId.flatMap { $0.isEmpty ? nil : $0 }
        )
    }
}
