public import Foundation

/// A stream's length, its opener, and whether it is replayable.
struct StreamBody: Sendable {
    var length: Int64?
    let isReplayable: Bool
    /// The deadline that the stream's creator enforces on reads, or nil if there is none.
    var deadline: Duration?
    /// Whether the stream is a placeholder for content that a stage has yet to make.
    var isPlaceholder = false
    let open: @Sendable () async throws -> sending any BodyReader

    func start() async throws -> sending any BodyReader {
        guard let length else { return try await open() }
        guard length >= 0 else { throw BodyError(.negativeLength(length)) }
        return LengthCheckingReader(try await open(), declared: length)
    }
}

extension HTTPBody {
    /// Makes a replayable stream: each read calls `open` for a new reader.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, if known. A reader that returns fewer or more throws a ``BodyError``.
    ///   - open: A closure that makes a reader positioned at the beginning.
    public static func replayable(
        length: Int64? = nil,
        open: @escaping @Sendable () async throws -> sending any BodyReader
    ) -> HTTPBody {
        HTTPBody(storage: .stream(StreamBody(length: length, isReplayable: true, open: open)))
    }

    /// Makes a replayable stream: each read calls `open` for a new sequence of chunks.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, if known. A sequence that returns fewer or more throws a ``BodyError``.
    ///   - open: A closure that makes a sequence positioned at the beginning.
    public static func replayable<Chunks: AsyncSequence & SendableMetatype>(
        length: Int64? = nil,
        chunks open: @escaping @Sendable () async throws -> sending Chunks
    ) -> HTTPBody where Chunks.Element == Data, Chunks.AsyncIterator: SendableMetatype {
        .replayable(length: length) { SequenceReader(try await open().makeAsyncIterator()) }
    }

    /// Makes a stream that can only be read once; a second read throws ``BodyError/Problem/alreadyRead``.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, if known. A reader that returns fewer or more throws a ``BodyError``.
    ///   - open: A closure that makes the reader, called at most once.
    public static func once(
        length: Int64? = nil,
        open: @escaping @Sendable () async throws -> sending any BodyReader
    ) -> HTTPBody {
        // Emptied by the first read, so that from then on the reader alone keeps the source alive. Dropping the reader
        // then releases the source, and cancels any transfer behind it.
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

    /// Makes a stream that can only be read once, from a sequence of chunks.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, if known. A sequence that returns fewer or more throws a ``BodyError``.
    ///   - chunks: The chunks.
    public static func once<Chunks: AsyncSequence & Sendable>(length: Int64? = nil, chunks: Chunks) -> HTTPBody
    where Chunks.Element == Data, Chunks.AsyncIterator: SendableMetatype {
        .once(length: length) { SequenceReader(chunks.makeAsyncIterator()) }
    }

    /// Returns the body with every chunk passed through a custom reader.
    ///
    /// The result is replayable if this body is. A transform is pulled: it reads from the inner reader only when it is
    /// read itself.
    ///
    /// - Parameters:
    ///   - length: The number of bytes that the transform returns, if known.
    ///   - transform: A closure that wraps the reader of this body.
    public func transformed(
        length: Int64? = nil,
        _ transform: @escaping @Sendable (sending any BodyReader) throws -> sending any BodyReader
    ) -> HTTPBody {
        HTTPBody(
            storage: .stream(
                StreamBody(
                    length: length,
                    isReplayable: isReplayable,
                    deadline: keptDeadline,
                    isPlaceholder: isPlaceholder
                ) {
                    try transform(try await makeReader())
                }
            )
        )
    }

    /// Makes a placeholder for content that a stage has yet to make; reading it throws the error.
    package static func placeholder(isReplayable: Bool, throwing error: any Error) -> HTTPBody {
        HTTPBody(storage: .stream(StreamBody(isReplayable: isReplayable, isPlaceholder: true) { throw error }))
    }

    /// Whether the body is a placeholder for content that a stage has yet to make, even if outer stages observe its
    /// reads.
    package var isPlaceholder: Bool {
        if case .stream(let stream) = storage { stream.isPlaceholder } else { false }
    }

    /// The deadline that the body's creator enforces on reads, or nil if there is none.
    package var keptDeadline: Duration? {
        if case .stream(let stream) = storage { stream.deadline } else { nil }
    }

    /// Returns the same body, marked as enforcing a deadline on each read.
    package func keepingDeadline(_ deadline: Duration?) -> HTTPBody {
        guard case .stream(var stream) = storage else { return self }
        stream.deadline = deadline
        return HTTPBody(storage: .stream(stream))
    }

    /// Returns the same body, which throws if its length differs from the one that its head declares.
    func declaring(length: Int64?) -> HTTPBody {
        guard case .stream(var stream) = storage else { return self }
        stream.length = length
        return HTTPBody(storage: .stream(stream))
    }
}

// Initializers that callers may guess, so that the compiler's error names the methods that say whether the stream can
// be read again.
extension HTTPBody {
    /// Unavailable: use ``once(length:chunks:)`` or ``replayable(length:chunks:)``.
    @available(
        *,
        unavailable,
        message: "use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry"
    )
    public static func stream(_ content: Any, length: Int64? = nil) -> HTTPBody { .empty }

    /// Unavailable: use ``once(length:chunks:)`` or ``replayable(length:chunks:)``.
    @available(
        *,
        unavailable,
        message:
            "use .once(length:chunks:) for a sequence of Data, or .replayable(length:) { … } if it can be made again"
    )
    public static func stream(length: Int64?, _ content: Any) -> HTTPBody { .empty }

    /// Unavailable: use ``once(length:chunks:)`` or ``replayable(length:chunks:)``.
    @available(
        *,
        unavailable,
        message: "use .once(chunks:) for a sequence of Data, or .replayable { … } if it can be made again for a retry"
    )
    public init<Chunks: AsyncSequence>(_ chunks: Chunks, length: Int64? = nil) { self = .empty }

    /// Unavailable: use ``once(length:chunks:)`` or ``replayable(length:chunks:)``.
    @available(
        *,
        unavailable,
        message:
            "use .once(length:chunks:) for a sequence of Data, or .replayable(length:) { … } if it can be made again"
    )
    public init(length: Int64?, _ content: Any) { self = .empty }
}
