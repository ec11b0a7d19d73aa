#if AllTests
import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainPagination
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Pages of a list", .heavy, .timeLimit(.minutes(10)))
struct PageTests {
    struct Envelope: Codable, Sendable {
        var items: [Int]
        var next: String?
        var total: Int?
    }

    static let base = "https://api.example.com"

    /// A service: what it answers to each URL.
    static func chain(
        _ answers: [String: (headers: HTTPFields, body: String)],
        seen: Events<Request>? = nil,
        _ way: Way = .memory
    ) async throws -> Chain {
        let service = ClosureTransport { request in
            seen?.add(request)
            guard let answer = answers[request.url] else {
                Issue.record("nobody answers \(request.url)")
                return Response(.notFound)
            }
            var response = Response(.ok, headers: answer.headers, body: HTTPBody(answer.body))
            response.request = request.head
            return response
        }
        let (transport, base) = try await way.transport(to: service, at: Self.base, over: URLSessionTransport())
        return try Chain(transport: transport) {
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base)
        }
    }

    static func link(_ value: String) -> HTTPFields {
        var fields = HTTPFields()
        if let name = HTTPField.Name("Link") { fields[name] = value }
        return fields
    }

    static func collect<Value>(_ pages: PageSequence<Value>) async throws -> [Value] {
        try await pages.reduce(into: []) { $0.append($1.value) }
    }

    @Test(
        "The Link field leads from page to page, relative ones too, and the list ends where there is no next",
        arguments: Way.allCases
    )
    func linkHeader(way: Way) async throws {
        let chain = try await Self.chain(
            [
                "\(Self.base)/plants?per=2": (
                    Self.link(#"<?per=2&page=2>; rel="next", </plants?page=9>; rel=last"#), "[1,2]"
                ),
                "\(Self.base)/plants?per=2&page=2": (
                    Self.link(#"<https://api.example.com/plants?page=3>; rel=next"#), "[3,4]"
                ),
                "\(Self.base)/plants?page=3": (Self.link(#"</plants?per=2>; rel="prev first""#), "[5]"),
            ],
            way
        )
        let pages = chain.pages(of: [Int].self, from: .get("plants", query: ["per": 2]), by: .linkHeader())
        #expect(try await Self.collect(pages) == [[1, 2], [3, 4], [5]])
        #expect(try await pages.items().reduce(into: []) { $0.append($1) } == [1, 2, 3, 4, 5])
    }

    @Test("A URL in the body is the next page", arguments: Way.allCases)
    func nextURL(way: Way) async throws {
        let chain = try await Self.chain(
            [
                "\(Self.base)/a": ([:], #"{"items":[1],"next":"/a?x={y}#top"}"#),
                "\(Self.base)/a?x=%7By%7D": ([:], #"{"items":[2]}"#),
            ],
            way
        )
        let pages = chain.pages(of: Envelope.self, from: .get("a"), by: .nextURL(\.next))
        #expect(try await pages.items(\.items).reduce(into: []) { $0.append($1) } == [1, 2])
    }

    @Test("A cursor is sent back as it is, the empty one too", arguments: Way.allCases)
    func cursor(way: Way) async throws {
        let chain = try await Self.chain(
            [
                "\(Self.base)/a?q=x&cursor=old": ([:], #"{"items":[1],"next":""}"#),
                "\(Self.base)/a?q=x&cursor=": ([:], #"{"items":[2],"next":"a+b/="}"#),
                "\(Self.base)/a?q=x&cursor=a%2Bb%2F%3D": ([:], #"{"items":[3]}"#),
            ],
            way
        )
        let style = PaginationStyle<Envelope>.cursor(parameter: "cursor", \.next)
        let pages = chain.pages(of: Envelope.self, from: .get("a?q=x&cursor=old"), by: style)
        #expect(try await Self.collect(pages).flatMap(\.items) == [1, 2, 3])
    }

    @Test(
        "An offset grows by what came, up to the total or an empty page; a page number by one",
        arguments: Way.allCases
    )
    func offsets(way: Way) async throws {
        let chain = try await Self.chain(
            [
                "\(Self.base)/a": ([:], #"{"items":[1,2],"total":3}"#),
                "\(Self.base)/a?offset=2": ([:], #"{"items":[3],"total":3}"#),
                "\(Self.base)/b": ([:], "[1,2]"), "\(Self.base)/b?skip=2": ([:], "[3]"),
                "\(Self.base)/b?skip=3": ([:], "[]"),
                "\(Self.base)/c": ([:], "[1]"), "\(Self.base)/c?page=2": ([:], "[2]"),
                "\(Self.base)/c?page=3": ([:], "[]"),
            ],
            way
        )
        let byTotal = PaginationStyle<Envelope>.offset(total: \.total, count: \.items.count)
        let first = try await Self.collect(chain.pages(of: Envelope.self, from: .get("a"), by: byTotal))
        #expect(first.flatMap(\.items) == [1, 2, 3])
        let second = chain.pages(of: [Int].self, from: .get("b"), by: .offset(parameter: "skip"))
        #expect(try await Self.collect(second) == [[1, 2], [3], []])
        let third = chain.pages(of: [Int].self, from: .get("c"), by: .page(isLast: \.isEmpty))
        #expect(try await Self.collect(third) == [[1], [2], []])
    }

    static let sources: [(Request, parameter: String, [String])] = [
        (
            .get("items", query: ["page": 1, "size": 50]), "page",
            ["/items?page=1&size=50", "/items?size=50&page=2", "/items?size=50&page=3"]
        ),
        (
            .get("items{?page,size}", path: ["page": 1, "size": 50]), "page",
            ["/items?page=1&size=50", "/items?size=50&page=2", "/items?size=50&page=3"]
        ),
        (
            .get("items?a=b{&page}", path: ["page": 1]), "page",
            ["/items?a=b&page=1", "/items?a=b&page=2", "/items?a=b&page=3"]
        ),
        (.get("items{?page}", path: [:]), "page", ["/items", "/items?page=2", "/items?page=3"]),
        (
            .get("{set}", path: ["set": "items"], query: ["q": "page"]), "page",
            ["/items?q=page", "/items?q=page&page=2", "/items?q=page&page=3"]
        ),
        (
            .get("items?page[number]=1&x"), "page[number]",
            ["/items?page%5Bnumber%5D=1&x", "/items?x&page%5Bnumber%5D=2", "/items?x&page%5Bnumber%5D=3"]
        ),
        (
            .get("items?page%5bnumber%5d=1"), "page[number]",
            ["/items?page%5bnumber%5d=1", "/items?page%5Bnumber%5D=2", "/items?page%5Bnumber%5D=3"]
        ),
        (
            .get("items?%70age=1&page=1&pages=1"), "page",
            ["/items?%70age=1&page=1&pages=1", "/items?pages=1&page=2", "/items?pages=1&page=3"]
        ),
        (.get("items?a+b=1"), "a b", ["/items?a+b=1", "/items?a%20b=2", "/items?a%20b=3"]),
        (
            .get("items", query: .encoding(["page": 1, "per": 2])), "page",
            ["", "/items?per=2&page=2", "/items?per=2&page=3"]
        ),
        (
            .get("items", query: .raw("page=1&x=%2F")), "page",
            ["/items?page=1&x=%2F", "/items?x=%2F&page=2", "/items?x=%2F&page=3"]
        ),
        (
            .get("items", query: ["page": ["number": 1, "size": 2]]), "page[number]",
            [
                "", "/items?page%5Bsize%5D=2&page%5Bnumber%5D=2",
                "/items?page%5Bsize%5D=2&page%5Bnumber%5D=3",
            ]
        ),
        (
            .get("\(base)/items?page=1", query: ["page": 1]), "page",
            ["/items?page=1&page=1", "/items?page=2", "/items?page=3"]
        ),
    ]

    @Test("A parameter is replaced wherever it came from, and sent once", arguments: 0..<sources.count)
    func replaced(index: Int) async throws {
        let (request, parameter, expected) = Self.sources[index]
        let asked = Events<String>()
        let service = ClosureTransport { request in
            asked.add(request.head.path ?? "")
            return Response(.ok, body: HTTPBody(asked.all.count < 3 ? "[\(asked.all.count)]" : "[]"))
        }
        let chain = try Chain(transport: service) { URLBuilderMiddleware(base: Self.base) }
        let pages = chain.pages(of: [Int].self, from: request, by: .page(parameter: parameter, isLast: \.isEmpty))
        #expect(try await Self.collect(pages) == [[1], [2], []])
        #expect(asked.all.count == 3)
        for (path, expected) in zip(asked.all, expected) where !expected.isEmpty { #expect(path == expected) }
    }

    static let counted: [(Request, PaginationStyle<[Int]>, [String])] = [
        (.get("items", query: ["page": 0]), .page(isLast: \.isEmpty), ["page=0", "page=1", "page=2"]),
        (.get("items", query: ["page": 3]), .page(isLast: \.isEmpty), ["page=3", "page=4", "page=5"]),
        (.get("items?p+n=7"), .page(parameter: "p n", isLast: \.isEmpty), ["p+n=7", "p%20n=8", "p%20n=9"]),
        (.get("items{?page}", path: ["page": 4]), .page(isLast: \.isEmpty), ["page=4", "page=5", "page=6"]),
        (.get("items?page="), .page(first: 0, isLast: \.isEmpty), ["page=", "page=1", "page=2"]),
        (.get("items", query: ["offset": 4]), .offset(), ["offset=4", "offset=6", "offset=8"]),
        (.get("\(base)/items?offset=%34"), .offset(start: 1), ["offset=%34", "offset=6", "offset=8"]),
    ]

    @Test("Counting starts at the number that the first request sends", arguments: 0..<counted.count)
    func countedFrom(index: Int) async throws {
        let (request, style, expected) = Self.counted[index]
        let asked = Events<String>()
        let service = ClosureTransport { request in
            asked.add(request.head.path ?? "")
            let count = asked.all.count
            return Response(.ok, body: HTTPBody(count < 3 ? "[\(count),\(count)]" : "[]"))
        }
        // A complete URL needs no stage.
        let transport: any Transport =
            request.origin == nil ? try Chain(transport: service) { URLBuilderMiddleware(base: Self.base) } : service
        let pages = transport.pages(of: [Int].self, from: request, by: style)
        #expect(try await Self.collect(pages) == [[1, 1], [2, 2], []])
        #expect(asked.all == expected.map { "/items?\($0)" })
    }

    @Test("Pages can't be counted from a value that isn't a number")
    func notCounted() async throws {
        let service = ClosureTransport { _ in Response(.ok, body: "[1]") }
        let request = Request.get(Self.base + "/items?page=last")
        var pages = service.pages(of: [Int].self, from: request, by: .page(isLast: \.isEmpty)).makeAsyncIterator()
        #expect(try await pages.next()?.value == [1])
        let error = await #expect(throws: PaginationError.self) { try await pages.next() }
        #expect(error?.problem == .cannotFollow("the parameter page of the request isn't a number"))
    }

    @Test("A parameter of the base and one that a builder of one's own writes are replaced, too")
    func replacedInBuilder() async throws {
        let asked = Events<String>()
        let service = ClosureTransport { request in
            asked.add(request.head.path ?? "")
            return Response(.ok, body: HTTPBody(asked.all.count.isMultiple(of: 2) ? "[]" : "[1]"))
        }
        for builder in [
            URLBuilderMiddleware(base: Self.base + "/v2?page=1&key=k"),
            URLBuilderMiddleware { _ in Self.base + "/v2/items?key=k&page=1" },
        ] {
            let chain = try Chain(transport: service) { builder }
            let pages = chain.pages(of: [Int].self, from: .get("items"), by: .page(isLast: \.isEmpty))
            #expect(try await Self.collect(pages) == [[1], []])
        }
        #expect(asked.all[1] == "/v2/items?key=k&page=2" && asked.all[3] == "/v2/items?key=k&page=2")
    }

    @Test("Without a URL builder a parameter of an absolute URL is replaced")
    func replacedWithoutBuilder() async throws {
        let asked = Events<String>()
        let service = ClosureTransport { request in
            asked.add(request.url)
            return Response(.ok, body: HTTPBody(asked.all.count < 2 ? "[1]" : "[]"))
        }
        let pages = service.pages(
            of: [Int].self,
            from: .get(Self.base + "/items?page[n]=1&a"),
            by: .page(parameter: "page[n]", isLast: \.isEmpty)
        )
        #expect(try await Self.collect(pages) == [[1], []])
        #expect(asked.all.last == Self.base + "/items?a&page%5Bn%5D=2")
    }

    @Test(
        "Without a URL builder the characters that a link can't have are percent-encoded",
        arguments: [
            ("items?f={\"a\":1}", "/items?f=%7B%22a%22:1%7D"), ("items?a=%", "/items?a=%25"),
            ("items?a=%2525%7B", "/items?a=%2525%7B"), ("items|x?q=ü", "/items%7Cx?q=%C3%BC"),
        ]
    )
    func encodedWithoutBuilder(link: String, expected: String) async throws {
        let asked = Events<String>()
        let service = ClosureTransport { request in
            asked.add(request.url)
            var response = Response(.ok, body: HTTPBody(asked.all.count < 2 ? "[1]" : "[]"))
            response.request = request.head
            return response
        }
        let style = PaginationStyle<[Int]>.nextURL { $0.isEmpty ? nil : link }
        let pages = service.pages(of: [Int].self, from: .get(Self.base + "/items"), by: style)
        #expect(try await Self.collect(pages) == [[1], []])
        #expect(asked.all.last == Self.base + expected)
    }

    enum Kind: String, Codable, Sendable { case one, two }

    struct Item: Codable, Sendable {
        var id: Int
        var kind: Kind?
        var tags: [String]
    }

    @Test(
        "A service that ignores the parameter, or begins anew after its last page, ends the list with an error",
        arguments: [1, 2, 3]
    )
    func ignored(count: Int) async throws {
        let asked = Counter()
        let service = ClosureTransport { request in
            let page = asked.value % count
            asked.add()
            return Response(.ok, body: HTTPBody(#"[{"id":\#(page),"kind":"one","tags":["a"]}]"#))
        }
        for style in [
            PaginationStyle<[Item]>.page(isLast: \.isEmpty), .offset(),
            .custom { page in .parameters(["page": "\(page.value.count)\(asked.value)"]) },
        ] {
            let pages = service.pages(of: [Item].self, from: .get(Self.base + "/items?page=1"), by: style)
            var items = 0
            let error = await #expect(throws: PaginationError.self) {
                for try await page in pages { items += page.value.count }
            }
            #expect(error?.problem == .noProgress)
            #expect(items == count + 1)
        }
    }

    @Test("Pages that differ in a part that cannot be compared by itself are progress")
    func similar() async throws {
        let asked = Counter()
        let service = ClosureTransport { request in
            asked.add()
            let kind = asked.value > 4 ? "two" : "one"
            return Response(
                .ok,
                body: HTTPBody(
                    asked.value == 6 ? "[]" : #"[{"id":1,"kind":"\#(kind)","tags":["\#(asked.value / 2)"]}]"#
                )
            )
        }
        let pages = service.pages(of: [Item].self, from: .get(Self.base + "/items"), by: .page(isLast: \.isEmpty))
        #expect(try await Self.collect(pages).count == 6)
    }

    static func elsewhere(_ url: String) -> PaginationError.Problem {
        Origin(url).map { .otherOrigin($0) } ?? .noProgress
    }

    static let dead: [(link: String, PaginationError.Problem)] = [
        ("<https://evil.example/plants>; rel=next", elsewhere("https://evil.example/")),
        ("<//evil.example/plants>; rel=next", elsewhere("https://evil.example/")),
        ("<http://api.example.com/plants?page=2>; rel=next", elsewhere("http://api.example.com/")),
        ("<https://api.example.com:8443/>; rel=next", elsewhere("https://api.example.com:8443/")),
        ("<https://user:pw@api.example.com/>; rel=next", .cannotFollow("https://[redacted]@api.example.com/")),
        ("<ftp://api.example.com/>; rel=next", .cannotFollow("ftp://api.example.com/")),
        ("<javascript:alert(1)>; rel=next", .cannotFollow("javascript:alert(1)")),
        ("</plants>; rel=next", .noProgress), ("<>; rel=next", .noProgress), ("<#x>; rel=next", .noProgress),
    ]

    @Test(
        "What cannot be followed, leaves the origin, or was there before ends the list with an error",
        arguments: 0..<dead.count,
        Way.allCases
    )
    func deadEnds(index: Int, way: Way) async throws {
        var (link, problem) = Self.dead[index]
        if way == .loopback {
            // The server's origin has another scheme, and a port of its own.
            if link.hasPrefix("<//") { problem = Self.elsewhere("http://evil.example/") }
            link = link.replacing("<https://api.example.com:8443/>", with: "<https://localhost:8443/>")
            if link.hasPrefix("<https://localhost") { problem = Self.elsewhere("https://localhost:8443/") }
        }
        let seen = Events<Request>()
        let chain = try await Self.chain(["\(Self.base)/plants": (Self.link(link), "[1]")], seen: seen, way)
        let request = Request.get("plants", headers: [.authorization: "Bearer secret"])
        let pages = chain.pages(of: [Int].self, from: request, by: .linkHeader())
        var iterator = pages.makeAsyncIterator()
        // The page that was read is not lost.
        let page = try await iterator.next()
        #expect(page?.value == [1] && page?.next == nil)
        do {
            _ = try await iterator.next()
            Issue.record("the list went on")
        } catch let error as PaginationError {
            if case .cannotFollow = problem, case .cannotFollow(let what) = error.problem {
                #expect(!what.contains("pw@"))
            } else {
                #expect(error.problem == problem)
            }
        }
        #expect(try await iterator.next() == nil)
        #expect(seen.all.count == 1)
    }

    @Test("A cursor that comes again, after however many pages, ends the list with an error", arguments: Way.allCases)
    func loop(way: Way) async throws {
        let chain = try await Self.chain(
            [
                "\(Self.base)/a": ([:], #"{"items":[1],"next":"b"}"#),
                "\(Self.base)/a?c=b": ([:], #"{"items":[2],"next":"c"}"#),
                "\(Self.base)/a?c=c": ([:], #"{"items":[3],"next":"b"}"#),
            ],
            way
        )
        var items: [Int] = []
        let pages = chain.pages(of: Envelope.self, from: .get("a"), by: .cursor(parameter: "c", \.next))
        let error = await #expect(throws: PaginationError.self) {
            for try await page in pages { items += page.value.items }
        }
        #expect(error?.problem == .noProgress)
        #expect(items == [1, 2, 3])
    }

    @Test("A list goes on from a position that was kept", arguments: Way.allCases)
    func resumed(way: Way) async throws {
        let seen = Events<Request>()
        let chain = try await Self.chain(
            [
                "\(Self.base)/plants": (Self.link("</plants?page=2>; rel=next"), "[1]"),
                "\(Self.base)/plants?page=2": (Self.link("</plants?page=3>; rel=next"), "[2]"),
                "\(Self.base)/plants?page=3": ([:], "[3]"),
            ],
            seen: seen,
            way
        )
        let pages = chain.pages(of: [Int].self, from: .get("plants"), by: .linkHeader())
        var kept: Data?
        for try await page in pages {
            kept = try JSONEncoder().encode(page.next)
            break
        }
        let position = try JSONDecoder().decode(PagePosition.self, from: try #require(kept))
        let rest = chain.pages(of: [Int].self, from: .get("plants"), by: .linkHeader(), startingAt: position)
        #expect(try await Self.collect(rest) == [[2], [3]])
        #expect(seen.all.count == 3)
    }

    @Test("Each page of a list that may leave the base's origin may leave it, but not the list's own origin")
    func leavingOrigin() async throws {
        let service = ClosureTransport { request in
            let next = request.url.hasSuffix("page=2") ? "https://third.example/plants" : "/plants?page=2"
            var response = Response(.ok, headers: Self.link("<\(next)>; rel=next"), body: "[1]")
            response.request = request.head
            return response
        }
        let chain = try Chain(transport: service) {
            SerializerMiddleware(.json)
            URLBuilderMiddleware(base: Self.base, leavesOrigin: .refused)
        }
        let first = Request.get("https://other.example/plants").url(leavesOrigin: .allowed)
        var pages = chain.pages(of: [Int].self, from: first, by: .linkHeader()).makeAsyncIterator()
        #expect(try await pages.next()?.value == [1])
        #expect(try await pages.next()?.value == [1])
        let error = await #expect(throws: PaginationError.self) { _ = try await pages.next() }
        #expect(error?.problem == Self.elsewhere("https://third.example/"))
    }

    @Test("A redirect does not move the home of a list to another origin", arguments: Way.allCases)
    func redirected(way: Way) async throws {
        func transport(_ answer: @escaping @Sendable (Request) -> Response) async throws -> (any Transport, String) {
            let service = ClosureTransport { request in
                var response = answer(request)
                response.request = request.head
                return response
            }
            return try await way.transport(to: service, at: Self.base, over: URLSessionTransport())
        }
        let (cdn, elsewhere) = try await transport { _ in
            Response(.ok, headers: Self.link("</plants?page=2>; rel=next"), body: "[1]")
        }
        let target = way == .memory ? "https://cdn.example.com" : elsewhere
        let (api, base) = try await transport { _ in Response(.found, headers: [.location: "\(target)/plants"]) }
        let both = ClosureTransport { request in
            try await (request.url.hasPrefix(target) ? cdn : api).send(request)
        }
        let chain = try Chain(transport: both) {
            URLBuilderMiddleware(base: base)
            RedirectMiddleware()
        }
        let pages = chain.pages(of: [Int].self, from: .get("plants"), by: .linkHeader())
        let error = await #expect(throws: PaginationError.self) { try await Self.collect(pages) }
        #expect(error?.problem == Origin(target + "/").map { .otherOrigin($0) })
    }

    @Test("An error of a page ends the list with that error", arguments: Way.allCases)
    func failure(way: Way) async throws {
        let chain = try await Self.chain(
            [
                "\(Self.base)/a": ([:], "[1]"), "\(Self.base)/a?offset=1": ([:], "{}"),
            ],
            way
        )
        var iterator = chain.pages(of: [Int].self, from: .get("a"), by: .offset()).makeAsyncIterator()
        #expect(try await iterator.next()?.value == [1])
        await #expect(throws: (any Error).self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }
}

@Suite("Link fields (RFC 8288)")
struct WebLinkTests {
    static let rows: [(String, [String])] = [
        ("<a>; rel=next", ["a next"]), ("<a>;rel=\"NEXT\"", ["a next"]),
        ("<a>; rel=\"x next\", <b>; rel=y", ["a x next", "b y"]),
        ("<a,b>; title=\"x, <c>; rel=next\"; rel=next,<d>;rel=z", ["a,b next", "d z"]),
        ("<a>; rel=first; rel=next", ["a first"]), ("<a>", ["a "]), ("< a >; rel = next", ["a next"]),
        ("<a>; title=\"q\\\"uote\"; rel=next", ["a next"]), ("nonsense, <a>; rel=next", ["a next"]),
        ("\"<x>; rel=next\", <a>; rel=b", ["a b"]), ("<a; rel=next", []), ("", []), (",,<a>;;;rel=next,,", ["a next"]),
        ("<a>; rel=next junk, <b>; rel=c", ["a next", "b c"]), ("<>; rel=next", [" next"]),
        // Single quotes are in no RFC.
        ("<a>; rel='next'", ["a next"]), ("<a>; rel='NEXT' , <b>; rel='last'", ["a next", "b last"]),
        ("<a>; rel='x next'; title='p, q; rel=prev', <b>;rel='y'", ["a x next", "b y"]),
        ("<a>; title='; rel='next'", ["a next"]), ("<a>; rel=''", ["a "]), ("<a>; rel='next", ["a 'next"]),
        ("<a>; rel='a'b'; x=1", ["a 'a'b'"]), ("<a>; title*=UTF-8'en'x; rel='next'", ["a next"]),
        ("<a>; rel=it's, <b>; rel='next'", ["a it's", "b next"]),
    ]

    @Test("Link fields are read as Appendix B says, leniently", arguments: 0..<rows.count)
    func parse(index: Int) throws {
        let (text, expected) = Self.rows[index]
        let links = WebLink.links(in: PageTests.link(text))
        #expect(
            links.map { ([$0.target] + ($0.relations.isEmpty ? [""] : $0.relations)).joined(separator: " ") }
                == expected
        )
    }

    @Test("Link fields have parameters and anchors, and may come in several fields")
    func parameters() throws {
        var fields = HTTPFields()
        fields.append(
            HTTPField(name: .webLink, value: ##"<a>; rel=next; anchor="#foo"; title="one"; title=two; hreflang=de"##)
        )
        fields.append(HTTPField(name: .webLink, value: "<b>; rel=prev"))
        let links = WebLink.links(in: fields)
        #expect(links.count == 2)
        #expect(links[0].anchor == "#foo" && links[0].parameters == ["title": "one", "hreflang": "de"])
        #expect(links[1].anchor == nil)
    }
}
#endif
