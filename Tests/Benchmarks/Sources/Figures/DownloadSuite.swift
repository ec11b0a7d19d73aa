import HTTPChainAsyncHTTPClient
import HTTPChainCore
import Scenarios

extension Suite {
    /// How far the peak of resident memory grows while 100 MB are saved to a file, over each transport, and while a
    /// stream of 512 MiB is sent.
    static let download = Suite(name: "download", prefixes: ["download", "upload"]) {
        let server = try LoopbackServer()
        defer { server.stop() }
        var figures = try await growth(over: DownloadScenarios.inMemory(), from: server, named: "inmemory")
        for peer in [NetworkPeer.asyncHTTPClient(server.contentURL), try .urlSession(server.contentURL)] {
            figures += try await growth(over: peer.transport, from: server, named: peer.name)
            try await peer.shutdown()
        }
        return try await figures + uploadGrowth(to: server)
    }

    private static func uploadGrowth(to server: LoopbackServer) async throws -> [Figure] {
        // With its own clients, because a client of the caller's accepts an upload faster than it sends it.
        let transport = AsyncHTTPClientTransport()
        func send(_ size: Int) async throws {
            try await DownloadScenarios.upload(size, to: server.contentURL, over: transport)
        }
        let growth = try await ResidentMemory.growth(
            warmingUp: { try await send(1 << 20) },
            while: { try await send(512 << 20) }
        )
        try await transport.shutdown()
        return growth.map { [Figure(name: "upload.memory.asynchttpclient", value: $0, unit: "MiB")] } ?? []
    }

    private static func growth(
        over transport: some Transport,
        from server: LoopbackServer,
        named name: String
    ) async throws -> [Figure] {
        func save(_ size: Int) async throws {
            try await DownloadScenarios.save("\(server.contentURL)/zeros/\(size)", of: size, over: transport)
        }
        let growth = try await ResidentMemory.growth(
            warmingUp: { try await save(1 << 20) },
            while: { try await save(100_000_000) }
        )
        return growth.map { [Figure(name: "download.memory.\(name)", value: $0, unit: "MiB")] } ?? []
    }
}
