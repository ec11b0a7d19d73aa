#if Macros
import HTTPChainMacros
import HTTPChainPagination
import HTTPChainTesting
import TestSupport
import Testing

@testable import Greenhouse

@Suite("The greenhouse example", .timeLimit(.minutes(5)))
struct GreenhouseTests {
    static let lines = [
        "A bed by its id: Tomato", "Added: Basil, with the id 3", "All pages: Tomato, Chili, Basil",
        "Removed, though it was not there",
    ]

    @Test("The tour shows what the service says, over loopback")
    func live() async throws {
        let server = try await startGreenhouseServer()
        let chain = try greenhouseChain(base: server.url("/v1"), over: URLSessionTransport())
        let greenhouse = GreenhouseServiceClient(chain: chain)
        let said = Events<String>()
        try await tour(of: greenhouse) { said.add($0) }
        #expect(said.all.dropLast() == Self.lines[...])
        #expect(said.all.last?.hasPrefix("No such bed: StatusValidation") == true, "\(said.all.last ?? "")")
        try await watch(greenhouse) { said.add($0) }
        #expect(said.all.suffix(4) == ["Log: watered", "Log: aired", "Now: 21.5 °C", "Now: 22.0 °C"])
        await server.stop()
    }

    private struct NoBed: Error {}

    @Test("The tour shows the same with a mock of the same declaration")
    func mocked() async throws {
        let mock = GreenhouseServiceMock()
        mock.on.bed.returns(Bed(id: 1, crop: "Tomato"))
        mock.on.add.answers { Bed(id: 3, crop: $0.bed.crop) }
        mock.on.beds.answers { _ in
            PageSequence(by: .linkHeader()) { _ in
                DecodedResponse(["Tomato", "Chili", "Basil"].map { Bed(id: 1, crop: $0) }, response: Response(.ok))
            }
        }
        mock.on.upload.returns()
        mock.on.remove.returns()
        mock.on.bed.fails(NoBed())
        let said = Events<String>()
        try await tour(of: mock) { said.add($0) }
        #expect(said.all.dropLast() == Self.lines[...])
        #expect(mock.on.upload.calls.map(\.caption) == ["Spring"] && mock.on.remove.calls == [99])
        #expect(mock.on.bed.calls.count == 2)
    }
}
#endif
