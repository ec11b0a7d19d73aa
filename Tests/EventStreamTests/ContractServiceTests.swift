import Foundation
import HTTPChainAsyncHTTPClient
import HTTPChainCore
import HTTPChainRedirect
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

@testable import EventContractService
@testable import HTTPChainEventStream

/// A harness of our own for the contract: a server that plays the stream and takes the reports, on the loopback interface.
private final class Harness: Sendable {
    struct Callback: Sendable {
        let path: String
        let kind: String
        let text: String
        let id: String?
    }

    let callbacks = Events<Callback>()
    let connections = Events<LoopbackRequest>()
    let bodies = Events<String>()
    private let commands: Locked<[String]>

    /// - Parameter scripts: What each connection sends; one that ends with "CUT" breaks off, the others stay open.
    init(_ scripts: [String]) {
        commands = Locked(scripts)
    }

    func answer(_ exchange: LoopbackExchange) async throws {
        let body = try await exchange.readBody()
        if exchange.request.target.hasPrefix("/callbacks") {
            let json = try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
            let event = json["event"] as? [String: String]
            callbacks.add(
                Callback(
                    path: exchange.request.target,
                    kind: json["kind"] as? String ?? "",
                    text: event?["data"] ?? json["comment"] as? String ?? "",
                    id: event?["id"]
                )
            )
            return try await exchange.reply(200)
        }
        connections.add(exchange.request)
        bodies.add(String(decoding: body, as: UTF8.self))
        let script = commands.withLock { $0.isEmpty ? "" : $0.removeFirst() }
        try await exchange.beginChunks(fields: [("Content-Type", "text/event-stream")])
        try await exchange.writeChunk(Data(script.replacingOccurrences(of: "CUT", with: "").utf8))
        // Not reset, which may take what was sent before with it.
        if script.hasSuffix("CUT") { return await exchange.close() }
        try await exchange.waitForPeerToClose()
    }
}

@Suite("The service for the SSE contract tests", .heavy, .timeLimit(.minutes(10)))
struct ContractServiceTests {
    private static var transports: [String] {
        #if AsyncHTTPClient
        ["URLSession", "AsyncHTTPClient"]
        #else
        ["URLSession"]
        #endif
    }

    private func withTransport(_ name: String, _ body: (any Transport) async throws -> Void) async throws {
        #if AsyncHTTPClient
        if name == "AsyncHTTPClient" {
            let transport = AsyncHTTPClientTransport()
            try await body(transport)
            return try await transport.shutdown()
        }
        #endif
        try await body(URLSessionTransport())
    }

    @Test(
        "It starts, restarts and ends streams, and reports events, comments and errors in order",
        arguments: transports
    )
    func session(name: String) async throws {
        let harness = Harness([
            "id: abc\ndata: Hello\n\n:hi\n", "data: Thanks\nevent: put\n\n", "data: again\n\nCUT", "data: last\n\n",
        ])
        try await withTransport(name) { transport in
            let service = ContractService(over: transport)
            let server = try await LoopbackServer.start { try await service.answer($0) }
            let stream = try await LoopbackServer.start { try await harness.answer($0) }
            let client = transport

            let status = try await client.send(.get(server.url())).body.text()
            #expect(status.contains("\"restart\""))

            let parameters: [String: JSONValue] = [
                "streamUrl": .string(stream.url("/events")), "callbackUrl": .string(stream.url("/callbacks")),
                "initialDelayMs": .number(0), "lastEventId": .string("first"), "method": .string("REPORT"),
                "body": .string("question"),
                "headers": .object(["content-type": .string("text/plain"), "x-a": .string("b")]),
            ]
            let created = try await client.send(
                .post(server.url(), body: HTTPBody(try JSONEncoder().encode(parameters)))
            )
            #expect(created.head.status == .created)
            let resource = try #require(created.head.headerFields[.location])

            try await harness.callbacks.wait(until: 2)
            let restarted = try await client.send(.post(resource, body: #"{"command":"restart"}"#))
            #expect(restarted.head.status.kind == .successful)
            try await harness.callbacks.wait(until: 3)
            _ = try await client.send(.post(resource, body: #"{"command":"restart"}"#))
            try await harness.connections.wait(until: 4)
            try await harness.callbacks.wait(until: 6)

            #expect(try await client.send(.post(resource, body: #"{"command":"dance"}"#)).head.status == .badRequest)
            #expect(try await client.send(.delete(resource)).head.status == .noContent)
            #expect(try await client.send(.delete(resource)).head.status == .notFound)
            #expect(try await client.send(.post(server.url(), body: "no JSON")).head.status == .badRequest)
            #expect(try await client.send(.delete(server.url())).head.status == .noContent)
            try await service.waitUntilStopped()

            let callbacks = harness.callbacks.all
            #expect(callbacks.map(\.path) == (1...callbacks.count).map { "/callbacks/\($0)" })
            let events = callbacks.filter { $0.kind == "event" }
            #expect(events.map(\.text) == ["Hello", "Thanks", "again", "last"])
            #expect(events.map(\.id) == ["abc", "abc", "abc", "abc"])
            #expect(callbacks.contains { $0.kind == "comment" && $0.text == "hi" })
            #expect(callbacks.contains { $0.kind == "error" })
            let requests = harness.connections.all
            #expect(requests.map { $0.values("last-event-id") } == [["first"], ["abc"], ["abc"], ["abc"]])
            #expect(requests.allSatisfy { $0.method == "REPORT" && $0.values("x-a") == ["b"] })
            #expect(harness.bodies.all == Array(repeating: "question", count: 4))
            await server.stop()
            await stream.stop()
        }
    }

    @Test("A stream that is silent is left and opened again, over a real connection", arguments: transports)
    func silent(name: String) async throws {
        // Every connection has the event, because a machine that is busy may be late with the first.
        let harness = Harness(Array(repeating: "data: Hello\n\n", count: 1_000))
        try await withTransport(name) { transport in
            let stream = try await LoopbackServer.start { try await harness.answer($0) }
            let options = EventStreamOptions(
                reconnection: ReconnectionPolicy(delay: .zero),
                watchdog: .after(.milliseconds(500))
            )
            let events = Events<String>()
            let reader = Task {
                for try await event in transport.events(.get(stream.url("/events")), options: options) {
                    events.add(event.data)
                }
            }
            try await harness.connections.wait(until: 2)
            try await events.wait(until: 1)
            reader.cancel()
            _ = await reader.result
            await stream.stop()
        }
    }
}
