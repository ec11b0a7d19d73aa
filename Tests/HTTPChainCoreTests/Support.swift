import Foundation
import HTTPChainCore
import HTTPTypes

func redacted(_ text: String) -> String { Redaction.standard.text(text) }

/// Answers from a closure.
struct ClosureTransport: Transport {
    var capabilities: TransportCapabilities = [.streamsUploads, .backpressure]
    var answer: @Sendable (Request) async throws -> Response = { _ in Response(.ok) }

    func send(_ request: consuming Request) async throws -> Response {
        try await answer(request)
    }
}

/// A stage that only has a place.
struct Marker: Middleware {
    var name: String
    var phase: Phase
    var log: Locked<[String]>?

    init(_ name: String, _ phase: Phase = .anywhere, log: Locked<[String]>? = nil) {
        self.name = name
        self.phase = phase
        self.log = log
    }

    var summary: StageSummary { StageSummary(name, purpose: "marks", settings: ["mark": name]) }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        log?.withLock { $0.append("\(name) >") }
        let response = try await next(request)
        log?.withLock { $0.append("< \(name)") }
        return response
    }
}

/// Gives the chunks it was made with, then ends or fails.
struct ListReader: BodyReader {
    var chunks: [Data]
    var failure: (any Error)?

    init(_ chunks: [String], failing failure: (any Error)? = nil) {
        self.chunks = chunks.map { Data($0.utf8) }
        self.failure = failure
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if !chunks.isEmpty { return chunks.removeFirst() }
        if let failure { throw failure }
        return nil
    }
}

/// Gives one chunk and then waits until it is cancelled.
struct EndlessReader: BodyReader {
    let onCancellation: @Sendable () -> Void
    var isBegun = false

    init(onCancellation: @escaping @Sendable () -> Void) {
        self.onCancellation = onCancellation
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if !isBegun {
            isBegun = true
            return Data("a".utf8)
        }
        defer { onCancellation() }
        try await Task.sleep(for: .seconds(86_400))
        return nil
    }
}

struct Boom: Error, Equatable {
    var name = "boom"
}

/// Tells when it goes.
final class Canary: Sendable {
    private let gone: Locked<Bool>

    init(_ gone: Locked<Bool>) {
        self.gone = gone
    }

    deinit {
        gone.withLock { $0 = true }
    }
}

func once(_ chunks: String..., length: Int64? = nil) -> HTTPBody {
    .once(length: length) { ListReader(chunks) }
}

/// A directory of its own for one test, removed with the value.
final class ScratchDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("httpchain-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String, _ content: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try content.write(to: file)
        return file
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }
}
