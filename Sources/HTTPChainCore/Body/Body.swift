public import Foundation

/// The content of a request or a response: one type for both.
///
/// A body is nothing, bytes, a file, a stream, or a typed value that a serializer has yet to turn into bytes. It is an
/// asynchronous sequence of `Data` chunks, read by pulling:
///
/// ```swift
/// for try await chunk in response.body { … }
/// let bytes = try await response.body.collect(upTo: .mebibytes(4))
/// ```
///
/// Bodies made from bytes, files and factories can be read again and again; a body from the network can be read once,
/// and a second read throws ``BodyError`` instead of looking empty.
public struct HTTPBody: Sendable {
    indirect enum Storage: Sendable {
        case empty
        case bytes(Data)
        case file(FileBody)
        case stream(StreamBody)
        case value(TypedValue)
    }

    /// The number of bytes that a file or a large value hands out at a time: 64 KiB.
    public static let chunkSize = 65_536

    let storage: Storage

    /// No content.
    public static let empty = HTTPBody(storage: .empty)

    init(storage: Storage) {
        self.storage = storage
    }

    /// Content that is in memory.
    ///
    /// A slice is copied: the bytes of a body have indices that begin at 0.
    public init(_ bytes: Data) {
        storage = bytes.isEmpty ? .empty : .bytes(bytes.startIndex == 0 ? bytes : Data(bytes))
    }

    /// Text, as UTF-8.
    public init(_ text: String) {
        self.init(Data(text.utf8))
    }

    /// The number of bytes, or `nil` when only reading will tell.
    ///
    /// A file's length is that of its range, or its size, for which the disk is asked here and now unless a chain or a
    /// transport has done so before; `nil` when the file cannot be reached.
    public var length: Int64? {
        switch storage {
        case .empty: 0
        case .bytes(let data): Int64(data.count)
        case .file(let file): file.length
        case .stream(let stream): stream.length
        case .value: nil
        }
    }

    /// Whether the body can be read more than once, and so sent again by a retry or a redirect.
    public var isReplayable: Bool {
        switch storage {
        case .empty, .bytes, .file, .value: true
        case .stream(let stream): stream.isReplayable
        }
    }

    /// Whether there is certainly nothing to send or read.
    public var isEmpty: Bool {
        length == 0
    }

    /// The bytes, where the body is made of bytes in memory (an empty body has none of them); `nil` otherwise.
    public var bytes: Data? {
        switch storage {
        case .empty: Data()
        case .bytes(let data): data
        case .file, .stream, .value: nil
        }
    }

    /// The file, where the body is a whole file or a range of one; `nil` otherwise.
    public var file: (url: URL, range: Range<Int64>?)? {
        if case .file(let file) = storage { (file.url, file.range) } else { nil }
    }

    /// Begins to read the body from its beginning.
    ///
    /// - Throws: ``BodyError`` when the body can be read once and was read before, when it is a typed value, or when
    ///   its file cannot be opened; what a stream's factory throws.
    public func makeReader() async throws -> sending any BodyReader {
        switch storage {
        case .empty: return DataReader(Data())
        case .bytes(let data): return DataReader(data)
        case .file(let file): return try await file.open()
        case .stream(let stream): return try await stream.start()
        case .value(let value): throw BodyError(.unserialized(type: value.typeName))
        }
    }
}

extension HTTPBody: AsyncSequence {
    /// Reads the chunks of a body.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private enum State {
            case unopened(HTTPBody)
            case reading(any BodyReader)
            case finished
        }
        private var state: State

        fileprivate init(_ body: HTTPBody) {
            state = .unopened(body)
        }

        /// The next chunk, or `nil` at the end.
        public mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }

        /// The next chunk, or `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            switch state {
            case .finished: return nil
            case .unopened(let body):
                state = .finished
                var reader = try await body.makeReader()
                let chunk = try await reader.read()
                if chunk != nil { state = .reading(reader) }
                return chunk
            case .reading(var reader):
                state = .finished
                let chunk = try await reader.read()
                if chunk != nil { state = .reading(reader) }
                return chunk
            }
        }
    }

    /// Begins to read; opening and its errors wait for the first chunk.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension HTTPBody: ExpressibleByStringLiteral {
    /// Text, as UTF-8.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension HTTPBody: CustomStringConvertible {
    /// The kind of the body and its length, never its content: "file of 2 GiB", "one-shot stream of unknown length".
    public var description: String {
        let size = length.map { "\(ByteCount($0))" } ?? "unknown length"
        return switch storage {
        case .empty: "empty"
        case .bytes: size
        case .file: "file of \(size)"
        case .stream(let stream): "\(stream.isReplayable ? "replayable" : "one-shot") stream of \(size)"
        case .value(let value): "value of type \(value.typeName)"
        }
    }
}
