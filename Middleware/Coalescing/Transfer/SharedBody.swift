import Foundation
import HTTPChainCore

/// A body that arrives once and is read by several callers, each at its own speed.
///
/// A task reads from the transfer whenever a caller waits for more. The task ends with the body, or when the last
/// reader leaves.
final class SharedBody: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private enum End {
        case complete
        case failed(any Error)
    }

    private struct State {
        var window: SharedWindow
        var waiting: [Int: Waiter] = [:]
        var demand: CheckedContinuation<Bool, Never>?
        var end: End?
        var file: SpillFile?
        var spillFailure: (any Error)?
        var task: Task<Void, Never>?

        /// Removes and returns the waiters, in the order in which they began to wait.
        mutating func takeWaiting() -> [Waiter] {
            let waiters = waiting.sorted { $0.key < $1.key }.map(\.value)
            waiting = [:]
            return waiters
        }

        /// Releases the file if no reader needs it.
        mutating func releaseFile() {
            if file != nil, !window.needsFile { file = nil }
        }
    }

    private enum Step {
        case chunk(Data)
        case file(SpillFile, offset: Int64, count: Int)
        case wait
        case end
        case failed(any Error)
    }

    private let body: HTTPBody
    private let window: ByteCount
    private let spill: ByteCount
    private let exchange: ExchangeSnapshot
    private let state: Locked<State>

    private init(_ body: HTTPBody, readers: Int, window: ByteCount, spill: ByteCount, exchange: ExchangeSnapshot) {
        self.body = body
        self.window = window
        self.spill = spill
        self.exchange = exchange
        state = Locked(State(window: SharedWindow(readers: readers, memory: window.bytes, disk: spill.bytes)))
    }

    /// Returns a body for each reader, as a replacement for a body that can be read only once.
    static func bodies(
        _ body: HTTPBody,
        readers: Int,
        window: ByteCount,
        spill: ByteCount,
        exchange: ExchangeSnapshot
    ) -> [HTTPBody] {
        let shared = SharedBody(body, readers: readers, window: window, spill: spill, exchange: exchange)
        shared.state.withLock { state in
            state.task = Task { await shared.pump() }
        }
        return (0..<readers).map { number in
            let seat = Seat(shared, number)
            return HTTPBody.once(length: body.length) { seat }
        }
    }

    // MARK: - Reading the kept part

    func read(_ reader: Int) async throws -> Data? {
        while true {
            if Task.isCancelled {
                leave(reader)
                throw CancellationError()
            }
            switch step(for: reader) {
            case .chunk(let bytes): return bytes
            case .end: return nil
            case .failed(let error): throw error
            case .wait: try await wait(reader)
            case .file(let file, let offset, let count):
                guard let bytes = try await bytes(of: file, at: offset, count: count) else { continue }
                guard finishFileRead(reader, bytes.count) else { throw lost() }
                return bytes
            }
        }
    }

    /// Reads the file; returns nil if the task is cancelled.
    private func bytes(of file: SpillFile, at offset: Int64, count: Int) async throws -> Data? {
        do {
            return try await file.read(at: offset, count: count)
        } catch {
            if Task.isCancelled { return nil }
            throw error
        }
    }

    private func step(for reader: Int) -> Step {
        let step = state.withLock { state -> Step? in
            defer { state.releaseFile() }
            switch state.window.step(for: reader) {
            case .chunk(let bytes): return .chunk(bytes)
            case .file(let offset, let count): return state.file.map { .file($0, offset: offset, count: count) }
            case .lost: return nil
            case .wait:
                switch state.end {
                case nil: return .wait
                case .complete: return .end
                case .failed(let error): return .failed(error)
                }
            }
        }
        return step ?? .failed(lost())
    }

    private func finishFileRead(_ reader: Int, _ count: Int) -> Bool {
        state.withLock { state in
            defer { state.releaseFile() }
            return state.window.finishFileRead(reader, count: count)
        }
    }

    private func lost() -> CoalescingError {
        CoalescingError(
            limit: ByteCount(window.bytes.saturatingSum(spill.bytes)),
            failedExchange: exchange,
            cause: state.withLock { $0.spillFailure }
        )
    }

    /// Returns when there may be more to read.
    private func wait(_ reader: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: Waiter) in
                let (isCancelled, isReady, demand) = state.withLock {
                    state -> (Bool, Bool, CheckedContinuation<Bool, Never>?) in
                    if Task.isCancelled { return (true, false, nil) }
                    guard state.end == nil, state.window.isAtEnd(reader) else {
                        return (false, true, nil)
                    }
                    state.waiting[reader] = waiter
                    return (false, false, state.demand.take())
                }
                if isCancelled { waiter.resume(throwing: CancellationError()) }
                if isReady { waiter.resume() }
                demand?.resume(returning: true)
            }
        } onCancel: {
            leave(reader)
        }
    }

    /// Removes a reader.
    ///
    /// If it is the last one, the transfer ends.
    func leave(_ reader: Int) {
        let (waiter, task, demand) = state.withLock {
            state -> (Waiter?, Task<Void, Never>?, CheckedContinuation<Bool, Never>?) in
            state.window.remove(reader)
            state.releaseFile()
            let waiter = state.waiting.removeValue(forKey: reader)
            guard !state.window.hasReaders else { return (waiter, nil, nil) }
            return (waiter, state.task.take(), state.demand.take())
        }
        task?.cancel()
        demand?.resume(returning: false)
        waiter?.resume(throwing: CancellationError())
    }

    // MARK: - Receiving

    private func pump() async {
        do {
            guard await isWanted() else { return finish(.complete) }
            var reader = try await body.makeReader()
            repeat {
                guard let bytes = try await reader.read() else { return finish(.complete) }
                try await take(bytes)
            } while await isWanted()
        } catch {
            finish(.failed(error))
        }
    }

    /// Waits until a reader has consumed everything and needs more; returns `false` if no readers are left.
    private func isWanted() async -> Bool {
        await withCheckedContinuation { (demand: CheckedContinuation<Bool, Never>) in
            let isWanted = state.withLock { state -> Bool? in
                if !state.window.hasReaders { return false }
                if !state.waiting.isEmpty { return true }
                state.demand = demand
                return nil
            }
            if let isWanted { demand.resume(returning: isWanted) }
        }
    }

    /// Keeps bytes for the readers.
    ///
    /// - Throws: `CancellationError` if the last reader has left.
    private func take(_ bytes: Data) async throws {
        let waiting = state.withLock { state in
            state.window.append(bytes)
            return state.takeWaiting()
        }
        for waiter in waiting { waiter.resume() }
        while let (chunk, file) = nextSpill() {
            do {
                let file = if let file { file } else { try await SpillFile.create(capacity: spill.bytes) }
                try await file.write(chunk.bytes, at: chunk.offset)
                state.withLock { state in
                    state.file = file
                    state.window.dropChunks(to: chunk.offset + Int64(chunk.bytes.count))
                    state.releaseFile()
                }
            } catch {
                try Task.checkCancellation()
                state.withLock { state in
                    state.spillFailure = error
                    state.window.dropSlowest()
                    state.releaseFile()
                }
            }
        }
    }

    private func nextSpill() -> (SharedWindow.Spill, SpillFile?)? {
        state.withLock { state in
            let chunk = state.window.nextSpill()
            state.releaseFile()
            return chunk.map { ($0, state.file) }
        }
    }

    private func finish(_ end: End) {
        let waiting = state.withLock { state in
            state.end = end
            state.task = nil
            return state.takeWaiting()
        }
        for waiter in waiting { waiter.resume() }
    }
}

extension Int64 {
    fileprivate func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

/// One reader's place in a shared body.
///
/// The reader leaves when it is released.
final class Seat: BodyReader, Sendable {
    private let body: SharedBody
    private let number: Int

    init(_ body: SharedBody, _ number: Int) {
        self.body = body
        self.number = number
    }

    deinit { body.leave(number) }

    nonisolated(nonsending) func read() async throws -> Data? { try await body.read(number) }
}
