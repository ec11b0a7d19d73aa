import Foundation
import HTTPChainCore

/// Records one response while its caller reads it; a failure of the store ends only the recording.
final class CacheRecording: Sendable {
    private struct State {
        var isOpen = true
        var count: Int64 = 0
        /// The number of bytes that must still be skipped, because they are already stored.
        var overlap: Int64

        /// Returns the part of a chunk to write.
        mutating func take(_ chunk: Data) -> Data {
            count += Int64(chunk.count)
            let skipped = min(overlap, Int64(chunk.count))
            overlap -= skipped
            return skipped == 0 ? chunk : chunk.dropFirst(Int(skipped))
        }
    }
    private let writer: any CacheWriter
    private let key: CacheKey
    private let declared: Int64?
    private let suffix: HTTPBody?
    private let place: CommitPlace
    private let claim: RecordingClaim
    private let state: Locked<State>

    /// - Parameters:
    ///   - writer: The writer of the entry.
    ///   - key: The key of the entry.
    ///   - declared: The length that the head declares. With any other length, the response is incomplete (RFC 9111
    ///     §3.3).
    ///   - overlap: The number of leading bytes that are not written, because they are already stored.
    ///   - suffix: The stored bytes that follow the response's own if parts are combined.
    ///   - place: The destination of the complete response.
    ///   - claim: The right to store the response.
    init(
        _ writer: any CacheWriter,
        key: CacheKey,
        declared: Int64?,
        skipping overlap: Int64 = 0,
        suffix: HTTPBody? = nil,
        place: CommitPlace,
        claim: RecordingClaim
    ) {
        self.writer = writer
        self.key = key
        self.declared = declared
        self.suffix = suffix
        self.place = place
        self.claim = claim
        state = Locked(State(overlap: overlap))
    }

    deinit {
        guard isOpen else { return }
        place.supersedeLater()
        events.emit(.notStored(key, reason: Self.abandoned))
    }

    private static let abandoned = "the caller stopped reading before the end"

    private var events: CacheEvents { place.contents.events }

    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The number of bytes received so far.
    var count: Int64 { state.withLock { $0.count } }

    func write(_ chunk: Data) async {
        guard isOpen else { return }
        let own = state.withLock { $0.take(chunk) }
        if !own.isEmpty { await write(unchecked: own) }
    }

    private func write(unchecked chunk: Data) async {
        do {
            guard try await !writer.write(chunk) else { return }
            await stop(writer.refusal)
            await supersede()
        } catch {
            await fail(error)
        }
    }

    /// Ends the recording because the store failed.
    private func fail(_ error: any Error) async {
        events.emit(.storeFailure(key, error))
        place.supersedeLater()
        await stop("the store failed")
    }

    /// Commits the complete response.
    func finish() async {
        guard isOpen else { return }
        if let declared, declared != count { return await stop("its length is not the declared one, RFC 9111 §3.3") }
        do {
            if let suffix {
                for try await chunk in suffix { await write(unchecked: chunk) }
                guard isOpen else { return }
            }
            if let obstacle = await place.obstacle(key) { return await stop(obstacle) }
            close()
            // The claim is released only after the commit, because otherwise another response that arrives before the
            // commit would also be stored.
            defer { claim.release() }
            let commit = try await writer.commit()
            for key in commit.evicted { events.emit(.evicted(key)) }
            if let entry = commit.entry {
                guard try await place.keeps(entry) else {
                    return events.emit(.notStored(key, reason: "it was invalidated meanwhile, RFC 9111 §4.4"))
                }
                claim.fulfill()
                events.emit(.stored(key, bytes: entry.response.bodyLength))
            } else {
                events.emit(.notStored(key, reason: writer.refusal))
                await supersede()
            }
        } catch {
            await fail(error)
        }
    }

    /// Invalidates the responses that are superseded by this one, which is complete but isn't stored.
    private func supersede() async {
        do {
            try await place.supersede()
        } catch {
            events.emit(.storeFailure(key, error))
        }
    }

    /// Ends the recording because the caller stopped reading.
    ///
    /// The next look-up invalidates the stored response, because the caller has seen a newer one.
    func abandon() async {
        place.supersedeLater()
        await stop(Self.abandoned)
    }

    /// Ends the recording because the transfer failed or the response can't be stored.
    ///
    /// After a failed transfer, the stored response isn't invalidated, so that it can be served while the network
    /// fails.
    func stop(_ reason: String) async {
        close()
        claim.release()
        await writer.abandon()
        events.emit(.notStored(key, reason: reason))
    }

    private func close() { state.withLock { $0.isOpen = false } }
}
