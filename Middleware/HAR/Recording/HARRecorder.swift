public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// Takes what recording stages saw, and writes it to an archive.
///
/// ```swift
/// let recorder = HARRecorder(file: URL(fileURLWithPath: "session.har"))
/// let chain = try Chain.standard(base: base).appending(RecordingMiddleware(recorder))
/// …
/// try await recorder.flush()
/// ```
///
/// Any number of stages, and of recorders on the same file, may write at the same time; the file is a whole archive
/// after each entry. Redacting and writing are done on a file thread, in the order in which exchanges ended; secrets are
/// redacted before anything is written. ``flush()`` waits for what is pending, and tells of what went wrong; a recorder
/// that is dropped still writes what it was given.
public final class HARRecorder: Sendable {
    private struct State: Sendable {
        var pending: [RecordedExchange] = []
        var pendingBytes: Int64 = 0
        var isWriting = false
        var entries: [HAREntry] = []
        var dropped = 0
        var error: HARError?
    }

    /// How much may wait for the disk; beyond it, entries are dropped and ``flush()`` says so.
    private static let pendingLimit: Int64 = 256 << 20

    /// The size of the part of each body that is recorded, and the place for it.
    public let bodies: HARBodyStorage
    private let file: HARFile?
    private let executor: FileExecutor
    private let state = Watched(State())

    /// Records to a file, which is made when it does not exist, and appended to when it does.
    ///
    /// A file that ends in the middle, because a program was killed, is cut after its last whole entry.
    ///
    /// - Parameters:
    ///   - file: The file, `.har` by custom. It is readable for this user alone.
    ///   - bodies: How much of each body is recorded, and where it goes; 1 MiB in the archive by default.
    ///   - limits: How large the file may become before it is not appended to any more.
    public convenience init(file: URL, bodies: HARBodyStorage = .inline(), limits: HARLimits = .standard) {
        self.init(HARFile(path: file.path, limits: limits), bodies: bodies)
    }

    /// Records to memory; ``archive()`` has the entries.
    ///
    /// - Parameter limit: How many bytes of each body are recorded; 1 MiB by default.
    public convenience init(bodiesUpTo limit: ByteCount = .mebibytes(1)) {
        self.init(nil, bodies: .inline(upTo: limit))
    }

    init(_ file: HARFile?, bodies: HARBodyStorage, executor: FileExecutor = .shared) {
        self.file = file
        self.bodies = bodies
        self.executor = executor
    }

    var bodyLimit: Int64 { bodies.limit.bytes }

    /// Takes an exchange that is over; returns at once.
    func record(_ exchange: RecordedExchange) {
        let size = exchange.responseBody.keptCount + (exchange.requestBody?.keptCount ?? 0) + 1024
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
            let size = batch.reduce(Int64(0)) {
                $0 + $1.responseBody.keptCount + ($1.requestBody?.keptCount ?? 0) + 1024
            }
            state.update { [failure] state in
                state.pendingBytes -= size
                if file == nil { state.entries += entries.map(\.entry) }
                state.error = state.error ?? failure
            }
        }
    }

    private func bodyName() -> String { "\(file?.bodiesName ?? "bodies")/\(UUID().uuidString).bin" }

    /// Waits until all exchanges that are over are written.
    ///
    /// - Throws: ``HARError`` for the first thing that went wrong since the last call; `CancellationError`.
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

    /// Returns the archive of what was recorded: the content of the file, or the entries in memory.
    ///
    /// - Throws: As ``flush()`` does; ``HARError`` when the file cannot be read.
    public func archive() async throws -> HARArchive {
        try await flush()
        guard let file else { return HARArchive(entries: state.value.entries) }
        return try await HARArchive.read(from: URL(fileURLWithPath: file.path), limits: file.limits)
    }
}

extension CapturedBody {
    fileprivate var keptCount: Int64 { chunks.reduce(0) { $0 + Int64($1.count) } }
}
