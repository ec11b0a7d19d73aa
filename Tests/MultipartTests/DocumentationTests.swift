#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainMultipart
import HTTPChainProgress
import HTTPTypes
import TestSupport
import Testing

/// The examples of the documentation page, which compile and do what the page says.
@Suite("The documentation's examples", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("The example of sending a form works")
    func sending() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let file = try ScratchFile("sea.jpg", content: Data("pixels".utf8))
        let photo = file.url
        let photos = [photo, photo]
        let chain = try Chain(transport: transport) {
            MultipartMiddleware()
        }
        var form = MultipartForm(parameters: ["title": "Holiday", "album": "2026"])
        form.parts.append(.file("cover", photo))
        form.parts += photos.map { .file("photos", $0) }
        form.parts.append(.value("place", ["lat": 47.1, "lon": 8.2]))
        let answer = try await chain.send(.post("https://api.example.com/albums", multipart: form))
        #expect(answer.status == .ok)

        let sent = try #require(transport.requests.first)
        var parser = try MultipartParser(contentType: sent.headers[.contentType])
        var parsed = Parsed()
        parsed.add(parser.append(sent.body) + parser.finish())
        #expect(parsed.parts.map(\.head.name) == ["title", "album", "cover", "photos", "photos", "place"])

        let framed = try await form.framed()
        let request = Request.post("albums", headers: [.contentType: framed.contentType], body: framed.body)
        #expect(request.headers[.contentType] == framed.contentType)
        #expect(framed.contentType.hasPrefix("multipart/form-data; boundary=HTTPChain-"))
        #expect(framed.body.length == Int64(sent.body.count))
    }

    @Test("The example of a bar for an upload works")
    func bar() async throws {
        let transport = InMemoryTransport { _ in Response(.created) }
        let file = try ScratchFile("photo.jpg", content: Data("pixels".utf8))
        let photo = file.url
        let chain = try Chain(transport: transport) {
            ProgressMiddleware()
            MultipartMiddleware()
        }
        let writer = TerminalProgressWriter(label: "photo.jpg", showing: .upload)
        let form: MultipartForm = [.file("photo", photo)]
        let request = Request.post("https://api.example.com/photos", multipart: form)
        _ = try await chain.send(request.progress { writer.show($0) })
        #expect(transport.requests.count == 1)
    }

    @Test("The examples of reading a response and of uploading a file work")
    func reading() async throws {
        let transport = InMemoryTransport { _ in Response(.created) }
        let file = try ScratchFile("report.pdf", content: Data("%PDF".utf8))
        let directory = file.url.deletingLastPathComponent()
        let report = file.url
        var names: [String] = []
        let response = Response(
            .ok,
            headers: [.contentType: "multipart/mixed; boundary=b"],
            body: "--b\r\nContent-Type: application/json\r\n\r\n[1]\r\n--b\r\n\r\nbytes\r\n--b--\r\n"
        )
        for try await part in try response.parts() {
            switch part.contentType {
            case "application/json": names.append(try await part.body.text())
            default: try await part.body.save(to: directory.appendingPathComponent("part-\(names.count)"))
            }
        }
        #expect(names == ["[1]"])
        #expect(try Data(contentsOf: directory.appendingPathComponent("part-1")) == Data("bytes".utf8))

        let chain = try Chain(transport: transport)
        let stored = try await chain.send(.put("https://files.example.com/report.pdf", file: report))
        let posted = try await chain.send(.upload(.post, "https://files.example.com/", file: report))
        #expect(stored.status == .created && posted.status == .created)
        #expect(transport.requests.map { $0.headers[.contentType] } == ["application/pdf", "application/pdf"])
        #expect(transport.requests.map(\.text) == ["%PDF", "%PDF"])
    }

    @Test("The page shows what compiles here")
    func pageIsThisFile() throws {
        let examples = try PageExamples(of: "Middleware/Multipart/Multipart.docc/Multipart.md")
        #expect(examples.count == 5)
        #expect(examples.missing.isEmpty)
    }
}
#endif
