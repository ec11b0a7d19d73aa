import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

/// A clock that a test moves by hand.
final class ManualTime: TimeSource {
    private struct State: Sendable {
        var elapsed: Duration = .zero
        var sleepers = 0
        var sleeps = 0
    }
    private let state = Watched(State())

    var elapsed: Duration { state.read(\.elapsed) }
    var date: Date { Date(timeIntervalSince1970: 0) }

    func sleep(for duration: Duration) async throws {
        let deadline = state.update { state in
            state.sleepers += 1
            state.sleeps += 1
            return state.elapsed + duration
        }
        defer { state.update { $0.sleepers -= 1 } }
        try await state.wait { $0.elapsed >= deadline ? () : nil }
    }

    func advance(by duration: Duration) {
        state.update { $0.elapsed += duration }
    }

    /// Moves on once somebody sleeps.
    func advanceSleeper(by duration: Duration) async throws {
        try await waitForSleepers(1)
        advance(by: duration)
    }

    /// Waits until this many sleeps have begun in all.
    func waitForSleeps(_ count: Int) async throws {
        try await state.wait { $0.sleeps >= count ? () : nil }
    }

    func waitForSleepers(_ count: Int) async throws {
        try await state.wait { $0.sleepers >= count ? () : nil }
    }
}

struct User: Codable, Sendable, Equatable {
    var name: String
}

struct TestError: Error, Equatable {
    var text = ""
}

let base = "https://example.com"

extension Request {
    func on(_ time: any TimeSource) -> Request {
        var request = self
        request.environment.time = time
        return request
    }
}

extension HTTPBody {
    /// The chunks up to the end or the error.
    func chunks() async -> (chunks: [String], error: (any Error)?) {
        var chunks: [String] = []
        do {
            for try await chunk in self { chunks.append(String(decoding: chunk, as: UTF8.self)) }
            return (chunks, nil)
        } catch {
            return (chunks, error)
        }
    }

    static func onceChunks(length: Int64? = nil, _ chunks: [String]) -> HTTPBody {
        .once(
            length: length,
            chunks: AsyncStream { continuation in
                for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
                continuation.finish()
            }
        )
    }
}

/// The error that `body` throws.
func failure(_ body: () async throws -> Void) async throws -> any Error {
    do {
        try await body()
    } catch {
        return error
    }
    return try #require(nil as (any Error)?, "nothing was thrown")
}
