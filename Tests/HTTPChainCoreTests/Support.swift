import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport

func redacted(_ text: String) -> String { Redaction.standard.text(text) }

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

func once(_ chunks: String..., length: Int64? = nil) -> HTTPBody {
    .chunks(chunks, length: length)
}
