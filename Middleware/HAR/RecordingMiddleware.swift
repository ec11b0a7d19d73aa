public import HTTPChainCore

/// Records exchanges in an archive (HAR 1.2), for inspection and replay.
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
/// **Content.** The archive contains heads, contents, timings, the time of each chunk of a response (`_chunks`), and
/// the failure of an exchange (`_error`). Content is stored decoded: text unchanged, everything else in base64, and
/// long bodies only up to the limit of ``HARBodyStorage``. A call that was cancelled before its response isn't
/// recorded.
///
/// **Time.** An exchange is recorded when it is over: when its body has been read to its end, has broken, or was
/// dropped.
///
/// **Secrets** are redacted everywhere by the chain's redaction (``/HTTPChainCore/Request/redaction``) before anything
/// is written. Lengths and digests of changed content are corrected or removed. Content with an unsupported coding (any
/// except gzip and deflate) isn't stored, because secrets in it couldn't be redacted. Binary content is stored
/// unchanged. If it is secret, don't record bodies.
///
/// **Place.** ``Place/wire``, the default, records the requests that the transport sends, with separate entries for
/// redirects and retries. ``ReplayTransport`` needs these to replay a session through the same chain. ``Place/call``
/// records a call as seen by its caller, and ``Place/attempt`` each attempt outside its limits and timeouts.
public struct RecordingMiddleware: BuiltInStage {
    /// The place in a chain where exchanges are recorded.
    public enum Place: String, Sendable, Hashable, CaseIterable {
        /// Each call, including those with cached responses.
        case call
        /// Each attempt.
        case attempt
        /// Each request that the transport sends.
        case wire
    }

    private let recorder: HARRecorder
    private let place: Place

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - recorder: The recorder, which stages may share.
    ///   - place: The place in the chain; ``Place/wire`` by default.
    public init(_ recorder: HARRecorder, each place: Place = .wire) {
        self.recorder = recorder
        self.place = place
    }

    /// The phase of the place.
    package var stagePhase: Phase {
        switch place {
        case .call: .call
        case .attempt: .attempt
        case .wire: .wire
        }
    }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [RecordingOption.self] }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        StageSummary(
            "RecordingMiddleware",
            purpose: "records exchanges as HAR",
            settings: ["each": place.rawValue, "bodies up to": "\(recorder.bodies.limit)"]
        )
    }

    /// Passes the request on and records the exchange.
    ///
    /// - Throws: Errors from the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard request.options[RecordingOption.self] else { return try await next(request) }
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

/// Whether a call is recorded; see also ``HTTPChainCore/Request/recording(_:)``.
package enum RecordingOption: RequestOption {
    /// `true`: calls are recorded.
    package static var defaultValue: Bool { true }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".recording(_:)", reader: "RecordingMiddleware(…)", phase: .wire)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        !value
    }
    /// Always `false`: the option only affects the archive.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// Returns the request with recording enabled or disabled.
    public func recording(_ isOn: Bool) -> Request {
        var request = self
        request.options[RecordingOption.self] = isOn
        return request
    }
}
