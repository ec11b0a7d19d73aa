#if AllTests
import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainContentDigest

@Suite("Digests of bodies that have to wait", .timeLimit(.minutes(10)))
struct StalledDigestTests {
    private func digester(_ executor: FileExecutor = .shared) -> RequestDigester {
        RequestDigester(
            fields: [.contentDigest(.sha256)],
            oneShotBodies: .refused,
            redaction: .standard,
            executor: executor
        )
    }

    private func digest(_ body: HTTPBody, by digester: RequestDigester) async throws -> String? {
        var request = Request.post("https://example.com/", body: body)
        try await digester.addDigests(to: &request)
        let name = try #require(HTTPField.Name("Content-Digest"))
        return request.headers[name]
    }

    @Test("Digests of a file whose disk stalls hold up no others, and are right when it answers")
    func stalledFile() async throws {
        let scratch = try ScratchDirectory.created()
        let content = Data(repeating: 7, count: 200_000)
        let file = scratch.url.appendingPathComponent("a")
        try content.write(to: file)
        let disk = StallingFiles()
        let access = FileAccess(system: disk, executor: FileExecutor(limit: 2))
        let expected = try await digest(HTTPBody(content), by: digester())
        // With a range nobody asks for the size of the file, which a chain looks up before its stages.
        let body = HTTPBody.file(file, range: 0..<200_000, access: access)
        let waiting = Task { try await digest(body, by: digester()) }
        let unwanted = Task { try await digest(body, by: digester()) }
        try await until("both to wait for the disk") { disk.waitingCount == 2 }
        for _ in 0..<20 { #expect(try await digest(HTTPBody(content), by: digester()) == expected) }
        #expect(disk.waitingCount == 2, "they wait still")
        unwanted.cancel()
        await #expect(throws: CancellationError.self) { try await unwanted.value }
        disk.release()
        #expect(try await waiting.value == expected)
    }

    @Test("Digests of a large body wait for a thread, which those of small ones need not")
    func busyThreads() async throws {
        let executor = FileExecutor(limit: 1)
        let gate = DispatchSemaphore(value: 0)
        executor.submit { gate.wait() }
        let content = Data(repeating: 7, count: 200_000)
        let large = Task { try await digest(HTTPBody(content), by: digester(executor)) }
        for number in 0..<20 {
            let small = HTTPBody("plant \(number)")
            #expect(try await digest(small, by: digester(executor)) == digest(small, by: digester()))
        }
        gate.signal()
        #expect(try await large.value == digest(HTTPBody(content), by: digester()))
    }
}
#endif
