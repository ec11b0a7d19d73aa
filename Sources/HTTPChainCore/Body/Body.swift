public import Foundation

/// The content of a request or a response.
///
/// A body is empty, bytes, a file, a stream, or a typed value that a serializer has yet to encode. It is an
/// asynchronous sequence of `Data` chunks, pulled by its reader:
///
/// ```swift
/// for try await chunk in response.body { … }
/// let bytes = try await response.body.collect(upTo: .mebibytes(4))
/// ```
///
/// Bodies made from bytes, files and factories are replayable. A body from the network can only be read once; a second
/// read throws ``BodyError`` instead of returning no content.
public struct HTTPBody: Sendable {
    indirect enum Storage: Sendable {
        case empty
        case bytes(Data)
        case file(FileBody)
        case stream(StreamBody)
        case value(TypedValue)
    }

    /// The size of the chunks in which a file or a large value is read: 64 KiB.
    package static let chunkSize = 65_536

    let storage: Storage

    /// No content.
    public static let empty = HTTPBody(storage: .empty)

    init(storage: Storage) {
        self.storage = storage
    }

    /// Makes a body from content in memory.
    ///
    /// A slice is copied, so that the indices of the bytes start at 0.
    public init(_ bytes: Data) {
        storage = bytes.isEmpty ? .empty : .bytes(bytes.startIndex == 0 ? bytes : Data(bytes))
    }

    /// Makes a body from text, as UTF-8.
    public init(_ text: String) {
        self.init(Data(text.utf8))
    }

    /// The number of bytes, or `nil` if it is only known after reading.
    ///
    /// For a whole file it is `nil` until ``measured()`` has looked up the size. A chain does so before its stages run.
    public var length: Int64? {
        switch storage {
        case .empty: 0
        case .bytes(let data): Int64(data.count)
        case .file(let file): file.length
        case .stream(let stream): stream.length
        case .value: nil
        }
    }

    /// Whether the body can be read more than once, as needed for a retry or a redirect.
    public var isReplayable: Bool {
        switch storage {
        case .empty, .bytes, .file, .value: true
        case .stream(let stream): stream.isReplayable
        }
    }

    /// Whether the body is known to be empty.
    public var isEmpty: Bool {
        length == 0
    }

    /// The bytes of a body in memory, empty for an empty body; `nil` for other bodies.
    public var bytes: Data? {
        switch storage {
        case .empty: Data()
        case .bytes(let data): data
        case .file, .stream, .value: nil
        }
    }

    /// The file, if the body is a whole file or a range of one; `nil` otherwise.
    package var file: (url: URL, range: Range<Int64>?)? {
        if case .file(let file) = storage { (file.url, file.range) } else { nil }
    }

    /// Starts reading the body from its beginning.
    ///
    /// - Throws: ``BodyError`` if the body was already read and isn't replayable, is a typed value, or its file can't
    ///   be opened; errors of a stream's factory.
    package func makeReader() async throws -> sending any BodyReader {
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

        /// Returns the next chunk, or `nil` at the end.
        public mutating func next() async throws -> Data? {
            try await next(isolation: nil)
        }

        /// Returns the next chunk, or `nil` at the end.
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

    /// Makes an iterator.
    ///
    /// The body is opened, and errors are thrown, when the first chunk is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension HTTPBody: ExpressibleByStringInterpolation {
    /// Makes a body from text, as UTF-8: `"name=\(name)"`.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension HTTPBody: CustomStringConvertible {
    /// The kind and length of the body, never its content: "file of 2 GiB", "one-shot stream of unknown length".
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
