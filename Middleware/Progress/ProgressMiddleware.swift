public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// Tells how far uploads and downloads are.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     ProgressMiddleware()                  // the caller's bytes
///     GzipMiddleware()
///     RetryMiddleware()
///     ProgressMiddleware(.wire)             // each attempt as it is sent and received, where that is wanted too
/// }
/// try await Request.get("https://example.com/map.zip").withProgress { @MainActor progress in
///     bar.value = progress.fraction ?? 0
/// } perform: { request in
///     try await chain.send(request).body.save(to: file)
/// }
/// ```
///
/// An upload in a terminal, whatever becomes of its content further in:
///
/// ```swift
/// let line = TerminalProgressWriter(TerminalProgressBar(label: "photo.jpg"), showing: .upload)
/// let upload = Request.post("https://example.com/photos", body: .file(photo)).onProgress { line.show($0) }
/// ```
///
/// A call is told of where somebody asks for it: with ``HTTPChainCore/Request/withProgress(isolation:_:perform:)`` (a
/// closure on any actor), ``HTTPChainCore/Request/observingProgress()`` (an asynchronous sequence),
/// ``HTTPChainCore/Request/onProgress(_:)`` (a closure that is called at once) and
/// ``HTTPChainCore/Request/reportingFoundationProgress()``; or for all calls of the chain with the closure that the
/// stage is given. A call that nobody observes passes untouched.
///
/// **What is told.** An upload, if the request has a body, and then the download. Of each there is a first report with
/// 0 bytes and a last one, whatever happens: an empty body, an answer from a cache, an error, a body that is dropped
/// before its end. In between there are so many reports a second and no more; a new attempt and the size of a download
/// are told at once. Reports come in order, and none after the last.
///
/// **Two views**, and each report says which it is of. The consumer's view counts the bytes of the caller: of an upload
/// the content as it is before it is compressed, also where a stage makes it (a multipart form that is framed, a value
/// that is encoded); of a download what is read, decoded. The size of compressed content is not known there. A response
/// that a serializer decoded is a download of one step. The wire's view counts what the transport says it has sent, and
/// what it gives; each attempt and each redirect is a transfer of its own. A transport that decodes content itself gives
/// it decoded.
///
/// **What has been sent** is what the transport says (``/HTTPChainCore/Request/beginUploadReport()``), so that a bar is full
/// when the network has taken the last byte, and not when a buffer has. An upload that is sent again begins again, as
/// another attempt. An upload that is compressed while it is sent, and any upload over a transport that does not say
/// what it sends, is counted as it is read; the consumer's view sees to that by itself, and a wire view has to be told.
/// To count as it is read makes an upload a stream. Observed responses are streams in both views.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for the consumer's view and ``/HTTPChainCore/Phase/wire`` for the
/// wire's. A call is over when its outermost progress stage says so: a wire view alone cannot know of another attempt,
/// so it wants a consumer's view outside of stages that send again.
///
/// **Options.** ``ProgressObservers``; see above for the short ways.
///
/// **Errors.** None of its own.
public struct ProgressMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    /// Is told of every call of a chain.
    ///
    /// The request is method and target alone, as they were when they passed the stage. The closure is called as that
    /// of ``HTTPChainCore/Request/onProgress(_:)`` is.
    public typealias Observer = @Sendable (_ progress: TransferProgress, _ request: HTTPRequest) -> Void

    /// A way in which a wire view counts an upload.
    public enum UploadCounting: Sendable, Hashable {
        /// As the transport says that it is sent (``/HTTPChainCore/UploadProgress``).
        case asSent
        /// As the transport reads it, which may be long before it is sent.
        case asRead
    }

    private let view: TransferProgress.View
    /// How the wire's view counts uploads.
    private let uploads: UploadCounting
    private let reportsPerSecond: Double
    private let observer: Observer?

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - view: Whose bytes are counted; the consumer's by default.
    ///   - uploads: How a wire view counts uploads; as they are sent by default. The consumer's view counts them as
    ///     they are sent where the transport tells, and otherwise as they are read.
    ///   - reportsPerSecond: How many reports of one transfer there are in a second at most, beside those that are
    ///     always given; 10 by default. All of them where it is not a positive number.
    ///   - observer: Is told of every call; nobody by default.
    public init(
        _ view: TransferProgress.View = .consumer,
        uploads: UploadCounting = .asSent,
        reportsPerSecond: Double = 10,
        observer: Observer? = nil
    ) {
        self.view = view
        self.uploads = uploads
        self.reportsPerSecond = reportsPerSecond
        self.observer = observer
    }

    /// Once for each call for the consumer's view; next to the transport for the wire's.
    public var phase: Phase { view == .wire ? .wire : .call }

    /// The view, the rate, and whether all calls are observed.
    public var summary: StageSummary {
        StageSummary(
            "ProgressMiddleware",
            purpose: "tells how far uploads and downloads are",
            settings: [
                "view": "\(view)", "reports": "\(reportsPerSecond) a second",
                "observes": observer == nil ? "calls that ask for it" : "all calls",
            ]
        )
    }

    /// A wire view that cannot see the end of a call, or a transport that does not say what it has sent.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        guard view == .wire else { return [] }
        var problems: [ChainProblem] = []
        if uploads == .asSent, !place.capabilities.contains(.reportsUploadProgress) {
            problems.append(
                ChainProblem(
                    stage: summary.name,
                    problem: "\(place.transportName) does not tell what it has sent, so uploads have no progress",
                    fix: "count them as they are read: \(summary.name)(.wire, uploads: .asRead)"
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

    /// Passes the request on, and tells the observers how far it is.
    ///
    /// - Throws: What the stages inside throw; `CancellationError` when a `Foundation.Progress` of the call was
    ///   cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if observer == nil, !request.options.contains(ProgressObservers.self) { return try await next(request) }
        return try await observe(request, next)
    }

    /// Apart, so that a call that nobody observes does not pay for the room that this takes.
    private func observe(_ request: consuming Request, _ next: Next) async throws -> Response {
        guard let tracker = tracker(for: &request) else { return try await next(request) }
        let uploads = counting(over: next)
        switch (view, uploads) {
        case (.wire, .asSent): tracker.followSending(of: &request)
        default: tracker.followContent(of: &request, asRead: uploads == .asRead)
        }
        let method = request.head.method
        do {
            var response = try await Self.send(request, next, until: tracker.signals)
            tracker.endUpload { uploads == .asSent ? $0.isProbablySent(response.status) : $0.isRead }
            tracker.follow(&response, to: method)
            return response
        } catch {
            tracker.end(with: error)
            throw error
        }
    }

    /// The consumer's view takes the transport's word where it gives it.
    private func counting(over next: Next) -> UploadCounting {
        guard view == .consumer else { return uploads }
        return next.capabilities.contains(.reportsUploadProgress) ? .asSent : .asRead
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

    /// - Returns: `nil` when the call of the request is over.
    private func tracker(for request: inout Request) -> TransferTracker? {
        let asking = request.options[ProgressObservers.self].observers
        var observers = asking
        if let observer {
            let head = request.head.withoutFields
            observers.append(ProgressObserver { observer($0, head) })
        }
        let outer = request.options[ProgressCallOption.self]
        // What is asked for a call is what attempts have in common that no stage further out holds together.
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
        request.options[ProgressCallOption.self] = call
        return tracker
    }
}

extension ProgressState {
    /// Whether a body that is counted as it is read was read, as the answer comes.
    ///
    /// A reader of a known number of bytes need not ask for the end; a body of unknown length that nobody touched was
    /// replaced further in.
    fileprivate var isRead: Bool { expected.map { $0 == completed } ?? (completed == 0) }

    /// Whether a body was sent, as the answer comes: a server that says success has it, whatever was counted so far.
    fileprivate func isProbablySent(_ status: HTTPResponse.Status) -> Bool {
        expected == completed || status.kind == .successful || (expected == nil && completed > 0)
    }
}
