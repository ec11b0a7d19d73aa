import Foundation
import HTTPChainCore

/// How many bytes arrived for a body, for all the codings on top of each other.
final class ArrivedBytes {
    var count: Int64 = 0
}

/// Undoes one coding of what another reader gives.
///
/// Output is handed on as soon as there is some: events in a compressed stream are not held back.
struct DecodingReader: BodyReader {
    /// How much that follows the end is read, so that a connection can be used again; more is given up.
    private static let toleratedTrailer: Int64 = 65_536

    /// `nil` once it has ended, or something failed: a transfer behind it is over then.
    private var inner: (any BodyReader)?
    private let inflater: Inflater
    private let limits: DecodingLimits
    private let arrived: ArrivedBytes
    /// Whether this is the outermost coding, whose input is what arrived.
    private let countsArrival: Bool
    private let exchange: (@Sendable () -> ExchangeSnapshot)?

    private let output = OutputBuffer()
    private var input = Data()
    private var mayHoldMore = false
    private var produced: Int64 = 0
    private var trailer: Int64 = 0
    private var failure: (any Error)?

    init(
        _ inner: any BodyReader,
        _ coding: ContentCoding,
        limits: DecodingLimits,
        arrived: ArrivedBytes,
        countsArrival: Bool,
        exchange: (@Sendable () -> ExchangeSnapshot)?
    ) {
        self.inner = inner
        inflater = Inflater(coding)
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
        guard let error = error as? GzipError, error.exchange == nil, let exchange else { return error }
        return error.during(exchange())
    }

    private nonisolated(nonsending) mutating func next() async throws -> Data? {
        while true {
            try Task.checkCancellation()
            if mayHoldMore || !input.isEmpty {
                let chunk = try inflate()
                if !chunk.isEmpty { return chunk }
                continue
            }
            guard trailer <= Self.toleratedTrailer, let chunk = try await inner?.read() else {
                inner = nil
                try inflater.finish()
                return nil
            }
            if countsArrival { arrived.count += Int64(chunk.count) }
            if inflater.isAtEnd {
                trailer += Int64(chunk.count)
            } else {
                input = chunk
            }
        }
    }

    private mutating func inflate() throws(GzipError) -> Data {
        let step = try output.fill { (room) throws(GzipError) in
            try input.withBytes { (bytes) throws(GzipError) in try inflater.inflate(bytes, into: room) }
        }
        input = input.dropFirst(step.consumed)
        output.count = step.produced
        mayHoldMore = output.isFull
        produced += Int64(step.produced)
        if let problem = limits.problem(input: arrived.count, output: produced) {
            throw GzipError(problem, coding: inflater.coding, offset: inflater.inputCount)
        }
        return output.take()
    }
}
