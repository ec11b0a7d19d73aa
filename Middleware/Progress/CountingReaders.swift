import Foundation
import HTTPChainCore

/// Counts the bytes read from a request's body.
struct UploadReader: BodyReader {
    private var inner: any BodyReader
    private let tracker: TransferTracker
    private let attempt: Int
    private var count: Int64 = 0

    init(_ inner: sending any BodyReader, tracker: TransferTracker, attempt: Int) {
        self.inner = inner
        self.tracker = tracker
        self.attempt = attempt
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else {
            tracker.endUpload(attempt: attempt)
            return nil
        }
        count += Int64(chunk.count)
        tracker.advanceUpload(to: count, attempt: attempt)
        return chunk
    }
}

/// Counts the bytes read from a response's body.
struct DownloadReader: BodyReader {
    /// `nil` after it has ended or broken.
    private var inner: (any BodyReader)?
    private let tracker: TransferTracker
    private let interest: DownloadInterest
    private var count: Int64 = 0

    init(_ inner: sending any BodyReader, tracker: TransferTracker, interest: DownloadInterest) {
        self.inner = inner
        self.tracker = tracker
        self.interest = interest
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard inner != nil else { return nil }
        do {
            guard let chunk = try await inner?.read() else {
                inner = nil
                tracker.end(.finished)
                return nil
            }
            count += Int64(chunk.count)
            tracker.advance(.download, to: count)
            return chunk
        } catch {
            tracker.end(with: error)
            throw error
        }
    }
}

/// Lives as long as the download can still be read to its end.
///
/// Reports when it no longer can be.
final class DownloadInterest: Sendable {
    private let tracker: TransferTracker

    init(_ tracker: TransferTracker) {
        self.tracker = tracker
    }

    deinit {
        tracker.end(.cancelled)
    }
}
