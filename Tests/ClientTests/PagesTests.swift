#if AllTests
import HTTPChain
import HTTPChainClient
import HTTPChainPagination
import TestSupport
import Testing

/// A list whose first page is stored.
private struct StoredPlants: StoredRequest {
    typealias Output = [Plant]
    static var storage: ReplyStorage<[Plant]> { .value }
    var path: String { "plants" }
    var storageIdentifier: String? { "plants" }
}

@Suite("Pages of typed calls", .timeLimit(.minutes(10)))
struct PagesTests {
    @Test("A typed call gives the pages of a list, each a call of its client", arguments: Way.allCases)
    func pages(way: Way) async throws {
        let client = Client(
            over: try await way.chain(
                to: ClosureTransport { request in
                    let isFirst = request.head.path == "/plants?sort=name"
                    var response = Response(
                        .ok,
                        headers: [.contentType: "application/json"],
                        body: HTTPBody(#"[{"id":\#(isFirst ? 1 : 2),"name":"Rose"}]"#)
                    )
                    if isFirst, let link = HTTPField.Name("Link") {
                        response.headers[link] = "</plants?page=2>; rel=next"
                    }
                    #expect(request.value is ListPlants || way == .loopback)
                    response.request = request.head
                    return response
                }
            )
        )
        let pages = client.call(ListPlants.self).key("list").pages(by: .linkHeader())
        var ids: [Int] = []
        for try await plant in pages.items() { ids.append(plant.id) }
        #expect(ids == [1, 2])
        #expect(client.registry.count == 0)
    }

    @Test("Of the pages of a list, the first is stored, and a list that begins later replaces nothing")
    func stored() async throws {
        let transport = ClosureTransport { request in
            let page = request.head.path?.hasSuffix("page=2") == true ? 2 : 1
            var response = Response(
                .ok,
                headers: [.contentType: "application/json"],
                body: HTTPBody(#"[{"id":\#(page),"name":"Rose"}]"#)
            )
            if page == 1, let link = HTTPField.Name("Link") { response.headers[link] = "</plants?page=2>; rel=next" }
            response.request = request.head
            return response
        }
        let replies = ReplyStore(.memory(limit: .mebibytes(1)), partition: .shared)
        let client = Client(over: try Garden.chain(over: transport), replies: replies)
        let mocked = Client(
            replies: ReplyStore(.memory(limit: .mebibytes(1)), partition: .shared),
            endpoints: [Endpoint.mock(StoredPlants.self) { _ in [Garden.rose] }]
        )
        let call = client.makeCall(StoredPlants())
        var ids: [Int] = []
        for try await plant in call.pages(by: .linkHeader()).items() { ids.append(plant.id) }
        #expect(ids == [1, 2])
        #expect(try await client.storedReply(for: StoredPlants())?.value.map(\.id) == [1])
        let second = call.pages(by: .linkHeader(), startingAt: .parameters(["page": "2"]))
        for try await page in second { #expect(page.value.map(\.id) == [2]) }
        #expect(try await client.storedReply(for: StoredPlants())?.value.map(\.id) == [1])
        let later = mocked.makeCall(StoredPlants()).pages(by: .linkHeader(), startingAt: .parameters(["page": "2"]))
        for try await page in later { #expect(page.value == [Garden.rose]) }
        #expect(try await mocked.storedReply(for: StoredPlants()) == nil)
    }
}
#endif
