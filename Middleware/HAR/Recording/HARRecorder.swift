public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// Receives exchanges from recording stages and writes them to an archive.
///
/// ```swift
/// let recorder = HARRecorder(file: URL(fileURLWithPath: "session.har"))
/// let chain = try Chain.standard(base: base).appending(RecordingMiddleware(recorder))
/// …
/// try await recorder.flush()
/// ```
///
/// Several stages, and several recorders for the same file, may write concurrently. The file is a complete archive
/// after each entry. Secrets are redacted before anything is written. Redacting and writing happen on a file thread, in
/// the order in which exchanges ended. ``flush()`` waits for pending exchanges and throws the first error. A recorder
/// that is released still writes its pending exchanges.
public final class HARRecorder: Sendable {
    private struct State: Sendable {
        var pending: [RecordedExchange] = []
        var pendingBytes: Int64 = 0
        var isWriting = false
        var entries: [HAREntry] = []
        var dropped = 0
        var error: HARError?
    }

    /// The maximum total size of pending exchanges.
    ///
    /// Beyond it, entries are dropped and ``flush()`` throws.
    private static let pendingLimit: Int64 = 256 << 20

    /// The size limit of recorded bodies, and the place where they are stored.
    package let bodies: HARBodyStorage
    private let file: HARFile?
    private let executor: FileExecutor
    private let state = Watched(State())

    /// Makes a recorder that appends to a file, creating it if necessary.
    ///
    /// A truncated file, left by a killed program, is cut after its last complete entry.
    ///
    /// - Parameters:
    ///   - file: The file, usually with the extension `.har`. Only this user can read it.
    ///   - bodies: The size limit and place of bodies; by default, 1 MiB in the archive.
    ///   - limits: The limits on the size of the file, beyond which nothing is appended.
    public convenience init(file: URL, bodies: HARBodyStorage = .inline(), limits: HARLimits = HARLimits()) {
        self.init(HARFile(path: file.path, limits: limits), bodies: bodies)
    }

    /// Makes a recorder that keeps entries in memory, for ``archive()``.
    ///
    /// - Parameter limit: The maximum number of bytes recorded of each body; 1 MiB by default.
    public convenience init(bodiesUpTo limit: ByteCount = .mebibytes(1)) {
        self.init(nil, bodies: .inline(upTo: limit))
    }

    init(_ file: HARFile?, bodies: HARBodyStorage, executor: FileExecutor = .shared) {
        self.file = file
        self.bodies = bodies
        self.executor = executor
    }

    var bodyLimit: Int64 { bodies.limit.bytes }

    /// Accepts a finished exchange and returns immediately.
    func record(_ exchange: RecordedExchange) {
        let size = exchange.size
        let begins = state.update { state -> Bool in
            guard state.pendingBytes + size <= Self.pendingLimit else {
                state.dropped += 1
                return false
            }
            state.pending.append(exchange)
            state.pendingBytes += size
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { executor.submit { self.write() } }
    }

    private func write() {
        while true {
            let batch = state.update { state -> [RecordedExchange] in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isWriting = false }
                return state.pending
            }
            if batch.isEmpty { return }
            let entries = batch.map { $0.entry(bodies) { bodyName() } }
            var failure: HARError?
            if let file {
                do throws(HARError) { try file.append(entries) } catch { failure = error }
            }
            let size = batch.reduce(0) { $0 + $1.size }
            state.update { [failure] state in
                state.pendingBytes -= size
                if file == nil { state.entries += entries.map(\.entry) }
                state.error = state.error ?? failure
            }
        }
    }

    private func bodyName() -> String { "\(file?.bodiesName ?? "bodies")/\(UUID().uuidString).bin" }

    /// Waits until all finished exchanges have been written.
    ///
    /// - Throws: ``HARError`` for the first failure since the last call; `CancellationError`.
    public func flush() async throws {
        let (error, dropped) = try await state.wait { state -> (HARError?, Int)? in
            if state.isWriting { return nil }
            defer {
                state.error = nil
                state.dropped = 0
            }
            return (state.error, state.dropped)
        }
        if let error { throw error }
        if dropped > 0 { throw HARError(.dropped(count: dropped), path: file?.path) }
    }

    /// Returns the recorded archive: the content of the file, or the entries in memory.
    ///
    /// - Throws: The errors of ``flush()``; ``HARError`` if the file can't be read.
    public func archive() async throws -> HARArchive {
        try await flush()
        guard let file else { return HARArchive(entries: state.value.entries) }
        return try await HARArchive.read(from: URL(fileURLWithPath: file.path), limits: file.limits)
    }
}

extension RecordedExchange {
    /// The size of the kept bodies, plus an estimate for the rest.
    fileprivate var size: Int64 {
        (responseBody.chunks + (requestBody?.chunks ?? [])).reduce(1024) { $0 + Int64($1.count) }
    }
}
