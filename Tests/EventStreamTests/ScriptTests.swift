#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let target = "https://api.example.com/events"

@Suite("Scripts of event streams, for tests", .timeLimit(.minutes(10)))
struct EventScriptTests {
    /// Sends a request to a server, on a clock.
    private func open(_ server: EventServer, on clock: VirtualClock = .automatic()) async throws -> Response {
        var request = Request.get(target)
        request.environment = .virtual(clock)
        return try await server.send(request)
    }

    /// What the server sends when it does what a script says, and then ends.
    private func text(_ write: @Sendable (inout EventScript) -> Void) async throws -> String {
        var script = EventScript(write)
        script.end()
        return try await open(EventServer([.stream(script)])).body.text()
    }

    // MARK: What is written

    @Test("An event has its lines in the order event, id, data, and each line of its data")
    func event() async throws {
        #expect(try await text { $0.event("one") } == "data: one\n\n")
        #expect(
            try await text { $0.event("one\n two\n", type: "a", id: "7") } == """
                event: a
                id: 7
                data: one
                data:  two
                data:\u{20}


                """
        )
        #expect(try await text { $0.event("", id: "") } == "id: \ndata: \n\n")
    }

    @Test("A carriage return in data ends a line as a line feed does, so that none of it becomes another field")
    func carriageReturns() async throws {
        #expect(
            try await text { $0.event("a\r\nid: no\rb") } == "data: a\ndata: id: no\ndata: b\n\n"
        )
        #expect(try await text { $0.comment("a\r\ndata: no") } == ":a\n:data: no\n")
    }

    @Test("Comments, waits before the stream is opened again, and anything else")
    func otherLines() async throws {
        #expect(try await text { $0.comment() } == ":\n")
        #expect(try await text { $0.comment("heartbeat") } == ":heartbeat\n")
        #expect(try await text { $0.retry(.milliseconds(2_500)) } == "retry: 2500\n")
        #expect(
            try await text {
                $0.raw("da")
                $0.raw(Data())
                $0.raw(Data("ta:x".utf8))
            } == "data:x"
        )
    }

    @Test("A reader reads exactly what is written", .seeded)
    func roundTrip() async throws {
        let random = Seed.numbers()
        let letters = ["a", "é", "👩‍👩‍👧", " ", ":", "\n", "\r", "\r\n", "\u{85}", "\u{2028}", "data", "\u{0}", "\u{FEFF}"]
        let events = (0..<200).map { number in
            let data = (0..<random.index(below: 12)).map { _ in letters[random.index(below: letters.count)] }.joined()
            return (data: data, type: random.index(below: 3) == 0 ? "type \(number)" : nil, id: "\(number)")
        }
        let script = EventScript {
            for event in events {
                $0.comment("before \(event.id)")
                $0.event(event.data, type: event.type, id: event.id)
            }
            $0.end()
        }
        let response = try await open(EventServer([.stream(script)]))
        var read: [ServerSentEvent] = []
        for try await event in response.body.serverSentEvents() { read.append(event) }
        #expect(read.map(\.type) == events.map { $0.type ?? "message" })
        #expect(read.map(\.lastEventID) == events.map(\.id))
        for (event, written) in zip(read, events) {
            // The format has one end of a line.
            let expected = Data(written.data.utf8.map { $0 })
            #expect(event.bytes == Self.normalized(expected), "\(written.data.debugDescription)")
        }
    }

    /// The bytes with each end of a line as a line feed.
    private static func normalized(_ bytes: Data) -> Data {
        var result = Data()
        var last: UInt8 = 0
        for byte in bytes {
            if byte == 0x0D || byte == 0x0A && last != 0x0D { result.append(0x0A) }
            if byte != 0x0D && byte != 0x0A { result.append(byte) }
            last = byte
        }
        return result
    }

    // MARK: When it is sent, and how it ends

    @Test("A wait passes on the clock of the request, and no later")
    func waiting() async throws {
        let clock = VirtualClock()
        let server = EventServer([
            .stream {
                $0.event("now")
                $0.wait(.seconds(15))
                $0.event("later")
                $0.end()
            }
        ])
        let chunks = Events<String>()
        let response = try await open(server, on: clock)
        let reader = Task {
            for try await chunk in response.body { chunks.add(String(decoding: chunk, as: UTF8.self)) }
        }
        try await clock.waitForSleepers()
        #expect(chunks.all == ["data: now\n\n"])
        clock.advance(by: .seconds(14))
        #expect(clock.pendingDeadlines == [.seconds(15)])
        clock.advance(by: .seconds(1))
        try await reader.value
        #expect(chunks.all == ["data: now\n\n", "data: later\n\n"])
        #expect(clock.sleeps == [.seconds(15)])
    }

    @Test("A script that says neither end nor cut stays open until its reader gives up")
    func silence() async throws {
        let server = EventServer([.stream { $0.event("only") }])
        let chunks = Events<Data>()
        let response = try await open(server)
        let reader = Task {
            for try await chunk in response.body { chunks.add(chunk) }
        }
        try await chunks.wait(until: 1)
        #expect(server.openStreams == 1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await server.waitForOpenStreams(0)
    }

    @Test(
        "A cut throws what it is told to, or that the connection was lost after the answer; nothing behind it is sent"
    )
    func cuts() async throws {
        struct Boom: Error {}
        let server = EventServer([
            .stream {
                $0.cut()
                $0.event("no")
            },
            .stream { $0.cut(Boom()) },
        ])
        let lost = await #expect(throws: TransportError.self) {
            try await self.open(server).body.collect()
        }
        #expect(lost?.kind == .connectionLost)
        #expect(lost?.sent == .answered)
        await #expect(throws: Boom.self) { try await self.open(server).body.collect() }
        #expect(server.openStreams == 0)
    }

    @Test("A stream is open until it ends, or until nobody can read it any more")
    func openStreams() async throws {
        let server = EventServer([
            .stream {
                $0.event("1")
                $0.end()
            }, .stream { $0.event("2") },
        ])
        var first: Response? = try await open(server)
        var second: Response? = try await open(server)
        try await server.waitForOpenStreams(2)
        _ = try await first?.body.collect()
        try await server.waitForOpenStreams(1)
        second = nil
        try await server.waitForOpenStreams(0)
        first = nil
        #expect(first == nil && second == nil)
    }

    @Test("A server answers in order, tells what each connection asked for, and refuses what it has no answer for")
    func answers() async throws {
        struct Boom: Error {}
        let server = EventServer { connection in
            switch connection.number {
            case 1:
                .stream {
                    $0.event("\(connection.request.method) after \(connection.lastEventID ?? "nothing")"); $0.end()
                }
            case 2:
                .stream {
                    $0.event("after \(connection.lastEventID ?? "nothing")"); $0.end()
                }
            case 3: .failure(Boom())
            default: .response(Response(.noContent))
            }
        }
        #expect(try await open(server).body.text() == "data: GET after nothing\n\n")
        let name = try #require(HTTPField.Name("Last-Event-ID"))
        var request = Request.post(target, headers: [name: "7"])
        request.environment = .virtual(.automatic())
        let response = try await server.send(request)
        #expect(response.headers[.contentType] == "text/event-stream")
        #expect(try await response.body.text() == "data: after 7\n\n")
        await #expect(throws: Boom.self) { try await self.open(server) }
        #expect(try await open(server).head.status == .noContent)
        try await server.waitForRequests(4)
        #expect(server.requests.map(\.method) == [.get, .post, .get, .get])

        let list = EventServer([.response(Response(.ok))])
        #expect(try await open(list).head.status == .ok)
        #expect(try await open(list).head.status == .serviceUnavailable)
    }
}
#endif
