#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainCore
import NIOCore

/// The body of a request that is being sent; the client pulls it, and the side that abandons the exchange ends it.
///
/// The client reads in a separate task that it never cancels. If a stream is waiting for more bytes when its exchange
/// ends, it would wait forever. Each read of a stream is therefore a task that ``cancel()`` can cancel.
final class Upload: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var reading: Task<Data?, any Error>?
        var failure: (any Error)?
        var sent: Int64 = 0
        var pending: Int64 = 0
        var timer: TransferTimer?
    }

    /// The bytes that were passed to the client and that the connection hasn't written yet.
    private struct Flow: Sendable {
        var isReported = false
        var isCancelled = false
        var unwritten = 0
    }

    /// The number of unwritten bytes below which the client gets the next part.
    ///
    /// Without this limit, the client would request more even if its connection hasn't processed the last parts yet.
    private static let window = 2 * HTTPBody.chunkSize

    private let length: Int64?
    private let progress: (@Sendable (Int64, Int64?) -> Void)?
    private let state = Locked(State())
    private let flow = Watched(Flow())
    private let reader: UploadReader

    /// Creates the upload of a request.
    ///
    /// Returns nil if there is no body, or if the whole body is in memory and is sent as a single piece.
    init?(_ request: WireRequest, progress: (@Sendable (Int64, Int64?) -> Void)?) {
        if request.contentLength == 0, request.body.bytes != nil || request.body.file != nil { return nil }
        if progress == nil, request.body.singlePiece != nil { return nil }
        reader = UploadReader(request.body, length: request.contentLength)
        length = request.contentLength
        self.progress = progress
    }

    /// Reports the progress to a timer.
    func report(to timer: TransferTimer) {
        state.withLock { $0.timer = timer }
    }

    /// The error from reading the body, if that made the exchange fail.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Ends the upload: cancels a pending read, and prevents further ones.
    func cancel() {
        let reading = state.withLock { state in
            state.isCancelled = true
            return state.reading
        }
        reading?.cancel()
        flow.update { $0.isCancelled = true }
    }

    /// Called before the head is sent, if ``wrote(_:)`` will be called for each write.
    func isReported() {
        flow.update { $0.isReported = true }
    }

    /// Called when the connection has written a number of bytes, or has failed to.
    func wrote(_ count: Int) {
        flow.update { $0.unwritten -= count }
    }

    /// Waits until the connection has written most of the previous parts, then counts the next part.
    private func waitForConnection(with count: Int) async throws {
        let pass: @Sendable (inout Flow) -> Bool? = { flow in
            if flow.isCancelled { return false }
            guard flow.unwritten < Self.window else { return nil }
            if flow.isReported { flow.unwritten += count }
            return true
        }
        var mayPass = flow.update(pass)
        if mayPass == nil { mayPass = await flow.waitUninterrupted(for: pass) }
        if mayPass == false { throw CancellationError() }
    }

    /// Returns the next bytes, or `nil` at the end.
    ///
    /// If this is called again, the connection has accepted the previous bytes.
    func next() async throws -> Data? {
        reportProgress()
        let chunk = try await read()
        if let chunk { try await waitForConnection(with: chunk.count) }
        let timer = state.withLock { state in
            state.pending = Int64(chunk?.count ?? 0)
            return state.timer
        }
        if chunk == nil { timer?.uploadEnded() }
        return chunk
    }

    /// Reads a stream whose declared length is 0, because the client doesn't read it; does nothing for other bodies.
    ///
    /// - Throws: ``BodyError`` if it has bytes; any error from reading.
    func requireEmptyIfDeclared() async throws {
        if length == 0 { _ = try await read() }
    }

    /// Called when the server has responded.
    ///
    /// By then, the last bytes of a body with a known length have been accepted, and the client may not read again.
    func isAnswered() {
        guard let length else { return }
        reportProgress { $0.sent + $0.pending == length }
    }

    private func reportProgress(if isTaken: (State) -> Bool = { _ in true }) {
        let report: (sent: Int64, timer: TransferTimer?)? = state.withLock { state in
            guard state.pending > 0, isTaken(state) else { return nil }
            state.sent += state.pending
            state.pending = 0
            return (state.sent, state.timer)
        }
        guard let report else { return }
        report.timer?.sent(report.sent, of: length)
        progress?(report.sent, length)
    }

    private func read() async throws -> Data? {
        let task: Task<Data?, any Error>? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            let task = Task { [reader] in try await reader.read() }
            state.reading = task
            return task
        }
        guard let task else { throw CancellationError() }
        defer { state.withLock { $0.reading = nil } }
        do {
            return try await task.value
        } catch {
            state.withLock { state in
                if !state.isCancelled, state.failure == nil { state.failure = error }
            }
            throw error
        }
    }
}

extension HTTPBody {
    /// The whole body, if it is in memory and small enough for one piece.
    var singlePiece: Data? {
        guard let bytes, bytes.count <= HTTPBody.chunkSize else { return nil }
        return bytes
    }
}

/// Keeps the reader between reads, which are made by different tasks.
private actor UploadReader {
    private let body: HTTPBody
    private let length: Int64?
    private var reader: (any BodyReader)?
    private var count: Int64 = 0
    private var hasEnded = false

    init(_ body: HTTPBody, length: Int64?) {
        self.body = body
        self.length = length
    }

    /// Returns the next bytes, or `nil` at the end.
    ///
    /// If the length is declared, the chunk that completes it is returned only when the body has ended. If the body
    /// turns out to be longer, the server therefore never treats it as complete.
    func read() async throws -> Data? {
        if hasEnded { return nil }
        let begun = reader
        reader = nil
        var current: any BodyReader
        if let begun { current = begun } else { current = try await body.makeReader() }
        guard let chunk = try await current.read() else {
            hasEnded = true
            return nil
        }
        count += Int64(chunk.count)
        guard let length, count >= length else {
            reader = current
            return chunk
        }
        hasEnded = true
        guard count == length, try await current.read() == nil else {
            throw BodyError(.longerThanDeclared(declared: length))
        }
        return chunk
    }
}

/// The upload in the form that the client requires.
struct UploadChunks: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let upload: Upload

    struct AsyncIterator: AsyncIteratorProtocol {
        let upload: Upload
        /// The buffer; it is reused, unless the connection hasn't written the last part yet.
        fileprivate var buffer = ByteBuffer()

        mutating func next() async throws -> ByteBuffer? {
            guard let chunk = try await upload.next() else { return nil }
            buffer.clear(minimumCapacity: chunk.count)
            buffer.writeBytes(chunk)
            return buffer
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(upload: upload)
    }
}
#endif
