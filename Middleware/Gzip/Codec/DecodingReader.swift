import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The number of encoded bytes that have arrived for a body, shared by its stacked codings.
final class ArrivedBytes {
    var count: Int64 = 0
}

/// Decodes one coding of the content of another reader.
///
/// Output is returned as soon as there is some, so that events in a compressed stream aren't delayed.
struct DecodingReader: BodyReader {
    /// The maximum number of bytes read after the end, so that the connection can be reused.
    private static let toleratedTrailer: Int64 = 65_536
    /// The maximum number of consecutive input bytes that produce no output.
    ///
    /// Input without output takes time, but never reaches a limit on size or ratio.
    private static let idleLimit: Int64 = 1 << 20

    /// `nil` after the end or an error.
    ///
    /// Releasing it ends the transfer.
    private var inner: (any BodyReader)?
    private let coding: ContentCoding
    private var decoder: any ContentDecoder
    private let limits: DecodingLimits
    private let arrived: ArrivedBytes
    /// Whether this is the outermost coding, whose input is counted as the bytes that arrived.
    private let countsArrival: Bool
    private let exchange: (@Sendable () -> ExchangeSnapshot)?

    private let output = OutputBuffer()
    private var input = Data()
    private var mayHoldMore = false
    private var consumed: Int64 = 0
    private var produced: Int64 = 0
    /// The number of input bytes since the last output.
    private var idle: Int64 = 0
    private var trailer: Int64 = 0
    private var failure: (any Error)?

    init(
        _ inner: any BodyReader,
        _ coding: ContentCoding,
        limits: DecodingLimits,
        arrived: ArrivedBytes,
        countsArrival: Bool,
        exchange: (@Sendable () -> ExchangeSnapshot)?
    ) throws(ContentCodingError) {
        self.inner = inner
        self.coding = coding
        decoder = try coding.made(coding.makeDecoder)
        self.limits = limits
        self.arrived = arrived
        self.countsArrival = countsArrival
        self.exchange = exchange
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        do {
            return try await next()
        } catch {
            inner = nil
            input = Data()
            failure = described(error)
            throw failure ?? error
        }
    }

    private func described(_ error: any Error) -> any Error {
        guard let error = error as? ContentCodingError, error.exchange == nil, let exchange else { return error }
        return error.during(exchange())
    }

    private nonisolated(nonsending) mutating func next() async throws -> Data? {
        while true {
            try Task.checkCancellation()
            if mayHoldMore || !input.isEmpty {
                let chunk = try decode()
                if !chunk.isEmpty { return chunk }
                continue
            }
            guard trailer <= Self.toleratedTrailer, let chunk = try await inner?.read() else {
                inner = nil
                try finish()
                return nil
            }
            if countsArrival { arrived.count += Int64(chunk.count) }
            if decoder.isAtEnd {
                trailer += Int64(chunk.count)
            } else {
                input = chunk
            }
        }
    }

    private mutating func decode() throws(ContentCodingError) -> Data {
        do throws(ContentCodingError.Problem) {
            let (buffers, problem) = try output.fill(from: input) { (buffers) throws(ContentCodingError.Problem) in
                try decoder.decode(&buffers)
            }
            Steps.take(1 + buffers.consumed)
            consumed += Int64(buffers.consumed)
            produced += Int64(buffers.produced)
            if let problem { throw problem }
            idle = buffers.produced > 0 ? 0 : idle + Int64(buffers.consumed)
            guard decoder.isAtEnd || idle <= Self.idleLimit else {
                throw ContentCodingError.Problem.corrupt("more than \(Self.idleLimit >> 20) MiB produce no content")
            }
            // A decoder that makes no progress would be called forever.
            if buffers.areUntouched, !input.isEmpty {
                throw ContentCodingError.Problem.failed("it neither consumes input nor produces output")
            }
            input = input.dropFirst(buffers.consumed)
            mayHoldMore = output.isFull
            if let problem = limits.problem(input: arrived.count, output: produced) { throw problem }
        } catch {
            throw ContentCodingError(error, coding: coding.name, offset: consumed)
        }
        return output.take()
    }

    private mutating func finish() throws(ContentCodingError) {
        do throws(ContentCodingError.Problem) {
            try decoder.finish()
        } catch {
            throw ContentCodingError(error, coding: coding.name, offset: consumed)
        }
    }
}
