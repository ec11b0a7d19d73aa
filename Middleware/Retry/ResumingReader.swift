import Foundation
import HTTPChainCore
import HTTPTypes

/// Reads a download, and requests the rest if it breaks.
struct ResumingReader: BodyReader {
    /// The bytes that count as progress; otherwise a server could keep a call busy with one byte per attempt.
    private static let progress: Int64 = 65_536

    private var inner: (any BodyReader)?
    /// Released when the download ends, so that the request isn't kept longer.
    private var run: RetryRun?
    private var position: DownloadPosition
    private var resumedAt: Int64
    /// The response whose body is read, if it isn't the first.
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
            do {
                if let chunk = try await inner?.read() {
                    guard position.missing ?? .max >= Int64(chunk.count) else { throw TransportError.tooMuch }
                    position.advance(by: chunk.count)
                    return chunk
                }
                guard let missing = position.missing, missing > 0 else { return end() }
                broken = TransportError.tooLittle(missing)
            } catch {
                broken = error
            }
            // Released before the wait, because it has no more data.
            inner = nil
            resumed = nil
            try await resume(after: broken)
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

    /// Sets ``inner`` to a reader of the rest.
    ///
    /// - Throws: The error after which the download can't be resumed.
    private nonisolated(nonsending) mutating func resume(after error: any Error) async throws {
        do {
            inner = try await reopen(after: error)
        } catch {
            failure = error
            run = nil
            throw error
        }
    }

    private nonisolated(nonsending) mutating func reopen(after error: any Error) async throws -> any BodyReader {
        guard var run else { throw error }
        if position.offset - resumedAt >= Self.progress { run.noteProgress() }
        var result = Result<Response, any Error>.failure(error)
        while case .retry(let wait) = try run.judge(result) {
            let rest = run.unread(result)
            result = .failure(error)
            try await run.pause(for: wait, draining: rest)
            result = await run.send(from: position)
            guard case .success(let response) = result, response.status.kind == .successful else { continue }
            do {
                try position.resume(with: response)
            } catch {
                run.settle(response, .cannotResume(error.reason))
                break
            }
            resumedAt = position.offset
            self.run = run
            resumed = Response(head: response.head, options: response.options)
            return try await response.body.makeReader()
        }
        throw run.annotated(error)
    }
}

extension TransportError {
    fileprivate static func tooLittle(_ missing: Int64) -> TransportError {
        TransportError(
            .truncatedBody,
            sent: .answered,
            stage: "RetryMiddleware",
            detail: "\(missing) bytes of the range are missing"
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
