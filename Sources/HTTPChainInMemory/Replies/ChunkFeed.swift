public import Foundation
public import HTTPChainCore

/// A response body that a test feeds chunk by chunk while the body is being read.
///
/// ```swift
/// let feed = ChunkFeed()
/// transport.enqueue(ScriptedReply(feed: feed))
/// let response = try await transport.send(.get("https://example.com/events"))
/// feed.send("first")
/// …
/// feed.finish()
/// ```
///
/// ``send(_:)-(Data)`` returns false if the reader has dropped the body. ``body`` can also be used as the body of a
/// request.
public final class ChunkFeed: Sendable {
    private struct State: Sendable {
        var chunks: [Data] = []
        /// The result of the last read, `nil` or an error, once a test has ended the body.
        var end: Result<Data?, any Error>?
        var bytesRead: Int64 = 0
        var isAttached = false
        var isWaiting = false
        var isEndRead = false
        var isDropped = false
    }

    private let length: Int64?
    private let state = Watched(State())

    /// Creates a feed without a reader.
    ///
    /// - Parameter length: The number of bytes that will be fed, which becomes the response's `Content-Length`; `nil`
    ///   if unknown.
    public init(length: Int64? = nil) {
        self.length = length
    }

    /// Feeds the next chunk; the reader receives it on demand.
    ///
    /// Empty chunks are skipped.
    ///
    /// - Returns: Whether the chunk can still be read. `false` after ``finish()`` or ``fail(_:)``, and if the reader
    ///   has dropped the body before its end.
    @discardableResult
    public func send(_ chunk: Data) -> Bool {
        state.update { state in
            guard state.end == nil, !state.isDropped else { return false }
            if !chunk.isEmpty { state.chunks.append(chunk) }
            return true
        }
    }

    /// Feeds the next chunk as UTF-8 text.
    ///
    /// - Returns: The same as ``send(_:)-(Data)``.
    @discardableResult
    public func send(_ text: String) -> Bool {
        send(Data(text.utf8))
    }

    /// Ends the body after the chunks already fed.
    public func finish() {
        end(.success(nil))
    }

    /// Fails the body after the chunks already fed.
    ///
    /// - Parameter error: The error thrown to the reader; real transports throw ``/HTTPChainCore/TransportError``.
    public func fail(_ error: any Error) {
        end(.failure(error))
    }

    private func end(_ end: Result<Data?, any Error>) {
        state.update { state in
            if state.end == nil { state.end = end }
        }
    }

    /// Whether the reader dropped the body before reading its end, which would cancel the transfer of a real transport.
    package var isCancelled: Bool { state.read { $0.isDropped && !$0.isEndRead } }

    /// The number of bytes that the reader has read.
    package var bytesRead: Int64 { state.read(\.bytesRead) }

    /// Waits until the reader has read all chunks and waits for more.
    ///
    /// - Returns: `true` if the reader waits for more; `false` if it has read the end or dropped the body.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    package func waitForDemand() async throws -> Bool {
        try await state.wait { state in
            if state.isEndRead || state.isDropped { return false }
            return state.isWaiting && state.chunks.isEmpty ? true : nil
        }
    }

    /// Waits until the reader has finished with the body.
    ///
    /// - Returns: `true` if the reader read to the end or to the failure; `false` if it dropped the body before that.
    /// - Throws: `CancellationError` if the task is cancelled.
    @discardableResult
    package func waitUntilClosed() async throws -> Bool {
        try await state.wait { state in
            if state.isEndRead { return true }
            return state.isDropped ? false : nil
        }
    }

    /// The body, for a response or a request that you create.
    ///
    /// It can be read once. Reading this property again returns a body that throws
    /// ``/HTTPChainCore/BodyError/Problem/alreadyRead`` when read.
    public var body: HTTPBody {
        let isFirst = state.update { state in
            defer { state.isAttached = true }
            return !state.isAttached
        }
        guard isFirst else { return .once(length: length) { throw BodyError(.alreadyRead) } }
        // Exists as long as the body can still be read.
        let lifeline = Lifeline { [state] in state.update { $0.isDropped = true } }
        return .once(length: length) { FeedReader(feed: self, lifeline: lifeline) }
    }

    fileprivate func next() async throws -> Data? {
        state.update { $0.isWaiting = true }
        defer { state.update { $0.isWaiting = false } }
        return try await state.wait { state -> Result<Data?, any Error>? in
            if !state.chunks.isEmpty {
                let chunk = state.chunks.removeFirst()
                state.bytesRead += Int64(chunk.count)
                state.isWaiting = false
                return .success(chunk)
            }
            state.isEndRead = state.end != nil
            return state.end
        }.get()
    }
}

private struct FeedReader: BodyReader {
    let feed: ChunkFeed
    let lifeline: Lifeline

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        try await feed.next()
    }
}
