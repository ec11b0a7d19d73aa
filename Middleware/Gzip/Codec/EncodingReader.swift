import Foundation
import HTTPChainCore

/// Encodes another reader's content, one chunk of output at a time.
struct EncodingReader: BodyReader {
    /// `nil` after the end or an error.
    ///
    /// Releasing it ends the transfer.
    private var inner: (any BodyReader)?
    private let coding: ContentCoding
    private var encoder: any ContentEncoder
    private let output = OutputBuffer()
    private var input = Data()
    private var isFinished = false
    private var inputCount: Int64 = 0
    private var failure: (any Error)?

    init(_ inner: sending any BodyReader, _ coding: ContentCoding) throws(ContentCodingError) {
        self.inner = inner
        self.coding = coding
        encoder = try coding.encoder()
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        do {
            return try await next()
        } catch {
            failure = error
            inner = nil
            input = Data()
            throw error
        }
    }

    private nonisolated(nonsending) mutating func next() async throws -> Data? {
        try Task.checkCancellation()
        while !isFinished, !output.isFull {
            if input.isEmpty, inner != nil {
                if let chunk = try await inner?.read() { input = chunk } else { inner = nil }
            }
            let isLast = inner == nil
            isFinished = try encoder.step(&input, isLast: isLast, into: output, coding, &inputCount)
        }
        let chunk = output.take()
        return chunk.isEmpty ? nil : chunk
    }
}

extension ContentCoding {
    func encoder() throws(ContentCodingError) -> sending any ContentEncoder {
        guard let makeEncoder else { throw ContentCodingError(.notEncodable, coding: name) }
        return try made(makeEncoder)
    }

    /// Creates a decoder or an encoder.
    func made<Codec>(_ make: () throws -> sending Codec) throws(ContentCodingError) -> sending Codec {
        do {
            return try make()
        } catch {
            throw ContentCodingError(error as? ContentCodingError.Problem ?? .failed("\(error)"), coding: name)
        }
    }

    /// Returns the encoded bytes.
    func encode(_ bytes: Data) throws(ContentCodingError) -> Data {
        var encoder = try encoder()
        let output = OutputBuffer()
        var result = Data()
        var rest = bytes
        var count: Int64 = 0
        var isFinished = false
        while !isFinished {
            isFinished = try encoder.step(&rest, isLast: true, into: output, self, &count)
            result.append(output.take())
        }
        return result
    }
}

extension ContentEncoder {
    /// Performs one step, from input to output.
    ///
    /// - Parameters:
    ///   - inputCount: The number of input bytes consumed so far; updated.
    fileprivate mutating func step(
        _ input: inout Data,
        isLast: Bool,
        into output: OutputBuffer,
        _ coding: ContentCoding,
        _ inputCount: inout Int64
    ) throws(ContentCodingError) -> Bool {
        do throws(ContentCodingError.Problem) {
            var isFinished = false
            let (buffers, problem) = try output.fill(from: input) { (buffers) throws(ContentCodingError.Problem) in
                isFinished = try encode(&buffers, isLast: isLast)
            }
            inputCount += Int64(buffers.consumed)
            if let problem { throw problem }
            // An encoder that makes no progress would be called forever.
            if buffers.areUntouched, !isFinished, isLast || !input.isEmpty {
                throw ContentCodingError.Problem.failed("it neither consumes input nor produces output")
            }
            input = input.dropFirst(buffers.consumed)
            return isFinished
        } catch {
            throw ContentCodingError(error, coding: coding.name, offset: inputCount, isEncoding: true)
        }
    }
}
