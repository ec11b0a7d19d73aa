#if AllTests && Macros
import Foundation
import HTTPChainInMemory
import HTTPChainMacros
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Results of a declared client, and what holds for all of its methods", .timeLimit(.minutes(10)))
struct DeclaredResultTests {
    private static let leaf = Leaf(id: 7, color: "red")
    private let transport = InMemoryTransport()

    private func leaves(over other: (any Transport)? = nil) throws -> LeafServiceClient {
        let chain = try Chain(transport: other ?? transport, options: .unchecked) {
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://leaves.example/v1")
            HeadersMiddleware()
            MultipartMiddleware()
        }
        return LeafServiceClient(chain: chain)
    }

    private func sent() throws -> RecordedRequest { try #require(transport.requests.last) }

    @Test("A record has its version, and its path has parameters by position and by name")
    func record() async throws {
        transport.enqueue(try .json(Self.leaf, headers: [.eTag: "\"v1\""]))
        let record = try await leaves().leaf(id: 7, side: "left")
        #expect(record.value == Self.leaf && record.entityTag == "\"v1\"")
        #expect(try sent().url == "https://leaves.example/v1/leaves/7/left")
        transport.enqueue(.status(.notFound))
        await #expect(throws: ResourceError.self) { try await leaves().leaf(id: 8, side: "left") }
    }

    @Test("What stands on the service holds for each method, unless the method says something else")
    func inherited() async throws {
        let zone = try #require(HTTPField.Name("X-Zone"))
        let calls = try leaves().calls
        let list = try calls.list(color: nil, size: nil).request.makeRequest()
        #expect(list.headers[zone] == "north" && list.headers[.accept] == "application/json")
        #expect(list.options[Zone.self] == "north")
        #expect(list.options[CallRegistrationOption.self].tags == ["leaves", "list"])
        let leaf = try calls.leaf(id: 1, side: "right").request.makeRequest()
        #expect(leaf.headers[zone] == "south" && leaf.headers[.accept] == "application/json")
        #expect(leaf.options[CallRegistrationOption.self].tags == ["leaves"])
        let falling = try calls.falling(since: 1, type: "text/event-stream").request.makeRequest()
        #expect(falling.headers[.accept] == "text/event-stream")
        transport.enqueue(.status(.notFound))
        await #expect(throws: StatusError.self) { try await leaves().fallen() }
    }

    @Test("An optional behind an operator of a template is left out")
    func optionals() async throws {
        transport.enqueue(try .json([Self.leaf]), times: 2)
        #expect(try await leaves().list() == [Self.leaf])
        #expect(try sent().url == "https://leaves.example/v1/leaves")
        _ = try await leaves().list(color: "red & blue", size: 3)
        #expect(try sent().url == "https://leaves.example/v1/leaves?color=red%20%26%20blue&size=3")
    }

    @Test("Pages follow one another, by the Link field or by what a page holds")
    func pages() async throws {
        let link = try #require(HTTPField.Name("Link"))
        let first: ScriptedReply = try .json([Self.leaf], headers: [link: "</v1/leaves?page=2>; rel=next"])
        transport.enqueue([first, try .json([Leaf(id: 8, color: "red")])])
        var ids: [Int] = []
        for try await leaf in try await leaves().pages(color: "red").items() { ids.append(leaf.id) }
        #expect(ids == [7, 8])
        #expect(try sent().url == "https://leaves.example/v1/leaves?page=2")
        transport.enqueue([
            .text(#"{"leaves":[],"next":"/v1/pages/2"}"#, headers: [.contentType: "application/json"]),
            .text(#"{"leaves":[]}"#, headers: [.contentType: "application/json"]),
        ])
        var count = 0
        for try await page in try await leaves().book() { count += page.value.leaves.count + 1 }
        #expect(count == 2)
    }

    @Test("Values of JSON come one after the other")
    func values() async throws {
        transport.enqueue(.text("{\"id\":1,\"color\":\"red\"}\n{\"id\":2,\"color\":\"red\"}\n"))
        var ids: [Int] = []
        let leaves = try leaves()
        for try await leaf in try await leaves.fallen() { ids.append(leaf.id) }
        #expect(ids == [1, 2])
    }

    @Test("Events come over several connections, as values or as they are")
    func events() async throws {
        let server = EventServer { connection in
            guard connection.number < 3 else { return .response(Response(.noContent)) }
            return .stream(
                EventScript {
                    $0.retry(.milliseconds(1))
                    $0.event(#"{"id":\#(connection.number),"color":"red"}"#, id: "\(connection.number)")
                    $0.cut()
                }
            )
        }
        let leaves = try leaves(over: server)
        var ids: [Int] = []
        for try await leaf in try await leaves.falling(since: 3, type: "text/event-stream") { ids.append(leaf.id) }
        #expect(ids == [1, 2])
        #expect(server.requests.first?.path == "/v1/falling?since=3")
        let answers = EventServer([
            .stream(
                EventScript {
                    $0.event("It")
                    $0.event("falls")
                    $0.event("[DONE]")
                }
            )
        ])
        var words: [String] = []
        for try await event in try await self.leaves(over: answers).ask("Why?") { words.append(event.data) }
        #expect(words == ["It", "falls"] && answers.requests.count == 1)
    }

    @Test("A multipart form may have a boundary of its own, and names may be keywords")
    func keywords() async throws {
        transport.enqueue(.text(#"{"count":2}"#, headers: [.contentType: "application/json"]))
        #expect(try await leaves().repeat("a", default: 1) == Request.Calls(count: 2))
        #expect(try sent().headers[.contentType] == "multipart/form-data; boundary=leaf")
        #expect(try sent().text.contains("name=\"in\"") && sent().text.contains("name=\"default\""))
        let mock = LeafServiceMock()
        mock.on.repeat.returns(nil)
        #expect(try await mock.repeat("a", default: 2) == nil)
        #expect(mock.on.repeat.calls.first?.default == 2)
    }

    @Test("A mock gives pages and streams as a script of its transport says")
    func mocks() async throws {
        transport.enqueue(try .json([Self.leaf]))
        let mock = LeafServiceMock()
        let real = try leaves()
        mock.on.pages.answers { try await real.pages(color: $0) }
        var ids: [Int] = []
        for try await leaf in try await mock.pages(color: "red").items() { ids.append(leaf.id) }
        #expect(ids == [7] && mock.on.pages.calls == ["red"])
    }
}
#endif
