#if AllTests
import Foundation
import HTTPChain
import HTTPChainOData
import HTTPChainPagination
import TestSupport
import Testing

@Suite("Pages of an OData service", .timeLimit(.minutes(10)))
struct ODataPagesTests {
    struct Item: Codable, Sendable { var id: Int }

    private static let base = "https://odata.example.com/v4"

    /// A service that answers a query with pages: the identifiers, and the next link as it stands there.
    private static func chain(_ pages: [String: (ids: [Int], next: String?)], asked: Events<String>) throws -> Chain {
        try Chain(
            transport: ClosureTransport { request in
                asked.add(request.url)
                guard let page = pages[request.url] else { return Response(.notFound) }
                let items = page.ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
                let next = page.next.map { #","@odata.nextLink":"\#($0)""# } ?? ""
                var response = Response(
                    .ok,
                    headers: [.contentType: "application/json;odata.metadata=minimal"],
                    body: HTTPBody(#"{"@odata.count":5,"value":[\#(items)]\#(next)}"#)
                )
                response.request = request.head
                return response
            }
        ) {
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base)
        }
    }

    @Test("A next link is followed from where its page was, with the skip token as the service wrote it")
    func nextLink() async throws {
        let asked = Events<String>()
        let chain = try Self.chain(
            [
                "\(Self.base)/Plants/All?$filter=Height%20gt%203&$count=true": (
                    [1, 2], "All?$filter=Height%20gt%203&$skiptoken='a%2Fb'%2C2"
                ),
                "\(Self.base)/Plants/All?$filter=Height%20gt%203&$skiptoken='a%2Fb'%2C2": (
                    [3], "\(Self.base)/Plants/All?$skiptoken=4"
                ),
                "\(Self.base)/Plants/All?$skiptoken=4": ([4, 5], nil),
            ],
            asked: asked
        )
        let query = ODataQuery<ODataAnyEntity>("Plants").navigating(to: "All", as: ODataAnyEntity.self)
            .filter(.property("Height") > 3).count()
        let pages = chain.pages(of: ODataPage<Item>.self, from: try query.request(), by: .nextURL(\.nextLink))
        #expect(try await pages.items(\.value).reduce(into: []) { $0.append($1.id) } == [1, 2, 3, 4, 5])
        #expect(asked.all.count == 3)
    }

    @Test("A next link to another origin, or to a page that was there, is not followed")
    func deadEnds() async throws {
        for next in ["https://evil.example/Plants?$skiptoken=2", "Plants"] {
            let asked = Events<String>()
            let chain = try Self.chain(["\(Self.base)/Plants": ([1], next)], asked: asked)
            let request = try ODataQuery<ODataAnyEntity>("Plants").request()
            let pages = chain.pages(of: ODataPage<Item>.self, from: request, by: .nextURL(\.nextLink))
            await #expect(throws: PaginationError.self) { for try await _ in pages {} }
            #expect(asked.all.count == 1)
        }
    }
}
#endif
