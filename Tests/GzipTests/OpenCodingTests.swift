#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let url = "https://api.example.com/plants"

/// Turns every byte by a number, both ways: a coding of somebody's own.
private struct Rotation: ContentDecoder, ContentEncoder {
    let distance: UInt8

    private func rotate(_ buffers: inout CodingBuffers, by distance: UInt8) {
        let count = min(buffers.input.count, buffers.output.count)
        for index in 0..<count { buffers.output[index] = buffers.input[index] &+ distance }
        buffers.consumed = count
        buffers.produced = count
    }

    mutating func decode(_ buffers: inout CodingBuffers) throws(ContentCodingError.Problem) {
        if buffers.input.first == 0xFF { throw .corrupt("a byte that is never sent") }
        rotate(&buffers, by: 0 &- distance)
    }

    mutating func finish() throws(ContentCodingError.Problem) {}

    mutating func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool {
        rotate(&buffers, by: distance)
        return isLast && buffers.consumed == buffers.input.count
    }

    static func coding(_ distance: UInt8 = 13) -> ContentCoding {
        ContentCoding(
            "X-Rotate",
            aliases: ["x-caesar"],
            settings: "by \(distance)",
            decoder: { Rotation(distance: distance) },
            encoder: { Rotation(distance: distance) }
        )
    }
}

/// Does what no decoder may.
private struct Defective: ContentDecoder {
    enum Defect { case idle, takesTooMuch, givesTooMuch, negative }
    let defect: Defect

    mutating func decode(_ buffers: inout CodingBuffers) {
        switch defect {
        case .idle: break
        case .takesTooMuch: buffers.consumed = buffers.input.count + 1
        case .givesTooMuch: buffers.produced = buffers.output.count + 1
        case .negative: buffers.consumed = -1
        }
    }

    mutating func finish() {}
}

@Suite("Codings of one's own", .timeLimit(.minutes(10)))
struct OpenCodingTests {
    private let rotation = Rotation.coding()

    private func response(_ codings: String, _ body: HTTPBody, by stage: GzipMiddleware) async throws -> Response {
        try await StageHarness(stage)
            .send(.get(url), answering: .status(.ok, headers: [.contentEncoding: codings], body: body)).response()
    }

    @Test("Codings are undone under every name, between others, in the order of the field")
    func stacked() async throws {
        let sample = Samples.json(200_000)
        let stage = GzipMiddleware(codings: [rotation, .gzip])
        let inner = HTTPBody(sample).encoded(with: .gzip).encoded(with: rotation)
        for (name, body) in [
            ("gzip, x-rotate", inner), ("gzip, X-CAESAR", inner),
            ("gzip, x-rotate, x-gzip", inner.encoded(with: .gzip)),
        ] {
            let decoded = try await response(name, body, by: stage)
            #expect(decoded.headers[.contentEncoding] == nil)
            #expect(try await decoded.body.content == sample)
        }
        let partly = try await response("deflate, x-rotate", .pieces(sample, of: 10).encoded(with: rotation), by: stage)
        #expect(partly.headers[.contentEncoding] == "deflate")
        #expect(try await partly.body.content == sample)
    }

    @Test("The stage's limits apply to codings that don't know them")
    func limits() async throws {
        let body = HTTPBody(Samples.json(200_000)).encoded(with: rotation)
        let error = try await failure(of: body.decoded(from: [rotation], limits: .init(maximumSize: 70_000)))
        #expect(error.problem == .tooLarge(limit: 70_000))
        #expect(error.coding == rotation.name)
    }

    @Test("Codings report what is wrong with the content by the stage's error, with the offset")
    func corrupt() async throws {
        let bytes = Data(repeating: 1, count: 100) + [0xFF]
        let error = try await failure(of: HTTPBody.pieces(bytes, of: 50).decoded(from: [rotation]))
        #expect(error.problem == .corrupt("a byte that is never sent"))
        #expect(error.offset == 100)
        #expect("\(error)".contains("the x-rotate content is corrupt at byte 100: a byte that is never sent"))
    }

    @Test(
        "Codings that do what no decoder may end the reading, and nothing else",
        arguments: [Defective.Defect.idle, .takesTooMuch, .givesTooMuch, .negative]
    )
    private func defective(_ defect: Defective.Defect) async throws {
        let coding = ContentCoding("x") { Defective(defect: defect) }
        let error = try await failure(of: HTTPBody("content").decoded(from: [coding]))
        guard case .failed = error.problem else {
            Issue.record("\(error)")
            return
        }
        #expect("\(error)".contains("decoding x failed at byte 0: it"))
    }

