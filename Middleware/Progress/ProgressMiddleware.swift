public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// Reports the progress of uploads and downloads.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     ProgressMiddleware()                  // the caller's bytes
///     GzipMiddleware()
///     RetryMiddleware()
///     ProgressMiddleware(.wire)             // optional: each attempt, as sent and received
/// }
/// try await Request.get("https://example.com/map.zip").withProgress { @MainActor progress in
///     bar.value = progress.fraction ?? 0
/// } perform: { request in
///     try await chain.send(request).body.save(to: file)
/// }
/// ```
///
/// The progress of an upload in a terminal, regardless of how inner stages change its content:
///
/// ```swift
/// let line = TerminalProgressWriter(label: "photo.jpg", showing: .upload)
/// let upload = Request.post("https://example.com/photos", body: .file(photo)).progress { line.show($0) }
/// ```
///
/// Calls report their progress on request: with ``HTTPChainCore/Request/withProgress(isolation:_:perform:)`` (a closure
/// on any actor), ``HTTPChainCore/Request/observingProgress()`` (an asynchronous sequence),
/// ``HTTPChainCore/Request/progress(_:)`` (a closure that is called immediately) or
/// ``HTTPChainCore/Request/reportingFoundationProgress()``. The stage's own closure receives the progress of all calls
/// of the chain. Calls without observers are passed on unchanged.
///
/// **Reports.** There are reports for an upload, if the request has a body, and then for the download. Each transfer
/// always has a first report with 0 bytes and a last one, even for an empty body, a cached response, an error, or a
/// body dropped before its end. In between, the rate of reports is limited, but a new attempt and the size of a
/// download are reported immediately. Reports arrive in order.
///
/// **Views.** Each report has a view. The consumer's view counts the caller's bytes. For an upload, this is the content
/// before it is compressed, even if a stage made it (a framed multipart form, an encoded value); for a download, the
/// decoded bytes that are read. If the content is compressed, its size isn't known there. A response decoded by a
/// serializer is a download in one step. The wire's view counts the bytes that the transport reports as sent and those
/// that it receives. Each attempt and each redirect is a separate transfer. A transport that decodes content itself
/// delivers it decoded.
///
/// **Sent bytes** are those that the transport reports (``/HTTPChainCore/Request/beginUploadReport()``), so that a
/// progress bar is full when the network, rather than a buffer, has accepted the last byte. A repeated upload starts
/// again as another attempt. An upload is counted as it is read if it is compressed while it is sent, or if the
/// transport doesn't report sent bytes. The consumer's view does this automatically; a wire view must be configured for
/// it. Counting an upload as it is read turns it into a stream. Observed responses are streams in both views.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for the consumer's view and ``/HTTPChainCore/Phase/wire`` for the
/// wire's. A call is over when its outermost progress stage reports so. A wire view alone can't know whether another
/// attempt follows, so it requires a consumer's view outside the stages that retry.
///
/// **Options.** The methods above.
///
/// **Errors.** The stage has no errors of its own kind.
public struct ProgressMiddleware: BuiltInStage {
    private let view: TransferProgress.View
    /// Whether the wire's view counts uploads as they are read, rather than as the transport reports them sent.
    private let countsUploadsAsRead: Bool
    private let reportsPerSecond: Double
    private let observer: (@Sendable (_ progress: TransferProgress, _ request: HTTPRequest) -> Void)?

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - view: The view; the consumer's by default.
    ///   - countsUploadsAsRead: Whether a wire view counts uploads as the transport reads them, possibly long before
    ///     they are sent. By default, it counts them as the transport reports them sent. The consumer's view does so if
    ///     the transport reports sent bytes, and otherwise counts them as they are read.
    ///   - reportsPerSecond: The maximum rate of reports for one transfer, not counting those that are always made; 10
    ///     by default. Unlimited if it isn't a positive number.
    ///   - observer: Receives the progress of every call, like the closure of ``HTTPChainCore/Request/progress(_:)``;
    ///     none by default. The request passed to it has only the method and target seen by this stage.
    public init(
        _ view: TransferProgress.View = .consumer,
        countsUploadsAsRead: Bool = false,
        reportsPerSecond: Double = 10,
        observer: (@Sendable (_ progress: TransferProgress, _ request: HTTPRequest) -> Void)? = nil
    ) {
        self.view = view
        self.countsUploadsAsRead = countsUploadsAsRead
        self.reportsPerSecond = reportsPerSecond
        self.observer = observer
    }

