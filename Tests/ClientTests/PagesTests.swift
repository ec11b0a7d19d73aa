#if AllTests
import HTTPChain
import HTTPChainClient
import HTTPChainPagination
import TestSupport
import Testing

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
}
#endif
