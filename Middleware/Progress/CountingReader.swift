import Foundation
import HTTPChainCore

/// Counts the bytes read from a body.
struct CountingReader: BodyReader {
    /// `nil` after the end.
    var inner: (any BodyReader)?
    /// Receives the number of bytes read so far.
    let advance: @Sendable (_ total: Int64) -> Void
    /// Called at the end, with the error if the body broke.
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

/// An object that exists as long as the download can still be read to its end.
///
/// Its release reports that this is no longer possible.
final class DownloadInterest: Sendable {
    let tracker: TransferTracker

    init(_ tracker: TransferTracker) {
        self.tracker = tracker
    }

    deinit {
        tracker.end(.cancelled)
    }
}
