#if AllTests
import Foundation
import HTTPChain
import TestSupport
import Testing

@Suite("Against httpbin", .heavy, .timeLimit(.minutes(10)))
struct HTTPBinTests {
    private struct Plant: Codable, Equatable, Sendable {
        var name: String
        var height: Double
        var tags: [String]
    }

    private struct Order: Encodable, Sendable {
        var title: String
        var note: String
        var count: Int
    }

    /// One value or several: httpbin makes an array of what comes more than once.
    private struct Values: Decodable, Equatable, Sendable, ExpressibleByArrayLiteral {
        var all: [String]

        init(arrayLiteral elements: String...) { all = elements }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                all = [one]
            } else {
                all = try container.decode([String].self)
            }
        }
    }

    /// What httpbin says that it was sent.
    private struct Echo: Decodable, Sendable {
        var url: String
        var args: [String: Values]
        var headers: [String: String]
        var form: [String: Values]?
        var files: [String: Values]?
        var data: String?
    }

    /// One of the lines that httpbin streams.
    private struct Line: Decodable {
        var id: Int
    }

    private let plant = Plant(name: "fern \"ü\"\n🌿", height: 0.5, tags: ["shade", ""])

    @Test("Path variables, query parameters and header fields arrive as they were meant", arguments: Carrier.allCases)
    func target(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let request = Request.get(
            "anything/{name}",
            path: ["name": "sea ü"],
            query: ["q": "x y&z=1+1", "page": 2, "empty": ""],
            headers: [.acceptLanguage: "de"]
        )
        let echo = try await carrier.chain(to: base)
            .send(request.headers(.set(.referer, to: "https://example.com/")), as: Echo.self)
        #expect(echo.args == ["q": ["x y&z=1+1"], "page": ["2"], "empty": [""]])
        let url = try #require(echo.url.removingPercentEncoding)
        #expect(url.hasPrefix("\(base)/anything/sea ü?"), "\(url)")
        #expect(echo.headers["User-Agent"] == "HTTPChain/interoperability")
        #expect(echo.headers["Accept-Language"] == "de")
        #expect(echo.headers["Referer"] == "https://example.com/")
        #expect(echo.headers["Accept"]?.contains("application/json") == true)
    }

    @Test("A value comes back as it was sent, as JSON", arguments: Carrier.allCases, ["post", "put", "patch"])
    func json(carrier: Carrier, method: String) async throws {
        guard let base = Server.httpbin.base() else { return }
        let chain = try carrier.chain(to: base)
        let verb = try #require(HTTPRequest.Method(rawValue: method.uppercased()))
        let request = Request(verb, "\(method)", body: .value(plant))
        #expect(try await chain.send(request.decoding(at: "json"), as: Plant.self) == plant)
    }

    @Test("A value is read as a form", arguments: Carrier.allCases, ["post", "put"])
    func form(carrier: Carrier, method: String) async throws {
        guard let base = Server.httpbin.base() else { return }
        let chain = try carrier.chain(to: base)
        let verb = try #require(HTTPRequest.Method(rawValue: method.uppercased()))
        let order = Order(title: "a b&c=d+e%ü", note: "", count: 3)
        let request = Request(verb, "\(method)", body: .value(order)).encoding(by: .form).decoding(at: "form")
        let form = try await chain.send(request, as: [String: Values].self)
        #expect(form == ["title": ["a b&c=d+e%ü"], "note": [""], "count": ["3"]])
    }

    @Test("A multipart form gives its fields and its files", arguments: Carrier.allCases)
    func multipart(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let form: MultipartForm = [
            .text("title", "Sea & sky\r\né"), .text("tag", "a"), .text("tag", "b"),
            .data("log", Data(longText.utf8), fileName: "log ü.txt"),
            .data("empty", Data(), fileName: "empty.csv"),
        ]
        let echo = try await carrier.chain(to: base).send(.post("post", multipart: form), as: Echo.self)
        #expect(echo.form == ["title": ["Sea & sky\r\né"], "tag": ["a", "b"]])
        #expect(echo.files?["empty"] == [""])
        #expect(echo.files?["log"]?.all == [longText])
        #expect(echo.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test("A body carries its digest", arguments: Carrier.allCases)
    func digest(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let request = Request.post("post", headers: [.contentType: "text/plain"], body: "abc")
        let echo = try await carrier.chain(to: base).send(request, as: Echo.self)
        #expect(echo.data == "abc")
        #expect(echo.headers["Content-Length"] == "3")
        // SHA-256 of "abc", FIPS 180-4.
        #expect(echo.headers["Content-Digest"] == "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:")
    }

    @Test(
        "An encoded response is decoded",
        arguments: Carrier.allCases,
        [("gzip", "gzipped"), ("deflate", "deflated")]
    )
    func encoded(carrier: Carrier, coding: (path: String, key: String)) async throws {
        guard let base = Server.httpbin.base() else { return }
        let chain = try carrier.chain(to: base)
        let response = try await chain.send(.get(coding.path))
        #expect(response.headers[.contentEncoding] == nil)
        let body = try await response.body.text()
        #expect(body.contains("\"\(coding.key)\": true"), "\(body)")
        #expect(try await chain.send(.get(coding.path).decoding(at: BodyKeyPath(coding.key)), as: Bool.self))
    }

    @Test("Fields that come more than once keep all their values", arguments: Carrier.allCases)
    func repeatedFields(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        // URLSession joins fields, and what follows a comma is another cookie for certain behind an attribute alone.
        let cookies = "Set-Cookie=c%3D1%3B%20Path%3D%2F&Set-Cookie=d%3D2"
        let request = Request.get("response-headers?X-Tag=a&X-Tag=b&\(cookies)")
        let response = try await carrier.chain(to: base).send(request)
        let name = try #require(HTTPField.Name("X-Tag"))
        let tags = response.headers[values: name].joined(separator: ",").split(separator: ",")
        #expect(tags.map { $0.trimmingCharacters(in: .whitespaces) } == ["a", "b"])
        #expect(response.headers[values: .setCookie] == ["c=1; Path=/", "d=2"])
        _ = try await response.body.collect()
    }

    @Test("A status that is no success is an error with the whole response", arguments: Carrier.allCases)
    func teapot(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let error = await #expect(throws: StatusError.self) {
            try await carrier.chain(to: base).send(.get("status/418"), as: Plant.self)
        }
        #expect(error?.status.code == 418)
        #expect(try await error?.response.body.text().contains("teapot") == true)
        #expect("\(try #require(error))".contains("GET \(base)/status/418 → 418"))
    }

    @Test("A chunked body arrives whole, and in order", arguments: Carrier.allCases)
    func chunked(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let chain = try carrier.chain(to: base)
        let bytes = try await chain.send(.get("stream-bytes/{count}", path: ["count": 100_000]))
        #expect(bytes.headers[.contentLength] == nil)
        #expect(try await bytes.body.collect().count == 100_000)
        let lines = try await chain.send(.get("stream/100")).body.text().split(separator: "\n")
        let numbers = try lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)).id }
        #expect(numbers == Array(0..<100))
    }

    @Test("The answer to HEAD has a head and no content", arguments: Carrier.allCases)
    func head(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let response = try await carrier.chain(to: base).send(.head("get"))
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/json")
        #expect(try await response.body.collect().isEmpty)
    }
}
#endif
