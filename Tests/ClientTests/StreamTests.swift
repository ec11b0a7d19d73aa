#if AllTests
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Streams of typed calls", .heavy, .timeLimit(.minutes(10)))
struct StreamTests {
    private struct Reading: Codable, Hashable, Sendable {
        var level: Int
    }

    private static func server(_ count: Int) -> EventServer {
        EventServer { connection in
            guard connection.number <= count else { return .response(Response(.noContent)) }
            return .stream(
                EventScript {
                    $0.retry(.milliseconds(1))
                    $0.event(#"{"level":\#(connection.number)}"#, id: "\(connection.number)")
                    $0.cut()
                }
            )
        }
    }

    @Test(
        "Each connection of a stream of events is a call of its client, with what the call says",
        arguments: Way.allCases
    )
    func events(way: Way) async throws {
        let server = Self.server(3)
        let client = Client(over: try await way.chain(to: server))
        let call = client.makeCall(GetResponse(path: "levels")).key("levels").header(.userAgent, "gardener")
        var levels: [Int] = []
        for try await reading in try call.eventStream(of: Reading.self) {
            levels.append(reading.level)
            #expect(client.registry.contains(key: "levels"))
        }
        #expect(levels == [1, 2, 3] && server.requests.count == 4)
        #expect(server.requests.map { $0.headerFields[.userAgent] } == Array(repeating: "gardener", count: 4))
        let lastEventID = try #require(HTTPField.Name("Last-Event-ID"))
        #expect(server.requests.last?.headerFields[lastEventID] == "3")
        #expect(client.registry.count == 0)
    }

    @Test("A stream whose call is cancelled ends, and is not opened again", arguments: Way.allCases)
    func cancelled(way: Way) async throws {
        let server = EventServer { _ in
            .stream(
                EventScript {
                    $0.event("one")
                    $0.wait(.seconds(3600))
                }
            )
        }
        let client = Client(over: try await way.chain(to: server))
        let events = try client.makeCall(GetResponse(path: "levels")).key("levels").eventStream().makeAsyncIterator()
        var reader = events
        #expect(try await reader.next()?.data == "one")
        #expect(client.registry.cancel(key: "levels") == 1)
        await #expect(throws: CancellationError.self) { _ = try await reader.next() }
        #expect(try await reader.next() == nil)
        #expect(server.requests.count == 1 && client.registry.count == 0)
    }

    @Test("A mock of the request type answers a stream, and a request that nobody serves has none")
    func mocked() async throws {
        let client = Client(endpoints: [
            Endpoint.mock(GetResponse.self) { _ in
                Response(.ok, headers: [.contentType: "text/event-stream"], body: "data: a\n\ndata: b\n\n")
            }
        ])
        let options = EventStreamOptions(reconnection: .never)
        let stream = try client.makeCall(GetResponse(path: "s")).eventStream(options: options)
        var data: [String] = []
        for try await event in stream { data.append(event.data) }
        #expect(data == ["a", "b"])
        let body = Client(endpoints: [Endpoint.mock(GetStream.self) { _ in "text" }])
        #expect(try await body.call(GetStream(path: "s")).text() == "text")
        let none = Client(endpoints: [Endpoint.mock(GetPlant.self) { _ in Garden.rose }])
        #expect(throws: UnsupportedRequestError.self) { try none.makeCall(GetResponse(path: "s")).eventStream() }
    }

    @Test(
        "Values of JSON are a result, one in each line or in a sequence, and a running call until they were read",
        arguments: [
            ("application/x-ndjson", "{\"level\":1}\n{\"level\":2}\n"),
            ("Application/JSON-seq; a=b", "\u{1E}{\"level\":1}\n\u{1E}{\"level\":2}\n"),
        ],
        Way.allCases
    )
    func values(content: (type: String, text: String), way: Way) async throws {
        let (type, text) = content
        let transport = ClosureTransport { _ in
            Response(.ok, headers: [.contentType: type], body: .chunks(text.map(String.init)))
        }
        let client = Client(over: try await way.chain(to: transport))
        let values = try await client.call(Fetch<JSONValues<Reading>>(path: "levels", result: .jsonValues()))
        #expect(client.registry.count == 1)
        var levels: [Int] = []
        for try await reading in values { levels.append(reading.level) }
        #expect(levels == [1, 2] && client.registry.count == 0)
    }
}
#endif
