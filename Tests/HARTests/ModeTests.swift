#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("The modes of a replay", .timeLimit(.minutes(10)))
struct ModeTests {
    private let scratch: ScratchDirectory
    private let file: URL

    init() throws {
        scratch = try ScratchDirectory.created()
        file = scratch.file("a.har")
    }

    /// A network that counts its answers.
    private func network() -> InMemoryTransport {
        let count = Locked(0)
        return InMemoryTransport { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return Response(.ok, headers: [.contentType: "text/plain"], body: HTTPBody("\(request.url) #\(number)"))
        }
    }

    private func replay(_ mode: ReplayMode, _ network: InMemoryTransport?, expiry: Duration? = nil) async throws
        -> ReplayTransport
    {
        var settings = ReplaySettings()
        settings.expiry = expiry
        return try await ReplayTransport(file: file, mode: mode, over: network, settings: settings)
    }

    private func urls() async throws -> [String] {
        try await HARArchive.read(from: file).entries.map(\.request.url)
    }

    @Test("The mode none never asks the network, and needs an archive")
    func none() async throws {
        let missing = await #expect(throws: HARError.self) { try await self.replay(.none, nil) }
        #expect(missing?.reason.contains("there is no such file") == true)
        try await HARArchive(entries: [.sample()]).write(to: file)
        let network = network()
        let replay = try await replay(.none, network)
        #expect(try await replay.text(.get("https://a.example/")) == "answer")
        await #expect(throws: UnmatchedReplayError.self) { try await replay.send(.get("https://b.example/")) }
        #expect(network.requests.isEmpty)
    }

    @Test("The mode once records when there is no archive, and replays it afterwards")
    func once() async throws {
        let network = network()
        for round in 0..<2 {
            let replay = try await replay(.once, round == 0 ? network : nil)
            #expect(try await replay.text(.get("https://a.example/x")) == "https://a.example/x #1")
            #expect(try await replay.text(.post("https://a.example/x", body: "b")) == "https://a.example/x #2")
            try await replay.finish()
        }
        #expect(network.requests.count == 2)
        await #expect(throws: HARError.self) {
            try await ReplayTransport(file: self.scratch.file("none.har"), mode: .once)
        }
    }

    @Test("The mode `new` uses the network for requests that have no entry, and adds entries immediately")
    func new() async throws {
        let network = network()
        try await HARArchive(entries: [.sample()]).write(to: file)
        let replay = try await replay(.new, network)
        #expect(try await replay.text(.get("https://a.example/")) == "answer")
        let text = try await replay.text(.post("https://b.example/", body: "content that the network gets"))
        #expect(text == "https://b.example/ #1")
        #expect(network.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["content that the network gets"])
        try await replay.finish()
        #expect(try await urls() == ["https://a.example/", "https://b.example/"])
    }

    @Test(
        "The mode all replaces what is asked for and keeps the rest; update drops the rest",
        arguments: [ReplayMode.all, .update]
    )
    func rerecording(_ mode: ReplayMode) async throws {
        let network = network()
        try await HARArchive(entries: [
            .sample("GET", "https://a.example/1"), .sample("GET", "https://a.example/2"),
            .sample("GET", "https://a.example/2"),
        ]).write(to: file)
        let replay = try await replay(mode, network)
        #expect(try await replay.text(.get("https://a.example/2")) == "https://a.example/2 #1")
        #expect(try await replay.text(.get("https://a.example/3")) == "https://a.example/3 #2")
        #expect(try await urls().count == 3, "nothing is replaced before the end")
        try await replay.finish()
        let entries = try await HARArchive.read(from: file).entries
        let texts = entries.map {
            "\($0.request.url.suffix(1)) \($0.response.content.text == "answer" ? "old" : "new")"
        }
        #expect(texts == (mode == .all ? ["1 old", "2 new", "2 old", "3 new"] : ["2 new", "3 new"]))
    }

    @Test("What has expired is not replayed: it fails, or is recorded again")
    func expiry() async throws {
        let young = Date()
        try await HARArchive(entries: [
            .sample("GET", "https://a.example/old"), .sample("GET", "https://a.example/young", started: young),
        ]).write(to: file)
        let strict = try await replay(.none, nil, expiry: .seconds(3600))
        let error = await #expect(throws: UnmatchedReplayError.self) {
            try await strict.send(.get("https://a.example/old"))
        }
        #expect(error?.nearest.first?.differences.first?.text == "it is of 2023-11-14T22:13:20.000Z and has expired")
        let network = network()
        let replay = try await replay(.new, network, expiry: .seconds(3600))
        #expect(try await replay.text(.get("https://a.example/young")) == "answer")
        #expect(try await replay.text(.get("https://a.example/old")) == "https://a.example/old #1")
        try await replay.finish()
        #expect(try await urls() == ["https://a.example/young", "https://a.example/old"])
        try await HARArchive(entries: [.sample("GET", "https://a.example/old")]).write(to: file)
        let once = try await self.replay(.once, network, expiry: .seconds(3600))
        #expect(try await once.text(.get("https://a.example/old")) == "https://a.example/old #2")
        try await once.finish()
        #expect(try await HARArchive.read(from: file).entries.count == 1)
    }
}
#endif
