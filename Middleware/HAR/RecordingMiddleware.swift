public import HTTPChainCore

/// Records exchanges to an archive (HAR 1.2), for looking at them and for replaying them.
///
/// ```swift
/// let recorder = HARRecorder(file: URL(fileURLWithPath: "session.har"))
/// let chain = try Chain(transport: transport) {
///     RecordingMiddleware(recorder, each: .call)
///     RetryMiddleware()
///     RecordingMiddleware(recorder)
/// }
/// ```
///
/// **What.** Heads, contents, times, the time of each chunk of a response (`_chunks`), and how an exchange failed
/// (`_error`). Content is stored decoded. Text is stored as it is, all else in base64; of long bodies the beginning, as
/// ``HARBodyStorage`` says. A call that was cancelled before it was answered is not recorded.
///
/// **When.** An exchange is recorded when all is over: its body was read to its end, broke, or was dropped.
///
/// **Secrets** are redacted by the redaction of the chain (``/HTTPChainCore/Request/redaction``) before anything is
/// written, in every place; lengths and digests of content that changed are corrected or removed. Content whose coding
/// cannot be undone here (all but gzip and deflate) is not stored, because secrets in it would be. Binary content is
/// stored as it is: where it is secret, record no bodies.
///
/// **Place.** ``Place/wire``, the default, sees what the transport sends, each redirect and retry on its own, which is
/// what ``ReplayTransport`` needs to replay a session through the same chain. ``Place/call`` sees a call as its caller
/// does, ``Place/attempt`` each attempt before limits and timeouts of its own.
public struct RecordingMiddleware: DeadlineKeepingMiddleware {
    /// The place in a chain where exchanges are recorded.
    public enum Place: String, Sendable, Hashable, CaseIterable {
        /// Once for each call, answers of a cache included.
        case call
        /// Each attempt.
        case attempt
        /// Next to the transport.
        case wire
    }

    private let recorder: HARRecorder
    private let place: Place

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - recorder: Where exchanges go; stages may share one.
    ///   - place: Where in the chain it stands; next to the transport by default.
    public init(_ recorder: HARRecorder, each place: Place = .wire) {
        self.recorder = recorder
        self.place = place
    }

    /// As the place says.
    public var phase: Phase {
        switch place {
        case .call: .call
        case .attempt: .attempt
        case .wire: .wire
        }
    }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary(
            "RecordingMiddleware",
            purpose: "records exchanges as HAR",
            settings: ["each": place.rawValue, "bodies up to": "\(recorder.bodies.limit)"]
        )
    }

    /// Passes the request on, and records how it went.
    ///
    /// - Throws: What the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard request.options[IsRecorded.self] else { return try await next(request) }
        return try await Self.record(request, at: place, to: recorder, next)
    }

    static func record(
        _ request: consuming Request,
        at place: Place,
        to recorder: HARRecorder,
        _ next: Next
    ) async throws -> Response {
        let recording = ExchangeRecording(&request, at: place, to: recorder)
        do {
            var response = try await next(request)
            recording.follow(&response)
            return response
        } catch {
            recording.end(error)
            throw error
        }
    }
}

/// Whether a call is recorded; ``HTTPChainCore/Request/recorded(_:)`` is the short way to it.
public enum IsRecorded: RequestOption {
    /// It is.
    public static var defaultValue: Bool { true }
}

extension Request {
    /// The request, recorded or not by the recording stages that it passes.
    public func recorded(_ isRecorded: Bool) -> Request {
        var request = self
        request.options[IsRecorded.self] = isRecorded
        return request
    }
}
