import HTTPChainCore
import Scenarios

extension Suite {
    /// How far the peak of resident memory grows while 100 MB are saved to a file, over each transport.
    static let download = Suite(name: "download", prefixes: ["download"]) {
        let server = try LoopbackServer()
        defer { server.stop() }
        var figures = try await growth(over: DownloadScenarios.inMemory(), from: server, named: "inmemory")
        for peer in [NetworkPeer.asyncHTTPClient(server.contentURL), try .urlSession(server.contentURL)] {
            figures += try await growth(over: peer.transport, from: server, named: peer.name)
            try await peer.shutdown()
        }
        return figures
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
