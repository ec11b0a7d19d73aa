import Foundation
import HTTPChain
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainTesting
import Testing

@testable import BinClient

private func json(_ text: String) -> ScriptedReply {
    ScriptedReply(.ok, headers: [.contentType: "application/json"], body: HTTPBody(text))
}

@Suite("The command-line client", .timeLimit(.minutes(10)))
struct BinClientTests {
    private let transport = InMemoryTransport()

    private func api(password: Secret = "lovelace") throws -> BinAPI {
        try BinAPI(
            base: "https://bin.example.com",
            password: password,
            over: transport,
            environment: .virtual()
        )
    }

    @Test("Slides are decoded from their key")
    func slides() async throws {
        transport.enqueue(json(#"{"slideshow":{"title":"Sample","author":"Me"}}"#))
        #expect(try await api().slides().title == "Sample")
        #expect(transport.requests.first?.headers[.userAgent] == "BinClient/1.0")
    }

    @Test("A wrong password is the tool's own error")
    func wrongPassword() async throws {
        for _ in 1...2 {
            transport.enqueue(.status(.unauthorized, headers: [.wwwAuthenticate: #"Basic realm="bin""#]))
        }
        await #expect(throws: BinError.wrongPassword(user: "ada")) { try await api(password: "wrong").login() }
    }

    @Test("An upload shows one bar from its first byte to its last")
    func upload() async throws {
        transport.enqueue(json(#"{"bytes":7,"coding":"as it is"}"#))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("bin-\(UUID()).jpg")
        try Data(count: 300_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = Locked("")
        let bar = TerminalProgressWriter(label: "photo.jpg", showing: .upload, terminalWidth: 60) { new in
            text.withLock { $0 += new }
        }
        #expect(try await api().upload(file, showing: bar).bytes == 7)
        let lines = text.withLock { $0 }.split(separator: "\n")
        #expect(lines.count == 1 && lines.first?.contains("100%") == true && lines.first?.contains("300 kB") == true)
    }

    @Test("A server that stays away is told of with all attempts")
    func gone() async throws {
        transport.enqueue(.status(.serviceUnavailable), times: 3)
        let request = Request.get("status/503").retry(RetryPolicy(backoff: Backoff(base: .zero)))
        let error = try await #require(throws: StatusError.self) { try await api().chain.send(request) }
        #expect(error.attempts == 3 && "\(error)".contains("after 3 attempts"))
    }

    @Test("The stage that tells of deprecated answers names the request that was sent")
    func deprecation() async throws {
        let told = Locked<[String]>([])
        let stage = DeprecationMiddleware { text in told.withLock { $0.append(text) } }
        let name = try #require(HTTPField.Name("Deprecation"))
        let outcome = await StageHarness(stage)
            .send(.get("https://bin.example.com/old"), answering: .status(.ok, headers: [name: "@1688169599"]))
        #expect(try outcome.response().status == .ok && told.withLock { $0 } == ["GET /old is deprecated."])
    }

    @Test("The stages keep the rules", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { AgentMiddleware(name: "test") }.verify(check)
        try await StageConformance { DeprecationMiddleware { _ in } }.verify(check)
    }
}

@Suite("A session of the command-line client", .timeLimit(.minutes(10)))
struct BinSessionTests {
    /// Makes every kind of call, and collects the results.
    private func session(_ base: String, _ photo: URL, over transport: any Transport) async throws -> [String] {
        let api = try BinAPI(base: base, over: transport)
        let bar = TerminalProgressWriter(label: "photo.jpg", showing: .upload) { _ in }
        var results = [try await api.slides().title, try await api.login()]
        do {
            _ = try await BinAPI(base: base, password: "wrong", over: transport).login()
        } catch {
            results.append("\(error)")
        }
        results.append("\(try await api.upload(photo, showing: bar))")
        results.append("\(try await api.compressed(String(repeating: "the same again\n", count: 2000)))")
        let flaky = try await api.fetch("flaky")
        results.append("\(flaky.status.code) \(flaky.attempts)")
        return results
    }

    @Test("A session is recorded once, and replayed with no network, retries and refused passwords included")
    func replay() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bin-session-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("session.har")
        let photo = folder.appendingPathComponent("photo.jpg")
        try Data((0..<3000).map { UInt8(truncatingIfNeeded: $0) }).write(to: photo)
        let recorded = Locked<(base: String, results: [String])>(("", []))
        try await withBinServer { base in
            let once = try await ReplayTransport(file: file, mode: .once, over: URLSessionTransport())
            let results = try await session(base, photo, over: once)
            try await once.finish()
            recorded.withLock { $0 = (base, results) }
        }
        let (base, results) = recorded.withLock { $0 }
        #expect(results.count == 6)
        let text = try String(contentsOf: file, encoding: .utf8)
        // ada:lovelace
        #expect(!text.contains("YWRhOmxvdmVsYWNl") && !text.contains("lovelace"))
        let replay = try await ReplayTransport(file: file)
        #expect(try await session(base, photo, over: replay) == results)
        try await replay.finish()
    }
}
