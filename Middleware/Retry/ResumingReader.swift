import Foundation
import HTTPChainCore
import HTTPTypes

/// Reads a download, and requests the rest if the connection breaks.
struct ResumingReader: BodyReader {
    /// The number of bytes that count as progress.
    ///
    /// With fewer, a server could keep a call busy with one byte per attempt.
    private static let progress: Int64 = 65_536

    private var inner: (any BodyReader)?
    /// `nil` after the download has ended, so that the request isn't retained.
    private var run: RetryRun?
    private var position: DownloadPosition
    private var resumedAt: Int64
    /// The response whose body is being read, if it isn't the first one.
    private var resumed: Response?
    private var failure: (any Error)?

    init(_ inner: sending any BodyReader, run: RetryRun, position: DownloadPosition) {
        self.inner = inner
        self.run = run
        self.position = position
        resumedAt = position.offset
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let failure { throw failure }
        while inner != nil {
            let broken: any Error
            var isBroken = true
            do {
                if !position.isBeyondEnd, let chunk = try await inner?.read() {
                    let fresh = try position.take(chunk.count)
                    if fresh.isEmpty { continue }
                    return fresh.count == chunk.count ? chunk : chunk.dropFirst(fresh.lowerBound).prefix(fresh.count)
                }
                if position.isComplete { return end() }
                isBroken = !position.isPartComplete
                broken = TransportError.tooLittle(position.missing)
            } catch is DownloadPosition.Excess {
                broken = TransportError.tooMuch
            } catch {
                // The connection broke after the last byte.
                if position.missing == 0, run?.isInterruption(error) == true { return end() }
                broken = error
            }
            // The reader is released before the wait, because it has no more data.
            inner = nil
            try await resume(after: broken, isBroken: isBroken)
        }
        return nil
    }

    private mutating func end() -> Data? {
        if let resumed { run?.settle(resumed, .notNeeded) }
        inner = nil
        run = nil
        resumed = nil
        return nil
    }

    /// Sets ``inner`` to a reader of the rest, or to `nil` if there is no rest.
    ///
    /// - Throws: The error after which the download can't be resumed.
    private nonisolated(nonsending) mutating func resume(after error: any Error, isBroken: Bool) async throws {
        do {
            inner = try await reopen(after: error, isBroken: isBroken)
        } catch {
            failure = error
            run = nil
            throw error
        }
    }

    /// - Parameter isBroken: Whether the current response ended too early. Otherwise, the server sent less than was
    ///   requested, and the rest can be requested without a wait.
    private nonisolated(nonsending) mutating func reopen(
        after error: any Error,
        isBroken: Bool
    ) async throws -> (any BodyReader)? {
        guard var run else { throw error }
        var result = Result<Response, any Error>.failure(error)
        let last = resumed
        resumed = nil
        if position.offset - resumedAt >= Self.progress {
            run.noteProgress()
            if !isBroken, let last {
                run.settle(last, .notNeeded)
                result = await run.send(from: position)
            }
        }
        while true {
            if case .success(let response) = result {
                let received = run.date
                if position.isComplete(by: response, receivedAt: received) {
                    run.settle(response, .notNeeded)
                    self.run = nil
                    return nil
                }
                if response.status.kind == .successful {
                    do {
                        try position.resume(with: response, receivedAt: received)
                    } catch {
                        run.settle(response, .cannotResume(error.reason))
                        break
                    }
                    resumedAt = position.offset
                    self.run = run
                    resumed = Response(head: response.head, options: response.options)
                    return try await response.body.makeReader()
                }
            }
            guard case .retry(let wait) = try run.judge(result), position.missing != 0 else { break }
            let rest = run.unread(result)
            result = .failure(error)
            try await run.pause(for: wait, draining: rest)
            result = await run.send(from: position)
        }
        throw run.annotated(error)
    }
}

extension TransportError {
    fileprivate static func tooLittle(_ missing: Int64?) -> TransportError {
        TransportError(
            .truncatedBody,
            sent: .answered,
            stage: "RetryMiddleware",
            detail: "\(missing.map { "\($0)" } ?? "some") bytes of the range are missing"
        )
    }

    fileprivate static var tooMuch: TransportError {
        TransportError(
            .malformedResponse,
            sent: .answered,
            stage: "RetryMiddleware",
            detail: "more bytes than the range has"
        )
    }
}
