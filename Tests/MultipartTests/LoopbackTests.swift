#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainMultipart
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

/// Waits for a server of the test's own as long as a busy machine needs.
private let patientTransport = URLSessionTransport(configuration: .init(requestTimeout: .seconds(600)))

@Suite("Multipart over URLSession", .heavy, .timeLimit(.minutes(10)))
struct LoopbackTests {
    /// A server that answers with what it was sent.
    private func startEcho() async throws -> LoopbackServer {
        try await LoopbackServer.start { exchange in
            let type = exchange.request.values("Content-Type").first ?? ""
            try await exchange.reply(200, fields: [("Content-Type", type)], body: try await exchange.readBody())
        }
    }

    @Test("A form with a file arrives with its exact length, and comes back as parts")
    func file() async throws {
        let server = try await startEcho()
        let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 37) })
        let file = try ScratchFile("ü.bin", content: content)
        let form: MultipartForm = [.text("title", "é"), .file("file", file.url), .value("n", [1])]
        let chain = try Chain(transport: patientTransport) { MultipartMiddleware() }
        let response = try await chain.send(.post(server.url("/form"), multipart: form))

        var seen: [[String?]] = []
        for try await part in try response.parts() {
            let isFile = part.fileName != nil
            let bytes = try await part.body.collect()
            seen.append([
                part.name, part.fileName, isFile ? "\(bytes == content)" : String(decoding: bytes, as: UTF8.self),
            ])
        }
        #expect(seen == [["title", nil, "é"], ["file", "ü.bin", "true"], ["n", nil, "[1]"]])
        let record = try #require(server.records.first)
        let boundary = try #require(record.request.values("Content-Type").first?.split(separator: "=").last)
        let length = try await form.measured().body(boundary: MultipartBoundary(String(boundary))).length
        #expect(record.request.framing == .contentLength(try #require(length)))
    }

    @Test("A form with a stream of unknown length that can be read once arrives whole")
    func stream() async throws {
        let server = try await startEcho()
        let chunks = AsyncStream<Data> { continuation in
            for number in 0..<50 { continuation.yield(Data(repeating: UInt8(number), count: 10_000)) }
            continuation.finish()
        }
        let form: MultipartForm = [.text("title", "a"), .stream("log", .once(chunks: chunks), fileName: "a.log")]
        let chain = try Chain(transport: patientTransport) { MultipartMiddleware() }
        let response = try await chain.send(.put(server.url("/form")).multipart(form))
        var sizes: [Int] = []
        for try await part in try response.parts() { sizes.append(try await part.body.collect().count) }
        #expect(sizes == [1, 500_000])
    }

    @Test("A file as the whole body arrives as it is")
    func raw() async throws {
        let server = try await startEcho()
        let file = try ScratchFile("a.csv", content: Data("1,2".utf8))
        let response = try await Chain(transport: patientTransport).send(.put(server.url("/a"), file: file.url))
        try await expectResponse(response, .ok, headers: [.contentType: "text/csv"], body: "1,2")
        #expect(server.records.first?.request.framing == .contentLength(3))
    }
}
#endif
