import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The values of newline-delimited JSON or a JSON sequence, decoded as they arrive.
///
/// Lines end with LF or CRLF, which is optional for the last line. Blank lines are skipped. A value of a sequence (RFC
/// 7464) begins with a record separator and ends with LF. Only one value and one chunk of the body are in memory.
public struct JSONValues<Value: Decodable>: AsyncSequence {
    let body: HTTPBody
    let framing: JSONFraming
    let serializer: JSONSerializer
    let limit: ByteCount

    /// Starts reading.
    ///
    /// The body is opened when the first value is requested, which may throw.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            chunks: body.makeAsyncIterator(),
            decoder: serializer.makeDecoder(),
            pieces: LineSplitter(
                limit: Int(clamping: limit.bytes),
                separator: framing == .lines ? LineSplitter.lineFeed : LineSplitter.recordSeparator
            ),
            limit: limit
        )
    }

    /// Iterates over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var chunks: HTTPBody.AsyncIterator
        fileprivate let decoder: JSONDecoder
        fileprivate var pieces: LineSplitter
        fileprivate let limit: ByteCount
        fileprivate var isFinished = false

        /// Returns the next value, or `nil` at the end.
        public mutating func next() async throws -> Value? {
            try await next(isolation: nil)
        }

        /// Returns the next value, or `nil` at the end.
        ///
        /// - Throws: ``SerializerError`` with the number of the line or value; errors from the body. After an error,
        ///   there are no more values.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            guard !isFinished else { return nil }
            do {
                while true {
                    while let piece = try nextPiece() {
                        if let value = try value(of: piece) { return value }
                    }
                    // A sequence's value is complete at its line feed; the separator of the next may arrive much later.
                    if let piece = pieces.pendingRecord() {
                        let value = try decoded(piece, number: pieces.number)
                        pieces.dropPending()
                        return value
                    }
                    guard !pieces.isEnded else { break }
                    if let chunk = try await chunks.next(isolation: actor) {
                        pieces.append(chunk)
                    } else {
                        pieces.end()
                    }
                }
            } catch {
                isFinished = true
                throw error
            }
            isFinished = true
            return nil
        }

        private mutating func nextPiece() throws -> Data? {
            do throws(LineSplitter.TooLong) {
                return try pieces.next()
            } catch {
                throw SerializerError(.lineTooLong(error.number, limit: limit))
            }
        }

        /// Returns the value of a line or record, or `nil` for a blank one.
        private func value(of piece: Data) throws -> Value? {
            guard !piece.isBlank else { return nil }
            if pieces.separator == LineSplitter.recordSeparator {
                if pieces.number == 1 {
                    throw invalid("the text does not begin with a record separator (RFC 7464 §2.2)")
                }
                // RFC 7464 §2.4: numbers, true, false and null may be truncated unless whitespace follows them.
                if let first = piece.first(where: { !$0.isJSONSpace }), !"{[\"".utf8.contains(first),
                    piece.last?.isJSONSpace != true
                {
                    throw invalid("the value may be cut off: no white space ends it (RFC 7464 §2.4)")
                }
            }
            return try decoded(piece, number: number)
        }

        private func decoded(_ piece: Data, number: Int) throws -> Value {
            do {
                return try decoder.decode(Value.self, received: piece)
            } catch {
                let failure = DecodingFailure(Value.self, from: piece, head: .init(status: .ok), cause: error)
                throw SerializerError(
                    .invalidLine(
                        number,
                        type: failure.expectedType,
                        codingPath: failure.codingPath,
                        detail: "\(failure.detail); it begins: \(failure.preview)"
                    ),
                    underlyingError: error
                )
            }
        }

        private func invalid(_ detail: String) -> SerializerError {
            SerializerError(.invalidLine(number, type: "\(Value.self)", codingPath: "", detail: detail))
        }

        /// The bytes before the first separator aren't a value.
        private var number: Int {
            pieces.separator == LineSplitter.recordSeparator ? Swift.max(1, pieces.number - 1) : pieces.number
        }
    }
}

extension JSONValues: Sendable {}

extension HTTPBody {
    package func jsonLines<Value: Decodable>(
        of type: Value.Type,
        serializer: JSONSerializer = .json,
        lineLimit: ByteCount = .mebibytes(1)
    ) -> JSONValues<Value> {
        JSONValues(body: self, framing: .lines, serializer: serializer, limit: lineLimit)
    }

    package func jsonSequence<Value: Decodable>(
        of type: Value.Type,
        serializer: JSONSerializer = .json,
        limit: ByteCount = .mebibytes(1)
    ) -> JSONValues<Value> {
        JSONValues(body: self, framing: .sequence, serializer: serializer, limit: limit)
    }
}

extension Response {
    /// Returns the values of newline-delimited JSON (`application/x-ndjson`, JSON Lines), decoded as they arrive.
    ///
    /// ```swift
    /// for try await event in response.jsonLines(of: Event.self) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of each value.
    ///   - serializer: The serializer that decodes the values.
    ///   - lineLimit: The maximum length of a line; 1 MiB by default.
    public func jsonLines<Value: Decodable>(
        of type: Value.Type,
        serializer: JSONSerializer = .json,
        lineLimit: ByteCount = .mebibytes(1)
    ) -> JSONValues<Value> {
        body.jsonLines(of: type, serializer: serializer, lineLimit: lineLimit)
    }

    /// Returns the values of a JSON sequence (`application/json-seq`, RFC 7464), decoded as they arrive.
    ///
    /// ```swift
    /// for try await event in response.jsonSequence(of: Event.self) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of each value.
    ///   - serializer: The serializer that decodes the values.
    ///   - limit: The maximum length of a value's text; 1 MiB by default.
    public func jsonSequence<Value: Decodable>(
        of type: Value.Type,
        serializer: JSONSerializer = .json,
        limit: ByteCount = .mebibytes(1)
    ) -> JSONValues<Value> {
        body.jsonSequence(of: type, serializer: serializer, limit: limit)
    }
}
