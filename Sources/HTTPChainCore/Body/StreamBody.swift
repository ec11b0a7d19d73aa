public import Foundation

/// A stream's length, whether it can be read again, and how to begin.
struct StreamBody: Sendable {
    var length: Int64?
    let isReplayable: Bool
    /// Up to when reads are held to the deadline of their call by whoever made the stream; nil when nobody does that.
    var deadline: Duration?
    let open: @Sendable () async throws -> sending any BodyReader

    func start() async throws -> sending any BodyReader {
        guard let length else { return try await open() }
        guard length >= 0 else { throw BodyError(.negativeLength(length)) }
        return LengthCheckingReader(try await open(), declared: length)
    }
}

extension HTTPBody {
    /// A stream that can be read again: each read asks `open` for a new reader.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, where known; a reader that gives fewer or more is a ``BodyError``.
    ///   - open: Makes a reader that stands at the beginning.
    public static func replayable(
        length: Int64? = nil,
        open: @escaping @Sendable () async throws -> sending any BodyReader
    ) -> HTTPBody {
        HTTPBody(storage: .stream(StreamBody(length: length, isReplayable: true, open: open)))
    }

    /// A stream that can be read again: each read asks `open` for a new sequence of chunks.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, where known; a sequence that gives fewer or more is a ``BodyError``.
    ///   - open: Makes a sequence that stands at the beginning.
    public static func replayable<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil,
        chunks open: @escaping @Sendable () async throws -> sending Chunks
    ) -> HTTPBody where Chunks.Element == Data, Chunks.AsyncIterator: SendableMetatype {
        .replayable(length: length) { SequenceReader(try await open().makeAsyncIterator()) }
    }

    /// A stream that can be read once; a second read is ``BodyError/Problem/alreadyRead``.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, where known; a reader that gives fewer or more is a ``BodyError``.
    ///   - open: Makes the reader; it is called at most once.
    public static func once(
        length: Int64? = nil,
        open: @escaping @Sendable () async throws -> sending any BodyReader
    ) -> HTTPBody {
        // Emptied by the first read, so that from then on the reader alone keeps the source alive: when it is
        // dropped, the source goes, and with it a transfer that nobody wants any more.
        let source = Locked<(@Sendable () async throws -> sending any BodyReader)?>(open)
        let openOnce: @Sendable () async throws -> sending any BodyReader = {
            let open = source.withLock { source in
                let taken = source
                source = nil
                return taken
            }
            guard let open else { throw BodyError(.alreadyRead) }
            return try await open()
        }
        return HTTPBody(storage: .stream(StreamBody(length: length, isReplayable: false, open: openOnce)))
    }

    /// A stream that can be read once, from a sequence of chunks.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, where known; a sequence that gives fewer or more is a ``BodyError``.
    ///   - chunks: The chunks.
    public static func once<Chunks: AsyncSequence & Sendable>(length: Int64? = nil, chunks: Chunks) -> HTTPBody
    where Chunks.Element == Data, Chunks.AsyncIterator: SendableMetatype {
        .once(length: length) { SequenceReader(chunks.makeAsyncIterator()) }
    }

    /// The body with every chunk passed through a reader of yours.
    ///
    /// The result can be read as often as this body can. A transform pulls: it reads from the inner reader when it is
    /// asked itself.
    ///
    /// - Parameters:
    ///   - length: The number of bytes the transform yields, where known.
    ///   - transform: Wraps the reader of this body.
    public func transformed(
        length: Int64? = nil,
        _ transform: @escaping @Sendable (sending any BodyReader) throws -> sending any BodyReader
    ) -> HTTPBody {
        HTTPBody(
            storage: .stream(
                StreamBody(length: length, isReplayable: isReplayable, deadline: keptDeadline) {
                    try transform(try await makeReader())
                }
            )
        )
    }

    /// The deadline that reading the body is held to by whoever made it; nil when nobody does that.
    package var keptDeadline: Duration? {
        if case .stream(let stream) = storage { stream.deadline } else { nil }
    }

    /// The same body, whose maker ends each read when a deadline has come.
    package func keepingDeadline(_ deadline: Duration?) -> HTTPBody {
        guard case .stream(var stream) = storage else { return self }
        stream.deadline = deadline
        return HTTPBody(storage: .stream(stream))
    }

    /// The same body, held to a length that its head declares.
    func declaring(length: Int64?) -> HTTPBody {
        guard case .stream(var stream) = storage else { return self }
        stream.length = length
        return HTTPBody(storage: .stream(stream))
    }
}
