import Foundation
import HTTPChainCore

/// Counts the bytes read from a body.
struct CountingReader: BodyReader {
    /// `nil` after it has ended.
    var inner: (any BodyReader)?
    /// Receives the number of bytes read so far.
    let advance: @Sendable (_ total: Int64) -> Void
    /// Receives the end, with the error of a broken body.
    let end: @Sendable (_ error: (any Error)?) -> Void
    private(set) var count: Int64 = 0

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard inner != nil else { return nil }
        do {
            guard let chunk = try await inner?.read() else {
                inner = nil
                end(nil)
                return nil
            }
            count += Int64(chunk.count)
            advance(count)
            return chunk
        } catch {
            end(error)
            throw error
        }
    }
}

/// Lives as long as the download can still be read to its end.
///
/// Reports when it no longer can be.
final class DownloadInterest: Sendable {
    let tracker: TransferTracker

    init(_ tracker: TransferTracker) {
        self.tracker = tracker
    }

    deinit {
        tracker.end(.cancelled)
    }
}
