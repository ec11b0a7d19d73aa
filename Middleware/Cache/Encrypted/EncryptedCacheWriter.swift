import Foundation
import HTTPChainCache
import HTTPChainCore

/// Encrypts one entry for the underlying store.
///
/// The description contains the length and checksum of the content, but the underlying store needs the description
/// first. An entry of one block is therefore written when it is complete. For a longer one, the description is written
/// twice, and the entry can't be found until the second time. Content that is being extended keeps its old description
/// until the extension is complete.
final class EncryptedCacheWriter: FlightLimitedWriter {
    private struct State {
        var pending = Data()
        var blocks: Int64 = 0
        var length: Int64 = 0
        var checksum: ContentChecksum
        var isOpen = true
    }
    private let store: EncryptedCacheStore
    private let inner: any CacheWriter
    private let key: CacheKey
    private let innerKey: CacheKey
    private let metadata: CacheMetadata
    private let salt: Data
    /// The content being extended.
    private let grown: (response: StoredResponse, layout: SealedLayout)?
    private let cipher: ContentCipher
    private let share: FlightShare?
    /// The lock is never contended, because only one task at a time uses a writer.
    ///
    /// Nothing changes between two accesses.
    private let state: Locked<State>

    init(
        _ store: EncryptedCacheStore,
        over inner: any CacheWriter,
        _ key: CacheKey,
        _ innerKey: CacheKey,
        _ metadata: CacheMetadata,
        salt: Data,
        behind grown: (response: StoredResponse, layout: SealedLayout)? = nil
    ) {
        self.store = store
        self.inner = inner
        self.key = key
        self.innerKey = innerKey
        self.metadata = metadata
        self.salt = salt
        self.grown = grown
        share = store.inFlight.map { FlightShare(of: $0) }
        state = Locked(State(checksum: grown?.response.bodyChecksum ?? ContentChecksum()))
        cipher = store.current.content(salt)
    }

    /// Whether the budget of this store or of the underlying one is exhausted.
    var hasSpentBudget: Bool {
        share?.isRefused ?? false || (inner as? any FlightLimitedWriter)?.hasSpentBudget ?? false
    }

    func write(_ chunk: Data) async throws -> Bool {
        do {
            if let sealed = try add(chunk) {
                if sealed.isEmpty { return true }
                if try await inner.write(sealed) { return true }
            }
        } catch {
            await abandon()
            throw error
        }
        await abandon()
        return false
    }

    /// Encrypts the complete blocks; returns `nil` if the entry is too large.
    private func add(_ chunk: Data) throws -> Data? {
        try state.withLock { state -> Data? in
            let (length, isTooLarge) = state.length.addingReportingOverflow(Int64(chunk.count))
            guard state.isOpen, !isTooLarge, store.takes(length, behind: grown?.layout.sealedLength ?? 0),
                share?.take(chunk.count) ?? true
            else { return nil }
            state.length = length
            state.checksum.update(chunk)
            var sealed = Data()
            var rest = chunk
            while !rest.isEmpty {
                // A full block is kept, because only further content shows that it isn't the last one.
                if state.pending.count == ContentCipher.payload {
                    sealed.append(try cipher.seal(state.pending, number: state.blocks, isLast: false))
                    state.blocks += 1
                    state.pending = Data()
                }
                let count = min(ContentCipher.payload - state.pending.count, rest.count)
                state.pending.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            return sealed
        }
    }

    func commit() async throws -> CacheCommit {
        let written = state.withLock { state -> State? in
            guard state.isOpen else { return nil }
            defer {
                state.isOpen = false
                state.pending = Data()
            }
            return state
        }
        guard let written else { return CacheCommit(entry: nil) }
        defer { share?.giveBack() }
        do {
            return try await commit(written)
        } catch {
            await inner.abandon()
            throw error
        }
    }

    private func commit(_ written: State) async throws -> CacheCommit {
        let layout =
            grown?.layout.appending(SealedLayout.Segment(salt: salt, length: written.length))
            ?? SealedLayout(salt: salt, length: written.length)
        let response = StoredResponse(metadata, bodyLength: layout.length, bodyChecksum: written.checksum)
        let head = SealedHead(key, response, layout, isComplete: true)
        let sealed = try store.current.seal(head, as: innerKey)
        var last = Data()
        if !written.pending.isEmpty {
            last = try cipher.seal(written.pending, number: written.blocks, isLast: true)
        }
        var commit: CacheCommit
        if written.blocks == 0, grown == nil {
            await inner.abandon()
            let length = Int64(last.count)
            guard let whole = try await store.base.makeWriter(for: innerKey, sealed, expecting: length) else {
                return CacheCommit(entry: nil)
            }
            if !last.isEmpty { guard try await whole.write(last) else { return CacheCommit(entry: nil) } }
            commit = try await whole.commit()
        } else {
            if !last.isEmpty { guard try await inner.write(last) else { return CacheCommit(entry: nil) } }
            commit = try await inner.commit()
            if let entry = commit.entry {
                do {
                    commit.entry = try await store.base.update(entry, to: sealed)
                } catch {
                    // The entry is useless, because its description is incomplete or outdated.
                    _ = try? await store.base.remove(.entry(entry.id))
                    throw error
                }
            }
        }
        if commit.entry != nil { try await store.removeOlder(metadata.variant, of: key) }
        return CacheCommit(
            entry: commit.entry.map { store.outer($0, head, store.current) },
            evicted: store.originals(commit.evicted)
        )
    }

    func abandon() async {
        state.withLock { state in
            state.isOpen = false
            state.pending = Data()
        }
        share?.giveBack()
        await inner.abandon()
    }
}
