import Foundation
import HTTPChainCore

/// The source of a response body.
///
/// Deallocating it cancels the transfer.
final class ResponseSource: Sendable {
    let buffer: SpillBuffer
    let exchange: Exchange

    init(buffer: SpillBuffer, exchange: Exchange) {
        self.buffer = buffer
        self.exchange = exchange
    }

    deinit {
        exchange.end(throwing: CancellationError())
        exchange.isDone()
    }
}

/// Reads the body of a response as it arrives.
struct ResponseReader: BodyReader {
    let source: ResponseSource
    let timer: TransferTimer?

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        let source = source
        guard let timer else { return try await Self.read(source) }
        timer.awaitsBody()
        let chunk = try await Self.read(source)
        timer.received(chunk?.count ?? 0)
        if chunk == nil { source.exchange.isDone() }
        return chunk
    }

    private nonisolated(nonsending) static func read(_ source: ResponseSource) async throws -> Data? {
        try await withTaskCancellationHandler {
            try Task.checkCancellation()
            return try await source.buffer.read()
        } onCancel: {
            source.exchange.end(throwing: CancellationError())
            // Even if the transfer has ended, the rest may still be waiting for the disk.
            source.buffer.abort(throwing: CancellationError())
        }
    }
}

/// A reader that fails on the first read, because the platform has lost the body.
struct LostBodyReader: BodyReader {
    let error: any Error

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        throw error
    }
}
