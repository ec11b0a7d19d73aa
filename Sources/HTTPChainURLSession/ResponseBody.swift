import Foundation
import HTTPChainCore

/// Where the body of a response comes from; when nobody can read it any more, its transfer is cancelled.
final class ResponseSource: Sendable {
    let buffer: SpillBuffer
    private let exchange: Exchange

    init(buffer: SpillBuffer, exchange: Exchange) {
        self.buffer = buffer
        self.exchange = exchange
    }

    deinit {
        exchange.end(throwing: CancellationError())
    }

    /// Gives up the transfer because the task that reads it was cancelled.
    func cancel() {
        exchange.end(throwing: CancellationError())
    }
}

/// Reads the body of a response as it arrives.
struct ResponseReader: BodyReader {
    let source: ResponseSource

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        let source = source
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await source.buffer.read()
        } onCancel: {
            source.cancel()
        }
    }
}

/// Fails as soon as it is read: the body was lost on its way.
struct LostBodyReader: BodyReader {
    let error: any Error

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        throw error
    }
}
