#if AllTests
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

extension Events {
    /// Waits until what has happened is enough.
    fileprivate func wait(for condition: ([Element]) -> Bool) async throws {
        var seen = all
        while !condition(seen) {
            try await wait(until: seen.count + 1)
            seen = all
        }
    }
}

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
        if script.hasSuffix("CUT") {
            // A client may throw away what it has not read when a connection breaks.
            try await callbacks.wait { $0.contains { script.contains("data: \($0.text)\n") } }
            return await exchange.close()
        }
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
        // Where many tests share the machine, a minute without a byte says nothing.
        try await body(URLSessionTransport(configuration: .init(requestTimeout: .seconds(600))))
    }

    @Test(
        "The service starts, restarts and ends streams, and reports events, comments and errors in order",
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

    /// What a case of the public tests does: how each connection is answered, and what must come of it.
    struct Case: Sendable, CustomTestStringConvertible {
        enum Answer: Sendable {
            /// Chunks of a stream that stays open.
            case stream([String])
            /// Chunks of a stream that is closed once so many events of all were reported: a client may throw away what
            /// it has not read when a connection breaks.
            case cut([String], after: Int)
            case status(Int, location: String? = nil)
        }

        let testDescription: String
        var method = "GET"
        var body: String?
        let answers: [Answer]
        /// The data of the events, each with its id.
        var events: [String] = []
        /// Whether an error has to be reported.
        var hasError = false
        /// What the last connection says was read last.
        var lastID: String?
        /// Whether nothing follows, though nobody ends the stream.
        var endsByItself = false
        var connections: Int { answers.count }
    }

    static let cases = [
        Case(
            testDescription: "BOM split byte by byte, and a second one that is data",
            answers: [.stream(["\u{FEFF}data: \u{FEFF}Hello\n", "\n"])],
            events: ["\u{FEFF}Hello"]
        ),
        Case(
            testDescription: "CRLF where CR is the end of one chunk",
            answers: [.stream(["data: Hello\r", "\ndata: World\r", "\n\r\ndata: OK\r", "\n", "\r", "\n"])],
            events: ["Hello\nWorld", "OK"]
        ),
        Case(
            testDescription: "an id with NUL is ignored, a field without a colon is empty",
            answers: [.stream(["id: a\ndata: 1\n\nid: b\u{0}c\ndata: 2\n\ndata\n\n"])],
            events: ["1 (a)", "2 (a)", " (a)"]
        ),
        Case(
            testDescription: "an empty id takes the last one away",
            answers: [
                .cut(["id: abc\ndata: Hello\n\n", "id: \ndata: World\n\n"], after: 2), .stream(["data: again\n\n"]),
            ],
            events: ["Hello (abc)", "World", "again"],
            hasError: true
        ),
        Case(
            testDescription: "a message that is cut off is discarded, and its id with it",
            answers: [
                .cut(["id: abc\ndata: Hello\n\nid: def\ndata: Goodbye"], after: 1),
                .stream(["data: We meet again\n\n"]),
            ],
            events: ["Hello (abc)", "We meet again (abc)"],
            hasError: true,
            lastID: "abc"
        ),
        Case(
            testDescription: "the body of a POST is sent again",
            method: "POST",
            body: "{\"hello\": \"world\"}",
            answers: [.cut(["data: 1\n\n"], after: 1), .stream(["data: 2\n\n"])],
            events: ["1", "2"],
            hasError: true
        ),
        Case(testDescription: "204 ends the attempts", answers: [.status(204)], endsByItself: true),
        Case(
            testDescription: "301 is followed",
            answers: [.status(301, location: "/moved"), .stream(["data: 1\n\n"])],
            events: ["1"]
        ),
        Case(
            testDescription: "307 is followed",
            answers: [.status(307, location: "/moved"), .stream(["data: 1\n\n"])],
            events: ["1"]
        ),
        Case(testDescription: "301 without a Location", answers: [.status(301)], hasError: true),
        Case(testDescription: "307 without a Location", answers: [.status(307)], hasError: true),
        Case(testDescription: "301 with an empty Location", answers: [.status(301, location: "")], hasError: true),
        Case(testDescription: "307 with an empty Location", answers: [.status(307, location: "")], hasError: true),
    ]

    @Test("The service behaves as the public contract tests ask for", arguments: cases, transports)
    func contract(asked: Case, name: String) async throws {
        let callbacks = Events<Callback>()
        let connections = Events<LoopbackRequest>()
        let bodies = Events<String>()
        try await withTransport(name) { transport in
            let chain = try Chain(transport: transport) { RedirectMiddleware() }
            let service = ContractService(over: chain)
            let server = try await LoopbackServer.start { try await service.answer($0) }
            let stream = try await LoopbackServer.start { exchange in
                let body = try await exchange.readBody()
                if exchange.request.target.hasPrefix("/callbacks") {
                    callbacks.add(try JSONDecoder().decode(Callback.self, from: body))
                    return try await exchange.reply(200)
                }
                connections.add(exchange.request)
                bodies.add(String(decoding: body, as: UTF8.self))
                let number = connections.all.count
                guard number <= asked.answers.count else { return try await exchange.reply(204) }
                switch asked.answers[number - 1] {
                case .status(let status, let location):
                    try await exchange.reply(status, fields: location.map { [("Location", $0)] } ?? [])
                case .stream(let chunks), .cut(let chunks, _):
                    try await exchange.beginChunks(fields: [("Content-Type", "text/event-stream")])
                    for byte in chunks.joined().utf8 { try await exchange.writeChunk(Data([byte])) }
                    if case .cut(_, let count) = asked.answers[number - 1] {
                        try await callbacks.wait { $0.count { $0.event != nil } >= count }
                        return await exchange.close()
                    }
                    try await exchange.waitForPeerToClose()
                }
            }
            var parameters: [String: JSONValue] = [
                "streamUrl": .string(stream.url("/events")), "callbackUrl": .string(stream.url("/callbacks")),
                "initialDelayMs": .number(0), "method": .string(asked.method),
            ]
            parameters["body"] = asked.body.map { .string($0) }
            let created = try await chain.send(
                .post(server.url(), body: HTTPBody(try JSONEncoder().encode(parameters)))
            )
            let resource = try #require(created.head.headerFields[.location])
            try await connections.wait(until: asked.connections)
            try await callbacks.wait { seen in
                seen.count { $0.event != nil } >= asked.events.count
                    && (!asked.hasError || seen.contains { $0.kind == "error" })
            }
            if asked.endsByItself { await service.waitForEnd(of: 1) }
            // With it the stream has ended.
            _ = try await chain.send(.delete(resource)).body.drain()
            #expect(
                callbacks.all.compactMap(\.event).map { $0.data + ($0.id.map { " (\($0))" } ?? "") } == asked.events
            )
            #expect(callbacks.all.contains { $0.kind == "error" } == asked.hasError)
            #expect(connections.all.count == asked.connections)
            #expect(connections.all.last?.values("last-event-id") == (asked.lastID.map { [$0] } ?? []))
            #expect(connections.all.allSatisfy { $0.method == asked.method })
            #expect(bodies.all.allSatisfy { $0 == asked.body ?? "" })
            _ = try await chain.send(.delete(server.url()))
            try await service.waitUntilStopped()
            await server.stop()
            await stream.stop()
        }
    }

    private struct Callback: Decodable, Sendable {
        struct Event: Decodable, Sendable {
            let data: String
            let id: String?
        }

        let kind: String
        let event: Event?
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
#endif
