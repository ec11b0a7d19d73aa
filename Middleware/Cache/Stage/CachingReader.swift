import Foundation
import HTTPChainCore

/// Passes a response to its caller while recording it; both end if the caller stops early.
struct CachingReader: BodyReader {
    var inner: any BodyReader
    let recording: CacheRecording
    private(set) var isFinished = false

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !isFinished else { return nil }
        do {
            guard let chunk = try await inner.read() else {
                isFinished = true
                await recording.finish()
                return nil
            }
            await recording.write(chunk)
            return chunk
        } catch {
            isFinished = true
            if error is CancellationError || Task.isCancelled {
                await recording.abandon()
            } else {
                await recording.stop("its transfer failed, RFC 9111 §3.3")
            }
            throw error
        }
    }
}

/// Reads from another reader; if the caller stops early, passes that reader on, to be read to its end.
struct HandingOnReader: BodyReader {
    private let source: Source

    /// Keeps the reader between two reads.
    private final class Source: Sendable {
        private let slot: Locked<Locked<(any BodyReader)?>?>
        private let onAbandoned: @Sendable (HTTPBody) -> Void

        init(_ reader: sending any BodyReader, _ onAbandoned: @escaping @Sendable (HTTPBody) -> Void) {
            slot = Locked(Locked(reader))
            self.onAbandoned = onAbandoned
        }

        deinit {
            guard let rest = slot.withLock({ $0 }) else { return }
            onAbandoned(.once { Self.take(rest) ?? Ended() })
        }

        private static func take(_ box: Locked<(any BodyReader)?>) -> sending (any BodyReader)? {
            box.withLock { reader -> sending (any BodyReader)? in
                let taken = reader
                reader = nil
                return taken
            }
        }

        func take() -> sending (any BodyReader)? {
            slot.withLock { $0.take() }.flatMap { Self.take($0) }
        }

        func put(_ reader: sending any BodyReader) {
            let box = Locked<(any BodyReader)?>(reader)
            slot.withLock { $0 = box }
        }
    }

    private struct Ended: BodyReader {
        nonisolated(nonsending) mutating func read() async throws -> Data? { nil }
    }

    init(_ inner: sending any BodyReader, onAbandoned: @escaping @Sendable (HTTPBody) -> Void) {
        source = Source(inner, onAbandoned)
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard var reader = source.take() else { return nil }
        guard let chunk = try await reader.read() else { return nil }
        source.put(reader)
        return chunk
    }
}
