import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPTypes

/// Calls that are recorded, and such that are replayed.
public enum HARScenarios {
    /// How many chunks of 64 KiB the large body of ``large(chunks:recording:named:)`` has in one run of the suite.
    public static let chunks = 256

    private static let answer = Data("{\"id\":42,\"name\":\"Ada\",\"tags\":[\"a\",\"b\"]}".utf8)

    /// A small call, not recorded.
    public static func bare(named name: String) throws -> Scenario {
        let chain = try Chain([], transport: SmallTransport(answer: answer))
        return Scenario(name: name) { count in try await run(chain, count) }
    }

    /// The same call, recorded to memory, for as long as it takes its caller; and the wait for what is done behind it, so
    /// that it is not done while something else is measured.
    public static func recorded(named name: String, settling: String) -> [Scenario] {
        let current = Locked<HARRecorder?>(nil)
        return [
            Scenario(name: name) { count in
                let recorder = HARRecorder()
                current.withLock { $0 = recorder }
                try await run(Chain([RecordingMiddleware(recorder)], transport: SmallTransport(answer: answer)), count)
            },
            Scenario(name: settling) { _ in try await current.withLock { $0.take() }?.flush() },
        ]
    }

    /// The same call, recorded to a file, with all that is done until its entry is there.
    public static func written(named name: String) -> Scenario {
        Scenario(name: name) { count in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID().uuidString).har")
            defer { try? FileManager.default.removeItem(at: file) }
            let recorder = HARRecorder(file: file)
            try await run(Chain([RecordingMiddleware(recorder)], transport: SmallTransport(answer: answer)), count)
            try await recorder.flush()
        }
    }

    /// The same call, answered by an archive that has it among a hundred others.
    public static func replayed(named name: String) async throws -> Scenario {
        let recorder = HARRecorder()
        let recorded = try Chain([RecordingMiddleware(recorder)], transport: SmallTransport(answer: answer))
        for page in 0..<100 { try await run(recorded, 1, page: page) }
        var settings = ReplaySettings()
        settings.sequence = .nextThenLast
        let chain = try Chain([], transport: ReplayTransport(try await recorder.archive(), settings: settings))
        return Scenario(name: name) { count in try await run(chain, count) }
    }

    /// A body of chunks of 64 KiB that passes a recorder which keeps its first 64 KiB, or none.
    public static func large(chunks: Int, recording: Bool, named name: String) -> Scenario {
        Scenario(name: name) { count in
            for _ in 0..<count {
                let recorder = HARRecorder(bodiesUpTo: .kibibytes(64))
                let stages: [any Middleware] = recording ? [RecordingMiddleware(recorder)] : []
                let chain = try Chain(stages, transport: LargeTransport(chunks: chunks))
                var size = 0
                for try await chunk in try await chain.send(.get("https://api.example.com/")).body {
                    size += chunk.count
                }
                try await recorder.flush()
                guard size == chunks * BodyScenarios.chunkSize else { throw Wrong() }
            }
        }
    }

    private static func run(_ chain: Chain, _ count: Int, page: Int = 2) async throws {
        for _ in 0..<count {
            let response = try await chain.send(
                .post(
                    "https://api.example.com/users?page=\(page)",
                    headers: [.contentType: "application/json", .accept: "application/json"],
                    body: "{\"name\":\"Ada\"}"
                )
            )
            guard try await response.body.collect().count == answer.count else { throw Wrong() }
        }
    }

    private struct Wrong: Error {}
}

private struct SmallTransport: Transport {
    let answer: Data

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let answer = answer
        return Response(
            .ok,
            headers: [.contentType: "application/json", .eTag: "\"v1\""],
            body: .once(length: Int64(answer.count)) { PieceReader(piece: answer, rest: 1) }
        )
    }
}

private struct LargeTransport: Transport {
    private static let piece = Data(repeating: 0x61, count: BodyScenarios.chunkSize)

    let chunks: Int

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let length = Int64(chunks) * Int64(BodyScenarios.chunkSize)
        return Response(.ok, body: .once(length: length) { [chunks] in PieceReader(piece: Self.piece, rest: chunks) })
    }
}

private struct PieceReader: BodyReader {
    let piece: Data
    var rest: Int

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard rest > 0 else { return nil }
        rest -= 1
        return piece
    }
}
