public import Foundation
public import HTTPChainCore

/// A response body that a test hands out by hand, chunk by chunk, while somebody reads it.
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
/// The test sees the other side too: ``waitForDemand()`` returns when the reader waits for more, and ``isCancelled``
/// tells that it dropped the body before the end. ``body`` serves as the body of a request as well.
public final class ChunkFeed: Sendable {
    fileprivate enum End: Sendable {
        case finished
        case failed(any Error)
    }

    private enum Event: Sendable {
        case chunk(Data)
        case end(End)
    }

    private struct State: Sendable {
        var chunks: [Data] = []
        var end: End?
        var bytesRead: Int64 = 0
        var isAttached = false
        var isWaiting = false
        var isEndRead = false
        var isDropped = false
    }

    private let length: Int64?
    private let state = Watched(State())

    /// Makes a feed that nobody reads yet.
    ///
    /// - Parameter length: The number of bytes that will be fed, which becomes the response's `Content-Length`; not
    ///   known by default.
    public init(length: Int64? = nil) {
        self.length = length
    }

    /// Hands in the next chunk; the reader gets it when it asks.
    ///
    /// Empty chunks are passed over.
    ///
    /// - Returns: Whether it can still be read: `false` after ``finish()``, ``fail(_:)`` and ``isCancelled``.
    @discardableResult
    public func send(_ chunk: Data) -> Bool {
        state.update { state in
            guard state.end == nil, !state.isDropped else { return false }
            if !chunk.isEmpty { state.chunks.append(chunk) }
            return true
        }
    }

    /// Hands in the next chunk as UTF-8 text.
    ///
    /// - Returns: As ``send(_:)-(Data)`` does.
    @discardableResult
    public func send(_ text: String) -> Bool {
        send(Data(text.utf8))
    }

    /// Ends the body after the chunks handed in.
    public func finish() {
        end(.finished)
    }

    /// Breaks the body off after the chunks handed in.
    ///
    /// - Parameter error: What the reader gets; a ``/HTTPChainCore/TransportError`` is what a real transport throws.
    public func fail(_ error: any Error) {
        end(.failed(error))
    }

    private func end(_ end: End) {
        state.update { state in
            if state.end == nil { state.end = end }
        }
    }

    /// Whether the reader dropped the body before it had read the end: what cancels the transfer on a real transport.
    public var isCancelled: Bool { state.read { $0.isDropped && !$0.isEndRead } }

    /// The number of bytes that the reader has taken.
    public var bytesRead: Int64 { state.read(\.bytesRead) }

    /// Waits until the reader has taken all chunks and asks for more.
    ///
    /// - Returns: `true` when it asks; `false` when it has the end or dropped the body, and never will.
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitForDemand() async throws -> Bool {
        try await state.wait { state in
            if state.isEndRead || state.isDropped { return false }
            return state.isWaiting && state.chunks.isEmpty ? true : nil
        }
    }

    /// Waits until the reader is done with the body.
    ///
    /// - Returns: `true` when it read to the end or to the failure; `false` when it dropped the body before.
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    public func waitUntilClosed() async throws -> Bool {
        try await state.wait { state in
            if state.isEndRead { return true }
            return state.isDropped ? false : nil
        }
    }

    /// The body, for a response or a request made by hand.
    ///
    /// It can be read once. Asking again gives a body whose reading is
    /// ``/HTTPChainCore/BodyError/Problem/alreadyRead``.
    public var body: HTTPBody {
        let isFirst = state.update { state in
            defer { state.isAttached = true }
            return !state.isAttached
        }
        guard isFirst else { return .once(length: length) { throw BodyError(.alreadyRead) } }
        let consumer = FeedConsumer(feed: self)
        return .once(length: length) { FeedReader(consumer: consumer) }
    }

    fileprivate func drop() {
        state.update { $0.isDropped = true }
    }

    fileprivate func next() async throws -> Data? {
        state.update { $0.isWaiting = true }
        defer { state.update { $0.isWaiting = false } }
        let event = try await state.wait { state -> Event? in
            if !state.chunks.isEmpty {
                let chunk = state.chunks.removeFirst()
                state.bytesRead += Int64(chunk.count)
                state.isWaiting = false
                return .chunk(chunk)
            }
            guard let end = state.end else { return nil }
            state.isEndRead = true
            return .end(end)
        }
        switch event {
        case .chunk(let chunk): return chunk
        case .end(.finished): return nil
        case .end(.failed(let error)): throw error
        }
    }
}

/// Lives as long as somebody can still read the feed's body.
private final class FeedConsumer: Sendable {
    let feed: ChunkFeed

    init(feed: ChunkFeed) {
        self.feed = feed
    }

    deinit {
        feed.drop()
    }
}

private struct FeedReader: BodyReader {
    let consumer: FeedConsumer

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        try await consumer.feed.next()
    }
}
