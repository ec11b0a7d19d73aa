import Foundation
import HTTPChainCore

/// Compresses what another reader gives, a chunk of output at a time.
struct GzipReader: BodyReader {
    /// `nil` once it has ended, or something failed: a transfer behind it is over then.
    private var inner: (any BodyReader)?
    private let deflater: Deflater
    private let output = OutputBuffer()
    private var input = Data()
    private var isFinished = false
    private var failure: (any Error)?

    init(_ inner: sending any BodyReader, level: CompressionLevel) throws(GzipError) {
        self.inner = inner
        deflater = try Deflater(level: level)
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
            try deflate()
        }
        let chunk = output.take()
        return chunk.isEmpty ? nil : chunk
    }

    private mutating func deflate() throws(GzipError) {
        let isLast = inner == nil
        let step = try output.fill { (room) throws(GzipError) in
            try input.withBytes { (bytes) throws(GzipError) in
                try deflater.deflate(bytes, into: room, isLast: isLast)
            }
        }
        input = input.dropFirst(step.consumed)
        output.count += step.produced
        isFinished = step.isFinished
    }
}
