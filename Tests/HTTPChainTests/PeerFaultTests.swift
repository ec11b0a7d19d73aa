#if AllTests
import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainTesting
import TestSupport
import Testing

/// Published faults of other HTTP clients, tried here.
///
/// A row names the entry in the CVE list and the client.
@Suite("Faults of other clients", .timeLimit(.minutes(10)))
struct PeerFaultTests {
    /// A request that brings a secret, and the places that it is redirected to, one after the other.
    struct Journey: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: HTTPField.Name
        let places: [String]

        init(_ name: String, _ field: HTTPField.Name, _ places: String...) {
            testDescription = name
            self.field = field
            self.places = places
        }
    }

    @Test(
        "Credentials that a request brings do not follow it to another origin, and do not come back",
        arguments: [
            Journey("CVE-2018-1000007 curl", .authorization, "https://a.example/", "https://b.example/"),
            Journey("CVE-2022-27774 curl: the port", .authorization, "https://a.example/", "https://a.example:8443/"),
            Journey("CVE-2022-27774 curl: the scheme", .authorization, "https://a.example/", "http://a.example/"),
            Journey("CVE-2022-27776 curl: cookies", .cookie, "https://a.example/", "https://a.example:444/"),
            Journey("CVE-2018-18074 requests", .authorization, "https://a.example/", "http://a.example/"),
            Journey("CVE-2018-20060 urllib3", .authorization, "https://a.example/", "https://b.example/"),
            Journey(
                "CVE-2018-25091 urllib3: lower case",
                .lowerCaseAuthorization,
                "https://a.example/",
                "https://b.example/"
            ),
            Journey("CVE-2023-43804 urllib3: cookies", .cookie, "https://a.example/", "https://b.example/"),
            Journey("CVE-2023-32681 requests", .proxyAuthorization, "https://a.example/", "https://b.example/"),
            Journey("CVE-2024-37891 urllib3", .proxyAuthorization, "https://a.example/", "https://b.example/"),
            Journey("CVE-2022-31151 undici: cookies", .cookie, "https://a.example/", "https://b.example/"),
            Journey("CVE-2023-45143 undici: cookies", .cookie, "https://a.example/", "https://b.example/"),
            Journey("CVE-2024-24758 undici", .proxyAuthorization, "https://a.example/", "https://b.example/"),
            Journey("CVE-2022-0155 follow-redirects", .cookie, "https://a.example/", "https://b.example/"),
            Journey("CVE-2022-0536 follow-redirects", .authorization, "https://a.example/", "http://a.example/"),
            Journey("CVE-2024-28849 follow-redirects", .proxyAuthorization, "https://a.example/", "https://b.example/"),
            Journey("CVE-2023-45289 Go: a host below it", .authorization, "https://a.example/", "https://x.a.example/"),
            Journey(
                "CVE-2024-45336 Go: back again within the other origin",
                .authorization,
                "https://a.example/",
                "https://b.example/1",
                "https://b.example/2"
            ),
            Journey("an API key", .apiKey, "https://a.example/", "https://b.example/"),
        ]
    )
    func redirects(journey: Journey) async throws {
        let places = journey.places
        let transport = InMemoryTransport { request in
            guard let index = places.firstIndex(of: request.url), index + 1 < places.count else {
                return Response(.ok)
            }
            return Response(.found, headers: [.location: places[index + 1]])
        }
        let chain = try Chain(transport: transport) { RedirectMiddleware(.standard.allowing(.downgrade)) }
        let request = Request.get(places[0], headers: [journey.field: "hunter2"])
        #expect(try await chain.send(request).status == .ok)
        let home = Origin(places[0])
        #expect(transport.requests.map(\.url) == places)
        for sent in transport.requests {
            #expect(sent.head.headerFields.contains(journey.field) == (Origin(sent.url) == home), "\(sent.url)")
            let shows = sent.headers.contains { $0.value.contains("hunter2") }
            #expect(shows == (Origin(sent.url) == home))
        }
    }

    @Test("CVE-2023-45803 urllib3: the content of a request does not follow a 303, nor do the fields that describe it")
    func seeOther() async throws {
        let transport = InMemoryTransport { request in
            request.url.hasSuffix("/b") ? Response(.ok) : Response(.seeOther, headers: [.location: "/b"])
        }
        let chain = try Chain(transport: transport) { RedirectMiddleware() }
        let fields: HTTPFields = [.contentType: "text/plain", .contentEncoding: "identity", .contentLanguage: "en"]
        _ = try await chain.send(.post("https://a.example/a", headers: fields, body: "hunter2"))
        let second = try #require(transport.requests.last)
        #expect(second.head.method == .get && second.text.isEmpty)
        for field in fields { #expect(!second.head.headerFields.contains(field.name)) }
    }

    /// A text that is to leave its place in a request.
    struct Injection: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (_ base: String) -> Request?

        init(_ name: String, _ make: @escaping @Sendable (_ base: String) -> Request?) {
            testDescription = name
            self.make = make
        }
    }

    @Test(
        "A line break does not leave its place in a request",
        .heavy,
        arguments: [
            Injection("CVE-2019-9740 CPython: path") { .get("\($0)/a\r\nX-Injected: 1\r\n\r\nGET /evil HTTP/1.1") },
            Injection("CVE-2019-11236 urllib3: query") { .get("\($0)/?q=a HTTP/1.1\r\nX-Injected: 1") },
            Injection("CVE-2022-31150 undici: path") { .get("\($0)/\u{010d}\u{010a}X-Injected: 1") },
            Injection("CVE-2020-26137 urllib3: method") { base in
                HTTPRequest.Method("GET / HTTP/1.1\r\nX-Injected: 1").map { method in
                    var request = Request.get("\(base)/")
                    request.head.method = method
                    return request
                }
            },
            Injection("CVE-2023-23936 undici: authority") { base in
                var request = Request.get("\(base)/")
                request.head.authority? += "\r\nX-Injected: 1"
                return request
            },
            Injection("CVE-2022-3918 Foundation: a field") { .get("\($0)/", headers: [.accept: "a\r\nX-Injected: 1"]) },
            Injection("CVE-2023-0040 AsyncHTTPClient: a field") {
                .get("\($0)/", headers: [.accept: "a\nX-Injected: 1"])
            },
            Injection("CVE-2022-3215 SwiftNIO: a carriage return alone") {
                .get("\($0)/", headers: [.accept: "a\rX-Injected: 1"])
            },
        ]
    )
    func injection(injection: Injection) async throws {
        let server = try await LoopbackServer.start { try await $0.reply(200, body: Data()) }
        let transport = URLSessionTransport()
        let chain = try Chain(transport: transport) { TimeoutMiddleware(.seconds(60)) }
        if let request = injection.make(server.origin) { _ = try? await chain.send(request) }
        await transport.shutdown()
        await server.stop()
        for record in server.records {
            #expect(record.request.values("X-Injected").isEmpty)
            #expect(record.request.target != "/evil")
        }
        #expect(server.records.count <= 1)
    }

    @Test(
        "A server does not set a cookie for hosts that are not its own",
        arguments: [
            ("CVE-2014-3613 curl: an address", "http://192.168.0.1/", "a=1; Domain=168.0.1", "http://127.168.0.1/"),
            ("CVE-2014-3620 curl: a top-level domain", "http://a.example/", "a=1; Domain=example", "http://b.example/"),
            ("CVE-2022-27779 curl: a trailing dot", "http://a.com./", "a=1; Domain=com.", "http://b.com./"),
            ("CVE-2022-27779 curl: co.uk", "http://a.co.uk./", "a=1; Domain=co.uk.", "http://b.co.uk./"),
            ("CVE-2023-46218 curl: mixed case", "http://a.co.uk/", "a=1; Domain=co.UK", "http://b.co.uk/"),
            ("CVE-2023-46218 curl: the host's case", "http://a.CO.uk/", "a=1; Domain=co.uk", "http://b.co.uk/"),
        ]
    )
    func cookies(name: String, setter: String, field: String, other: String) async throws {
        let transport = InMemoryTransport { request in
            request.url == setter ? Response(.ok, headers: [.setCookie: field]) : Response(.ok)
        }
        let chain = try Chain(transport: transport) { CookieMiddleware() }
        _ = try await chain.send(.get(setter))
        _ = try await chain.send(.get(other))
        #expect(transport.requests.last?.head.headerFields.contains(.cookie) == false, "\(name)")
    }

    @Test("CVE-2022-32205 curl: however many cookies a server sets, the Cookie field stays small enough to be served")
    func manyCookies() async throws {
        let transport = InMemoryTransport { _ in
            var response = Response(.ok)
            for index in 0..<400 {
                let value = String(repeating: "x", count: 3000)
                response.headers.append(HTTPField(name: .setCookie, value: "c\(index)=\(value); Max-Age=60"))
            }
            return response
        }
        let chain = try Chain(transport: transport) { CookieMiddleware() }
        for _ in 0..<3 { _ = try await chain.send(.get("http://a.example/")) }
        let sent = transport.requests.last?.head.headerFields[values: .cookie].joined() ?? ""
        #expect(sent.utf8.count <= 64 * 1024)
    }

    @Test(
        "Codings on top of each other are bounded in number and in what they come to",
        arguments: ["CVE-2022-32206 curl", "CVE-2025-66418 urllib3"],
        [20, 1000]
    )
    func stackedCodings(name: String, count: Int) async throws {
        let coding = Array(repeating: "gzip", count: count).joined(separator: ", ")
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.contentEncoding: coding], body: "x") }
        let chain = try Chain(transport: transport) { GzipMiddleware() }
        await #expect(throws: ContentCodingError.self, "\(name)") {
            _ = try await chain.send(.get("http://a.example/")).body.collect(upTo: .mebibytes(1))
        }
    }

    @Test("CVE-2023-3635 Okio: a gzip header whose extra field is longer than the content is an error")
    func gzipHeader() async throws {
        let header = Data([0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 1, 2])
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.contentEncoding: "gzip"], body: HTTPBody(header))
        }
        let chain = try Chain(transport: transport) { GzipMiddleware() }
        await #expect(throws: ContentCodingError.self) {
            _ = try await chain.send(.get("http://a.example/")).body.collect(upTo: .mebibytes(1))
        }
    }

    @Test(
        "A Location names the host that a browser would go to",
        arguments: [
            ("CVE-2016-8624 curl", "http://b.example#@evil.example/x", "b.example"),
            ("CVE-2020-13956 Apache HttpClient", "http://user@c.example:80:passwd@b.example/", "b.example"),
            ("CVE-2023-26159 follow-redirects", "http://[evil.example/", nil),
            ("CVE-2023-24329 CPython", " http://b.example/", "b.example"),
        ] as [(String, String, String?)]
    )
    func locations(name: String, location: String, host: String?) async throws {
        let transport = InMemoryTransport { request in
            request.url.hasPrefix("http://a.example") ? Response(.found, headers: [.location: location]) : Response(.ok)
        }
        let chain = try Chain(transport: transport) { RedirectMiddleware() }
        _ = try? await chain.send(.get("http://a.example/"))
        let hosts = transport.requests.dropFirst().map { Origin($0.url)?.host }
        #expect(!hosts.contains("evil.example"), "\(name)")
        if let host { #expect(hosts == [host], "\(name)") }
    }

    @Test("CVE-2023-0833 OkHttp: the error for a field that cannot be sent does not show the field's value")
    func errorsWithoutValues() async throws {
        do {
            let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) {
                HeadersMiddleware([.authorization: "Bearer hunter2\n"])
            }
            _ = try await chain.send(.get("http://a.example/"))
            Issue.record("a field with a line break was accepted")
        } catch {
            var text = "\(error) \(String(reflecting: error))"
            dump(error, to: &text)
            #expect(!text.contains("hunter2"))
        }
    }
}

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let apiKey = HTTPField.Name("X-Api-Key")!
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let lowerCaseAuthorization = HTTPField.Name("authorization")!
}
#endif
