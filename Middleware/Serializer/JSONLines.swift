import Foundation
public import HTTPChainCore
import HTTPTypes

/// The values of newline-delimited JSON, one after the other as they arrive.
///
/// Lines end with LF or CRLF, the last one also without; blank lines are passed over. No more than one line and one
/// chunk of the body are in memory.
public struct JSONLines<Value: Decodable>: AsyncSequence {
    private let body: HTTPBody
    private let serializer: JSONSerializer
    private let lineLimit: ByteCount

    init(_ body: HTTPBody, serializer: JSONSerializer, lineLimit: ByteCount) {
        self.body = body
        self.serializer = serializer
        self.lineLimit = lineLimit
    }

    /// Begins to read; opening and its errors wait for the first value.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            chunks: body.makeAsyncIterator(),
            decoder: serializer.makeDecoder(),
            lines: LineSplitter(limit: Int(clamping: lineLimit.bytes)),
            lineLimit: lineLimit
        )
    }

    /// Reads the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var chunks: HTTPBody.AsyncIterator
        private let decoder: JSONDecoder
        private var lines: LineSplitter
        private let lineLimit: ByteCount
        private var isFinished = false

        fileprivate init(
            chunks: HTTPBody.AsyncIterator,
            decoder: JSONDecoder,
            lines: LineSplitter,
            lineLimit: ByteCount
        ) {
            self.chunks = chunks
            self.decoder = decoder
            self.lines = lines
            self.lineLimit = lineLimit
        }

        /// The next value, or `nil` at the end.
        public mutating func next() async throws -> Value? {
            try await next(isolation: nil)
        }

        /// The next value, or `nil` at the end.
        ///
        /// - Throws: ``SerializerError`` that names the line; what reading throws. Nothing comes after an error.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            guard !isFinished else { return nil }
            do {
                while true {
                    while let line = try nextLine() {
                        guard !line.isBlank else { continue }
                        return try decode(line)
                    }
                    guard !lines.isEnded else { break }
                    if let chunk = try await chunks.next(isolation: actor) { lines.append(chunk) } else { lines.end() }
                }
            } catch {
                isFinished = true
                throw error
            }
            isFinished = true
            return nil
        }

        private mutating func nextLine() throws -> Data? {
            do throws(LineSplitter.TooLong) {
                return try lines.next()
            } catch {
                throw SerializerError(.lineTooLong(error.number, limit: lineLimit))
            }
        }

        private func decode(_ line: Data) throws -> Value {
            do {
                return try decoder.decode(Value.self, from: line)
            } catch {
                let failure = DecodingFailure(Value.self, from: line, head: .init(status: .ok), cause: error)
                throw SerializerError(
                    .invalidLine(
                        lines.number,
                        type: failure.expectedType,
                        codingPath: failure.codingPath,
                        detail: "\(failure.detail); it begins: \(failure.preview)"
                    ),
                    underlyingError: error
                )
            }
        }
    }
}

extension JSONLines: Sendable {}

extension HTTPBody {
    /// The values of newline-delimited JSON (`application/x-ndjson`, JSON Lines), decoded as they arrive.
    ///
    /// ```swift
    /// for try await event in response.body.jsonLines(of: Event.self) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of each value.
    ///   - serializer: How keys and dates are written.
    ///   - lineLimit: How long a line may be; 1 MiB by default.
    public func jsonLines<Value: Decodable>(
        of type: Value.Type,
        serializer: JSONSerializer = .json,
        lineLimit: ByteCount = .mebibytes(1)
    ) -> JSONLines<Value> {
        JSONLines(self, serializer: serializer, lineLimit: lineLimit)
    }
}

extension Response {
    /// The values of newline-delimited JSON in the body: see ``HTTPChainCore/HTTPBody/jsonLines(of:serializer:lineLimit:)``.
    public func jsonLines<Value: Decodable>(
        of type: Value.Type,
        serializer: JSONSerializer = .json,
        lineLimit: ByteCount = .mebibytes(1)
    ) -> JSONLines<Value> {
        body.jsonLines(of: type, serializer: serializer, lineLimit: lineLimit)
    }
}

extension Data {
    /// White space of JSON alone, RFC 8259 §2.
    fileprivate var isBlank: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
}
