public import Foundation

/// A reader that reads a body once, from beginning to end.
///
/// A transform wraps a reader: its ``read()`` calls the inner one and transforms the result. There is no task and no
/// queue between them, so nothing is read before it is needed. A reader is used by one task at a time. Dropping it
/// discards the rest of the body and cancels any transfer behind it.
public protocol BodyReader {
    /// Returns the next bytes, never empty; `nil` at the end and from then on.
    ///
    /// A chunk may be a slice, whose indices don't start at 0.
    ///
    /// - Throws: Errors of the source, and `CancellationError` if the task is cancelled.
    nonisolated(nonsending) mutating func read() async throws -> Data?
}

/// Reads bytes in memory, in slices that share their storage.
struct DataReader: BodyReader {
    var rest: Data
    let chunkSize: Int

    init(_ data: Data, chunkSize: Int = HTTPBody.chunkSize) {
        rest = data
        self.chunkSize = chunkSize
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard !rest.isEmpty else { return nil }
        let chunk = rest.prefix(chunkSize)
        rest = rest.dropFirst(chunk.count)
        return chunk
    }
}

/// Reads an asynchronous sequence of chunks, skipping empty ones.
struct SequenceReader<Iterator: AsyncIteratorProtocol>: BodyReader where Iterator.Element == Data {
    var iterator: Iterator
    var isFinished = false

    init(_ iterator: Iterator) {
        self.iterator = iterator
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        while !isFinished {
            guard let chunk = try await next() else {
                isFinished = true
                try Task.checkCancellation()
                return nil
            }
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }

    nonisolated(nonsending) private mutating func next() async throws -> Data? {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            return try await iterator.next(isolation: #isolation)
        }
        // Safe, because a reader is only used by one task at a time.
        nonisolated(unsafe) var iterator = iterator
        defer { self.iterator = iterator }
        return try await iterator.next()
    }
}

/// Checks that a body has its declared length.
struct LengthCheckingReader: BodyReader {
    var inner: any BodyReader
    let declared: Int64
    var count: Int64 = 0

    init(_ inner: any BodyReader, declared: Int64) {
        self.inner = inner
        self.declared = declared
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else {
            guard count == declared else { throw BodyError(.shorterThanDeclared(declared: declared, actual: count)) }
            return nil
        }
        count += Int64(chunk.count)
        guard count <= declared else { throw BodyError(.longerThanDeclared(declared: declared)) }
        return chunk
    }
}
