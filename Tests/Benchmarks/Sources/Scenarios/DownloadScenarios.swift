import Foundation
public import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes

/// Downloads into a file, and uploads of a stream.
public enum DownloadScenarios {
    /// Saves a response of a known size to a file, which is removed then.
    public static func save(_ url: String, of size: Int, over transport: some Transport) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("figures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let response = try await Chain([], transport: transport).send(.get(url))
        guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
        let count = try await response.body.save(to: file)
        guard count == size else { throw ShortBody(count: count) }
    }

    /// Sends a stream of zeros whose length isn't known.
    public static func upload(_ size: Int, to url: String, over transport: some Transport) async throws {
        let body = HTTPBody.once(length: nil) { ZeroReader(rest: size) }
        let response = try await Chain([], transport: transport).send(.post(url, body: body))
        guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
        _ = try await response.body.collect()
    }

    /// A transport in memory that answers with as many zeros as the last part of the path says.
    public static func inMemory() -> some Transport {
        InMemoryTransport { request in
            let size = request.head.path.flatMap { $0.split(separator: "/").last }.flatMap { Int($0) } ?? 0
            return Response(.ok, body: .once(length: Int64(size)) { ZeroReader(rest: size) })
        }
    }
}

private struct ZeroReader: BodyReader {
    private static let piece = Data(count: BodyScenarios.chunkSize)

    var rest: Int

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard rest > 0 else { return nil }
        let piece = Self.piece.prefix(rest)
        rest -= piece.count
        return piece
    }
}
