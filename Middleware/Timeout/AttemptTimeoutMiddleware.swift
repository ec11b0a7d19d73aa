public import HTTPChainCore
import HTTPTypes

/// Ends attempts that stall or take too long.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     TimeoutMiddleware(.seconds(60))
///     AttemptTimeoutMiddleware(connect: .seconds(10), response: .seconds(20))
/// }
/// ```
///
/// Each step of an attempt has its own limit, so that a large body doesn't fail because of its size:
///
/// | limit | default | what it limits |
/// | --- | --- | --- |
/// | connect | 30 s | getting a connection |
/// | write | 60 s | the wait until the network accepts the next part of the request's body |
/// | response | 60 s | the wait for the response's head, after the whole request has been sent |
/// | read | 60 s | the wait for the next part of the response's body, while a reader waits for it |
/// | total | none | the attempt from its start until the head has arrived, including the upload; `covering: .response` includes the response's body |
///
/// The defaults suit a slow mobile network. The system buffers some megabytes of an upload, which count as sent long
/// before the server receives them. A slow reader isn't mistaken for a silent server, because only the time spent
/// waiting for a requested part counts.
///
/// An outer retry stage retries after such an error if that is safe: the error is a `TimeoutFailure`, and after
/// ``/HTTPChainCore/TimeoutScope/connect`` nothing was sent.
///
/// **Enforcement.** The limits are data on the request. A transport with the capability `keepsDeadlines`, such as those
/// in this package, enforces them without an additional task. With any other transport, the stage cancels and awaits
/// the inner stages, like ``TimeoutMiddleware``, and relies on the transport's reports of the upload. If the transport
/// doesn't report it, connect, write and response don't limit a request with a body.
///
/// A transport that can't observe its connections doesn't limit connecting separately: the time to connect counts
/// toward the next step, whose limit is increased by `connect`. In this package, these are `URLSessionTransport` and an
/// `AsyncHTTPClientTransport` with a client provided by the caller.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/attempt``: inside retry and authentication, so that each attempt has its own
/// limits.
///
/// **Options.** ``HTTPChainCore/Request/timeout(attempt:)`` sets the total limit of one call, and
/// ``HTTPChainCore/Request/timeout(connect:write:response:read:)`` the others.
///
/// **Errors.** `TimeoutError` with the scope of the limit and the amount of the request's body that was sent. The scope
/// is ``/HTTPChainCore/TimeoutScope/call`` if the call's deadline has passed.
public struct AttemptTimeoutMiddleware: DeadlineKeepingMiddleware, BuiltInStage {
    /// The part of an attempt covered by its total limit.
    public enum Coverage: String, Sendable, Hashable {
        /// From sending the request until the response's head arrives.
        case head = "until the head has arrived"
        /// From sending the request until the response's body has been read completely.
        case response = "until the body is read"
    }

    private let limits: TransferLimits
    /// The limits as an option, created once for all calls.
    private let prepared: PreparedOption

    /// Makes the stage.
    ///
    /// `nil` means no limit. With zero or less, every attempt fails immediately.
    ///
    /// - Parameters:
    ///   - total: The limit on the whole attempt. Defaults to none.
    ///   - coverage: The part covered by `total`. By default, the response's body isn't covered.
    ///   - connect: The limit on getting a connection. Defaults to 30 seconds.
    ///   - write: The limit on waiting for the network to accept more of the request's body. Defaults to 60 seconds.
    ///   - response: The limit on waiting for the head after the request was sent. Defaults to 60 seconds.
    ///   - read: The limit on waiting for more of the response's body while it is read. Defaults to 60 seconds.
    public init(
        _ total: Duration? = nil,
        covering coverage: Coverage = .head,
        connect: Duration? = .seconds(30),
        write: Duration? = .seconds(60),
        response: Duration? = .seconds(60),
        read: Duration? = .seconds(60)
    ) {
        limits = TransferLimits(
            connect: connect,
            write: write,
            response: response,
            read: read,
            total: total,
            totalCoversBody: coverage == .response,
            stage: "AttemptTimeoutMiddleware"
        )
        prepared = PreparedOption(TransferLimitsNote.self, limits)
    }

    /// Inside retries, so that it applies to each attempt.
    package var stagePhase: Phase { .attempt }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] {
        [AttemptTimeoutOption.self, StepTimeoutsOption.self]
    }

    /// The limits.
    package var stageSummary: StageSummary {
        func text(_ limit: Duration?) -> String { limit.map { "\($0)" } ?? "none" }
        let coverage: Coverage = limits.totalCoversBody ? .response : .head
        return StageSummary(
            "\(limits.stage)",
            purpose: "limits the time of each attempt",
            settings: [
                "connect": text(limits.connect), "write": text(limits.write), "response": text(limits.response),
                "read": text(limits.read), "total": limits.total.map { "\($0) \(coverage.rawValue)" } ?? "none",
            ]
        )
    }

    /// Passes the request on with the limits, and enforces them if the transport doesn't.
    ///
    /// - Throws: ``/HTTPChainCore/TimeoutError``; rethrows errors of the inner stages; `CancellationError` if the task
    ///   is cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let isForOneCall =
            request.options.contains(AttemptTimeoutOption.self) || request.options.contains(StepTimeoutsOption.self)
        let limits = isForOneCall ? self.limits(for: request) : limits
        if limits.isEmpty { return try await next(request) }
        if isForOneCall {
            request.options[TransferLimitsNote.self] = limits
        } else {
            request.options.set(prepared)
        }
        if next.transportCapabilities.contains(.keepsDeadlines) { return try await next(request) }
        return try await hold(request, next, limits)
    }

    private func limits(for request: borrowing Request) -> TransferLimits {
        var limits = limits
        limits.total = request.options[AttemptTimeoutOption.self].applied(to: limits.total)
        if request.options.contains(StepTimeoutsOption.self) {
            let steps = request.options[StepTimeoutsOption.self]
            limits.connect = steps.connect.applied(to: limits.connect)
            limits.write = steps.write.applied(to: limits.write)
            limits.response = steps.response.applied(to: limits.response)
            limits.read = steps.read.applied(to: limits.read)
        }
        return limits
    }

    private func hold(
        _ request: consuming Request,
        _ next: Next,
        _ limits: TransferLimits
    ) async throws -> Response {
        guard let timer = TransferTimer(request, upload: upload(of: request, next)) else {
            return try await next(request)
        }
        if upload(of: request, next) == .told {
            let listener = request.options[UploadProgressNote.self]
            request.options[UploadProgressNote.self] = { [weak timer] sent, expected in
                listener?(sent, expected)
                timer?.sent(sent, of: expected)
            }
        }
        let passed = request
        var response = try await timer.run { try await next(passed) }
        timer.answered(response.head)
        if limits.read != nil || (limits.totalCoversBody && limits.total != nil) {
            response.body = timer.keep(response.body)
        }
        return response
    }

    private func upload(of request: borrowing Request, _ next: Next) -> TransferTimer.Upload {
        if request.body.isEmpty { return .atOnce }
        return next.transportCapabilities.contains(.reportsUploadProgress) ? .told : .untold
    }
}