    /// ``/HTTPChainCore/Phase/call`` for the consumer's view, ``/HTTPChainCore/Phase/wire`` for the wire's.
    package var stagePhase: Phase { view == .wire ? .wire : .call }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [ProgressOption.self] }

    /// The stage's view and rate, and whether all calls are observed.
    package var stageSummary: StageSummary {
        StageSummary(
            "ProgressMiddleware",
            purpose: "reports the progress of uploads and downloads",
            settings: [
                "view": "\(view)", "reports": "\(reportsPerSecond) a second",
                "observes": observer == nil ? "calls that ask for it" : "all calls",
            ]
        )
        .adding("uploads", countsUploadsAsRead ? "as they are read" : nil)
    }

    /// Reports a wire view that can't detect the end of a call, or a transport that doesn't report sent bytes.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        guard view == .wire else { return [] }
        var problems: [ChainProblem] = []
        if !countsUploadsAsRead, !place.capabilities.contains(.reportsUploadProgress) {
            problems.append(
                ChainProblem(
                    stage: summary.name,
                    problem: "\(place.transportName) does not tell what it has sent, so uploads have no progress",
                    fix: "count them as they are read: \(summary.name)(.wire, countsUploadsAsRead: true)"
                )
            )
        }
        let resending = place.outside.first { Self.resending.contains($0.phase) }
        let hasConsumer = place.outside.contains { ($0 as? ProgressMiddleware)?.view == .consumer }
        if observer == nil, let resending, !hasConsumer {
            problems.append(
                ChainProblem(
                    stage: summary.name,
                    problem: "\(summary.name)(.wire) cannot know whether \(resending.summary.name) will send again, "
                        + "and so when a call is over",
                    fix: "add ProgressMiddleware() among the outermost stages as well"
                )
            )
        }
        return problems
    }

    /// The phases of stages that may send a request more than once.
    private static let resending: Set<Phase> = [.redirect, .retry, .hedge, .authenticate]

    /// Passes the request on, and reports its progress to the observers.
    ///
    /// - Throws: Errors from the inner stages; `CancellationError` if a `Foundation.Progress` of the call was
    ///   cancelled.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if observer == nil, !request.options.contains(ProgressOption.self) { return try await next(request) }
        return try await observe(request, next)
    }

    /// This is a separate function, so that calls without observers don't pay for its stack frame.
    private func observe(_ request: consuming Request, _ next: Next) async throws -> Response {
        guard let tracker = tracker(for: &request) else { return try await next(request) }
        let asRead = countsAsRead(over: next)
        switch (view, asRead) {
        case (.wire, false): tracker.followSending(of: &request)
        default: tracker.followContent(of: &request, asRead: asRead)
        }
        let method = request.head.method
        do {
            var response = try await Self.send(request, next, until: tracker.signals)
            tracker.endUpload { asRead ? $0.isRead : $0.isProbablySent(response.status) }
            tracker.follow(&response, to: method)
            return response
        } catch {
            tracker.end(with: error)
            throw error
        }
    }

    /// Returns whether an upload is counted as it is read.
    ///
    /// The consumer's view uses the transport's reports if there are any.
    private func countsAsRead(over next: Next) -> Bool {
        guard view == .consumer else { return countsUploadsAsRead }
        return !next.capabilities.contains(.reportsUploadProgress)
    }

    private static func send(
        _ request: consuming Request,
        _ next: Next,
        until signals: [CancellationSignal]
    ) async throws -> Response {
        if signals.isEmpty { return try await next(request) }
        let box = Locked<Request?>(request)
        return try await CancellationSignal.race(signals) {
            guard let request = box.withLock({ $0.take() }) else { throw CancellationError() }
            return try await next(request)
        }
    }

    /// - Returns: `nil` if the call is over.
    private func tracker(for request: inout Request) -> TransferTracker? {
        let asking = request.options[ProgressOption.self].observers
        var observers = asking
        if let observer {
            let head = request.head.withoutFields
            observers.append(ProgressObserver { observer($0, head) })
        }
        let outer = request.options[ProgressCallNote.self]
        // Without an outer stage, the attempts share only the call's observers.
        let isAlone = view == .wire && outer == nil
        let number = isAlone ? asking.first?.call : nil
        let call = outer ?? ProgressCall(number: number ?? CallNumber.next())
        let attempt = view == .wire ? outer?.nextAttempt() ?? asking.first?.nextAttempt() ?? request.attempt : 1
        let tracker = TransferTracker(
            ProgressState(
                call: call.number,
                view: view,
                attempt: attempt,
                throttle: ProgressThrottle(perSecond: reportsPerSecond)
            ),
            observers: observers,
            time: request.environment.time,
            call: view == .wire ? nil : call,
            isOutermost: outer == nil
        )
        if view == .wire { return outer?.register(tracker) ?? true ? tracker : nil }
        request.options[ProgressCallNote.self] = call
        return tracker
    }
}

extension ProgressState {
    /// Whether a body that is counted as it is read has been read completely when the response arrives.
    ///
    /// A reader that knows the length may stop before it has seen the end. A body of unknown length of which nothing
    /// was read was replaced by an inner stage.
    fileprivate var isRead: Bool { expected.map { $0 == completed } ?? (completed == 0) }

    /// Returns whether a body has been sent when the response arrives.
    ///
    /// A successful status means that the server has received the body, regardless of the count.
    fileprivate func isProbablySent(_ status: HTTPResponse.Status) -> Bool {
        expected == completed || status.kind == .successful || (expected == nil && completed > 0)
    }
}
