import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The redaction of a chain")
struct ChainRedactionTests {
    private let environment: ChainEnvironment
    private let name: HTTPField.Name

    init() throws {
        var redaction = Redaction.standard
        redaction.fieldNames.insert("x-plant-gate")
        redaction.queryNames.insert("plant")
        redaction.memberNames.insert("plant")
        environment = ChainEnvironment(time: VirtualClock(), redaction: redaction)
        name = try #require(HTTPField.Name("X-Plant-Gate"))
    }

    private func chain(_ answer: @escaping @Sendable (Request) async throws -> Response) throws -> Chain {
        try Chain(transport: ClosureTransport(answer), environment: environment)
    }

    @Test("The redaction of a chain holds for the description of its responses, whose fields stay as they are")
    func description() async throws {
        let chain = try chain { [name] _ in Response(.ok, headers: [name: "tulip-4711"]) }
        let response = try await chain.send(.get("https://example.com/"))
        #expect(response.headers[name] == "tulip-4711")
        #expect(!"\(response)".contains("tulip"), "\(response)")
        #expect("\(response)".contains(Redaction.placeholder))
        let plain = Response(.ok, headers: [name: "tulip-4711"])
        #expect("\(plain)".contains("tulip-4711"), "of a response of no chain only the standard names are known")
    }

    @Test("The redaction of a chain holds for what cannot be decoded, by the chain or by hand")
    func decoding() async throws {
        let chain = try chain { _ in Response(.ok, body: "{\"plant\": \"tulip-4711\"") }
        let asked = await #expect(throws: DecodingFailure.self) {
            try await chain.send(.get("https://example.com/?plant=tulip-4711"), as: [String: String].self)
        }
        #expect(asked?.description.contains("tulip") == false, "\(String(describing: asked))")
        let response = try await chain.send(.get("https://example.com/"))
        let byHand = await #expect(throws: DecodingFailure.self) { try await response.decode([String: String].self) }
        #expect(byHand?.description.contains("tulip") == false, "\(String(describing: byHand))")
    }

    @Test("The redaction of a chain holds for a request that cannot be sent, whose URL is shown")
    func invalid() async throws {
        let chain = try chain { request in
            _ = try request.forWire()
            return Response(.ok)
        }
        for url in ["ftp://example.com/?plant=tulip-4711", "plants?plant=tulip-4711"] {
            let error = await #expect(throws: InvalidRequestError.self) { try await chain.send(.get(url)) }
            #expect(error?.description.contains("plant") == true)
            #expect(error?.description.contains("tulip") == false, "\(String(describing: error))")
        }
    }

    @Test("The redaction of a chain holds for a deadline that has passed")
    func deadline() async throws {
        var request = Request.get("https://example.com/?plant=tulip-4711")
        request.environment = environment
        request.options[DeadlineNote.self] = DeadlineNote.Mark(.zero)
        let timer = try #require(TransferTimer(request))
        let error = try #require(timer.expire())
        #expect(error.exchange?.url.contains("plant=") == true)
        #expect(!"\(error)".contains("tulip"), "\(error)")
    }

    @Test("The redaction of a chain is told to transports with the request")
    func wire() throws {
        var request = Request.get("https://example.com/")
        request.environment = environment
        #expect(try request.forWire().redaction == environment.redaction)
        #expect(try Request.get("https://example.com/").forWire().redaction == .standard)
    }
}
