#if AllTests
import HTTPChain
import HTTPChainClient
import TestSupport
import Testing

/// A source of values.
private actor Notebook {
    private var notes = [7: "Water the roses"]

    func note(_ id: Int) -> String? { notes[id] }
    func write(_ note: String, _ id: Int) { notes[id] = note }
}

private struct Thermometer: Sendable {
    let degrees: Double
}

private struct Broken: Error {}

private struct ReadNote: LocalRequest, Hashable {
    typealias Output = String?
    let id: Int
    func output(from notebook: Notebook) async throws -> String? { await notebook.note(id) }
}

private struct WriteNote: LocalRequest {
    typealias Output = Void
    let note: String
    func output(from notebook: Notebook) async throws {
        if note.isEmpty { throw Broken() }
        await notebook.write(note, 8)
    }
}

private struct ReadDegrees: LocalRequest {
    /// Neither decodable nor one of the types that are read from bytes.
    struct Output: Equatable, Sendable {
        let degrees: Double
    }

    func output(from thermometer: Thermometer) -> Output { Output(degrees: thermometer.degrees) }
}

@Suite("Endpoints without a network", .timeLimit(.minutes(10)))
struct LocalEndpointTests {
    private func client() throws -> Client {
        let chain = try Garden.chain(over: GardenTransport())
        return Client(endpoints: [
            Endpoint("notebook", source: Notebook()),
            Endpoint("thermometer", source: Thermometer(degrees: 21.5)),
            Endpoint("api", over: chain, for: (any GardenRequest).self),
        ])
    }

    @Test("An endpoint serves all request types of its source with values, beside the endpoints of a network")
    func values() async throws {
        let client = try client()
        #expect(try await client.call(ReadNote(id: 7)) == "Water the roses")
        #expect(try await client.call(ReadNote(id: 8)) == nil)
        try await client.call(WriteNote(note: "Cut the hedge"))
        #expect(try await client.makeCall(ReadNote(id: 8)).key("note").value == "Cut the hedge")
        #expect(try await client.call(ReadDegrees()).degrees == 21.5)
        #expect(try await client.call(GetPlant(id: 7)) == Garden.rose)
        await #expect(throws: Broken.self) { try await client.call(WriteNote(note: "")) }
    }

    @Test("A request whose source no endpoint has is not supported")
    func unsupported() async throws {
        let client = Client(endpoints: [Endpoint("thermometer", source: Thermometer(degrees: 1))])
        let error = await #expect(throws: UnsupportedRequestError.self) { try await client.call(ReadNote(id: 7)) }
        #expect(error?.endpoints == ["thermometer"])
    }

    @Test("Calls of an endpoint have events with its name")
    func events() async throws {
        let client = try client()
        let events = client.events()
        _ = try await client.makeCall(ReadNote(id: 7)).tags("page").value
        var words: [String] = []
        for await event in events {
            #expect(event.endpoint == "notebook" && event.tags == ["page"])
            words.append("\(event.change)")
            if event.change.isEnd { break }
        }
        #expect(words == ["willBegin", "didBegin", "succeeded"])
    }
}
#endif
