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
    private static func chain(
        _ pages: [String: (ids: [Int], next: String?)],
        context: String? = nil,
        asked: Events<String>
    ) throws -> Chain {
        try Chain(
            transport: ClosureTransport { request in
                asked.add(request.url)
                guard let page = pages[request.url] else { return Response(.notFound) }
                let items = page.ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
                let next =
                    (page.next.map { #","@odata.nextLink":"\#($0)""# } ?? "")
                    + (context.map { #","@odata.context":"\#($0)""# } ?? "")
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

    @Test(
        "A relative next link is relative to the context URL, which may be relative to the request's",
        arguments: [
            ("https://odata.example.com/v4/$metadata#Plants", "Plants?$skiptoken=2"),
            ("/v4/$metadata#Plants", "Plants?$skiptoken=2"),
            ("../$metadata#Plants", "Plants?$skiptoken=2"), ("../$metadata#Plants", "./Plants?$skiptoken=2"),
            ("//odata.example.com/v4/$metadata", "Plants?$skiptoken=2"), ("$metadata", "../Plants?$skiptoken=2"),
            ("https://odata.example.com/other/$metadata", "/v4/Plants?$skiptoken=2"),
            ("https://other.example/$metadata", "https://odata.example.com/v4/Plants?$skiptoken=2"),
            ("https://other.example/$metadata", "//odata.example.com/v4/Plants?$skiptoken=2"),
        ]
    )
    func context(context: String, next: String) async throws {
        let asked = Events<String>()
        let pages: [String: (ids: [Int], next: String?)] = [
            "\(Self.base)/Plants/All": ([1], next), "\(Self.base)/Plants?$skiptoken=2": ([2], nil),
        ]
        let chain = try Self.chain(pages, context: context, asked: asked)
        let request = Request.get("Plants/All")
        let sequence = chain.pages(of: ODataPage<Item>.self, from: request, by: .nextURL(\.nextLink))
        #expect(try await sequence.items(\.value).reduce(into: []) { $0.append($1.id) } == [1, 2])
    }

    @Test("Links are resolved against the context of their page, whatever the control information is called")
    func links() throws {
        func page(_ members: String) throws -> ODataPage<Item> {
            try JSONDecoder().decode(ODataPage<Item>.self, from: Data(#"{"value":[],\#(members)}"#.utf8))
        }
        let delta = try page(
            ##""@context":"https://a.example/v4/$metadata#Plants","@deltaLink":"Plants?$deltatoken=1""##
        )
        #expect(delta.deltaLink == "https://a.example/v4/Plants?$deltatoken=1" && delta.nextLink == nil)
        // Without a context, and for a query alone, the request's URL counts.
        #expect(try page(#""@odata.nextLink":"Plants?$skiptoken=2""#).nextLink == "Plants?$skiptoken=2")
        let query = try page(##""@odata.context":"https://a.example/v4/$metadata","@odata.nextLink":"?$skiptoken=2""##)
        #expect(query.nextLink == "?$skiptoken=2")
        #expect(try page(#""@odata.context":5,"@odata.nextLink":"a""#).nextLink == "a")
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
