public import Foundation

/// Reads a body from its beginning to its end, once.
///
/// A transform wraps a reader: its ``read()`` asks the inner one and changes what comes. There is no task and no
/// queue between them, so nothing is read before somebody wants it. A reader is used by one task at a time; dropping
/// it discards the rest of the body, and a transfer behind it is cancelled.
public protocol BodyReader {
    /// The next bytes, never empty; `nil` at the end and ever after.
    ///
    /// A chunk may be a slice, whose indices do not begin at 0.
    ///
    /// - Throws: What the source throws, and `CancellationError` when the task is cancelled.
    nonisolated(nonsending) mutating func read() async throws -> Data?
}

/// Reads bytes that are already there, in slices that share their storage.
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

/// Reads an asynchronous sequence of chunks; empty chunks are passed over.
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
        // One task at a time uses a reader, so that nobody else reaches the iterator while it runs elsewhere.
        nonisolated(unsafe) var iterator = iterator
        defer { self.iterator = iterator }
        return try await iterator.next()
    }
}

/// Holds a reader to the length that its body declares.
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