    @Test("Codings encode requests, at once and as they are sent")
    func requests() async throws {
        let stage = GzipMiddleware(requests: CompressionSettings(coding: rotation, minimumSize: 0))
        let sample = Samples.json(1000)
        let request = Request.post(url, body: .pieces(sample, of: 77))
        let sent = try #require(await StageHarness(stage).send(request).requests.first)
        #expect(sent.head.headerFields[.contentEncoding] == "x-rotate")
        #expect(try await sent.body.decoded(from: [rotation]).content == sample)
        // In memory, it is known that nothing was won.
        let memory = try #require(await StageHarness(stage).send(.post(url, body: HTTPBody(sample))).requests.first)
        #expect(memory.head.headerFields[.contentEncoding] == nil)
        #expect(stage.summary.settings.contains { $0.value == "x-rotate by 13, from 0 bytes" })
    }

    @Test("Codings that can only be undone are an error for a request, which says so")
    func onlyUndone() async throws {
        let stage = GzipMiddleware(requests: CompressionSettings(coding: .deflate))
        for body in [HTTPBody(Samples.json(5000)), .pieces(Samples.json(5000), of: 1000)] {
            let outcome = await StageHarness(stage).send(.post(url, body: body))
            var error = outcome.error as? ContentCodingError
            if outcome.error == nil {
                error = try await failure(of: #require(outcome.requests.first).body)
            }
            #expect(error?.problem == .notEncodable)
            #expect(error?.coding == "deflate")
        }
    }

    @Test("Settings are equal if they use the same coding in the same way")
    func equality() {
        let settings = CompressionSettings(coding: .gzip(level: 9))
        #expect(settings == CompressionSettings(coding: .gzip(level: 9)))
        #expect(settings != CompressionSettings(coding: .gzip(level: 1)))
        #expect(Set([settings, .init(coding: .gzip(level: 9)), .init(minimumSize: 1)]).count == 2)
    }
}

@Suite("Negotiation", .timeLimit(.minutes(10)))
struct NegotiationTests {
    /// What the innermost transport is sent.
    private func accepted(
        _ stage: GzipMiddleware,
        over capabilities: TransportCapabilities = [],
        _ request: Request = .get(url)
    ) async throws -> String? {
        let seen = Locked<String?>(nil)
        let transport = InMemoryTransport(capabilities: capabilities) { request in
            seen.withLock { $0 = request.headers[.acceptEncoding] }
            return Response(.ok)
        }
        _ = try await Chain(transport: transport) { stage }.send(request)
        return seen.withLock { $0 }
    }

    @Test("The stage names the codings in order, each once, with the weights that they have")
    func weights() async throws {
        let one = ContentCoding("One") { Defective(defect: .idle) }
        let table: [([ContentCoding], String?)] = [
            ([.gzip, .deflate], "gzip, deflate"), ([one, .gzip, one.preferred(0.1)], "one, gzip"), ([], nil),
            ([one.preferred(1), .gzip.preferred(0.8), .deflate.preferred(0.25)], "one, gzip;q=0.8, deflate;q=0.25"),
            ([one.preferred(0.12345)], "one;q=0.123"), ([one.preferred(0)], "one;q=0"),
            ([one.preferred(-1)], "one;q=0"), ([one.preferred(7)], "one"), ([one.preferred(.nan)], "one;q=0"),
            ([one.preferred(0.0004)], "one;q=0"), ([one.preferred(0.9996)], "one"),
            ([one.preferred(0.05)], "one;q=0.05"),
        ]
        for (codings, expected) in table {
            #expect(try await accepted(GzipMiddleware(codings: codings)) == expected)
        }
    }

    @Test("The stage adds nothing over a transport that decodes on its own, unless asked")
    func decodingTransport() async throws {
        #expect(try await accepted(GzipMiddleware(), over: [.decodesContent]) == nil)
        #expect(
            try await accepted(GzipMiddleware(negotiation: .always), over: [.decodesContent]) == "gzip, deflate"
        )
        let own = Request.get(url, headers: [.acceptEncoding: "br"])
        #expect(try await accepted(GzipMiddleware(), over: [.decodesContent], own) == "br")
        #expect(try await accepted(GzipMiddleware(negotiation: .never)) == nil)
    }

    @Test("The stage decodes what arrives encoded, asked for or not")
    func decodesAnyway() async throws {
        let encoded = try await gzip(Data("plants".utf8))
        for stage in [GzipMiddleware(negotiation: .never), GzipMiddleware(codings: [.gzip.preferred(0)])] {
            for capabilities in [TransportCapabilities(), [.decodesContent]] {
                let transport = InMemoryTransport(capabilities: capabilities) { _ in
                    Response(.ok, headers: [.contentEncoding: "gzip"], body: HTTPBody(encoded))
                }
                let response = try await Chain(transport: transport) { stage }.send(.get(url))
                #expect(try await response.body.text() == "plants")
            }
        }
    }
}
#endif
