import Foundation
import HTTPChainCore

/// Receives a request's body like a server, and reports each chunk.
struct Receiver: Sendable {
    /// The number of bytes of a one-shot body kept in memory; the rest goes to a temporary file.
    let memory: ByteCount
    let time: any TimeSource
    /// The number of bytes that arrive per second; `nil` for no limit.
    let rate: ByteCount?
    let progress: (@Sendable (_ sent: Int64, _ expected: Int64?) -> Void)?
    let record: @Sendable (Data) -> Void

    /// Reads the body to its end.
    ///
    /// - Parameter keeping: Whether the content is needed again.
    /// - Returns: A replayable body with the same content if `keeping` is set, otherwise an empty body.
    func receive(_ request: WireRequest, keeping: Bool) async throws -> HTTPBody {
        let body = request.body
        // A stream is read even if its declared length is zero, because only reading shows whether that is correct.
        if body.bytes?.isEmpty == true { return .empty }
        let expected = request.contentLength
        let received = body.transformed(length: body.length) {
            ReceivingReader(inner: $0, receiver: self, expected: expected)
        }
        if keeping, !body.isReplayable { return try await received.buffered(upTo: .unlimited, memory: memory) }
        var reader = try await received.makeReader()
        while try await reader.read() != nil {}
        return keeping ? body : .empty
    }
}

private struct ReceivingReader: BodyReader {
    var inner: any BodyReader
    let receiver: Receiver
    let expected: Int64?
    var count: Int64 = 0

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        try Task.checkCancellation()
        guard let chunk = try await inner.read() else { return nil }
        let pause = SimulatedNetwork.time(for: chunk.count, at: receiver.rate)
        if pause > .zero { try await receiver.time.sleep(for: pause) }
        count += Int64(chunk.count)
        receiver.record(chunk)
        receiver.progress?(count, expected)
        return chunk
    }
}
