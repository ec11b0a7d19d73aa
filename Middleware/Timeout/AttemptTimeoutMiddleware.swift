public import HTTPChainCore
import HTTPTypes

/// Ends an attempt in which nothing moves any more, or that takes too long.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     TimeoutMiddleware(.seconds(60))
///     AttemptTimeoutMiddleware(connect: .seconds(10), response: .seconds(20))
/// }
/// ```
///
/// Each step of an attempt has a limit of its own, so that a large body does not fail for its size:
///
/// | limit | default | what it limits |
/// | --- | --- | --- |
/// | connect | 30 s | getting a connection |
/// | write | 60 s | the wait until the network takes the next part of the request's body |
/// | response | 60 s | the wait for the response's head; it begins when all of the request has been sent |
/// | read | 60 s | the wait for the next part of the response's body, while somebody waits for it |
/// | total | none | the attempt from its beginning until the head has arrived, the upload included; `covering: .response` takes the response's body in |
///
/// The defaults suit a slow mobile network: the system buffers some megabytes of an upload, which count as sent long
/// before the server has them. A slow reader is not a silent server: the time in which nobody asks for the next part
/// does not count.
///
/// A stage further out that sends a request again does so after such an error where that is safe: it is a
/// `TimeoutFailure`, and after ``/HTTPChainCore/TimeoutScope/connect`` nothing was sent.
///
/// **What keeps the limits.** The transport, where it has the capability `keepsDeadlines`, as those of this package
/// have: the limits are data on the request, and no task is made for them. Over any other transport the stage cancels
/// and awaits what runs inside, as ``TimeoutMiddleware`` does, and sees what ``/HTTPChainCore/UploadProgress`` tells
/// it; where a transport tells nothing, connect, write and response do not limit a request with a body. A transport
/// that is not told when there is a connection adds the time to connect to that of the first step after it.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/attempt``: inside retry and authentication, so that each attempt has its own
/// limits.
///
/// **Options.** ``AttemptTimeout`` (in short ``HTTPChainCore/Request/attemptTimeout(_:)``) sets another total for one
/// call, ``StepTimeouts`` (in short ``HTTPChainCore/Request/transferLimits(connect:write:response:read:)``) the others.
///
/// **Errors.** `TimeoutError` with the scope of the limit, and how much of the request's body was sent; with
/// ``/HTTPChainCore/TimeoutScope/call`` when the whole call's time is up.
public struct AttemptTimeoutMiddleware: DeadlineKeepingMiddleware {
    /// The part of an attempt that its total limit covers.
    public enum Coverage: String, Sendable, Hashable {
        /// From sending the request until the response's head has arrived.
        case head = "until the head has arrived"
        /// From sending the request until the response's body was read to its end.
        case response = "until the body is read"
    }

    private let limits: TransferLimits

    /// Makes the stage.
    ///
    /// `nil` is no limit; with zero or less every attempt fails at once.
    ///
    /// - Parameters:
    ///   - total: How long an attempt may take in all; no limit by default.
    ///   - coverage: What that covers; by default the body of the response is left out.
    ///   - connect: How long it may take to get a connection; 30 seconds by default.
    ///   - write: How long the network may take nothing of the request's body; 60 seconds by default.
    ///   - response: How long the head may take once the request was sent; 60 seconds by default.
    ///   - read: How long the server may be silent while the body is read; 60 seconds by default.
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
            totalCoversBody: coverage == .response
        )
    }

    /// Once for each attempt.
    public var phase: Phase { .attempt }

    /// The limits.
    public var summary: StageSummary {
        func text(_ limit: Duration?) -> String { limit.map { "\($0)" } ?? "none" }
        let coverage: Coverage = limits.totalCoversBody ? .response : .head
        return StageSummary(
            "AttemptTimeoutMiddleware",
            purpose: "limits the time of each attempt",
            settings: [
                "connect": text(limits.connect), "write": text(limits.write), "response": text(limits.response),
                "read": text(limits.read), "total": limits.total.map { "\($0) \(coverage.rawValue)" } ?? "none",
            ]
        )
    }

    /// Passes the request on with the limits, and keeps them where the transport does not.
    ///
    /// - Throws: ``/HTTPChainCore/TimeoutError``; what the stages inside throw; `CancellationError` when the task is
    ///   cancelled.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let limits = limits(for: request)
        if limits.isEmpty { return try await next(request) }
        request.options[TransferLimitsOption.self] = limits
        if next.transportCapabilities.contains(.keepsDeadlines) { return try await next(request) }
        return try await hold(request, next, limits)
    }

    private func limits(for request: borrowing Request) -> TransferLimits {
        var limits = limits
        limits.total = request.options[AttemptTimeout.self].limit(standard: limits.total)
        if let steps = request.options[StepTimeouts.self] {
            limits.connect = steps.connect.limit(standard: limits.connect)
            limits.write = steps.write.limit(standard: limits.write)
            limits.response = steps.response.limit(standard: limits.response)
            limits.read = steps.read.limit(standard: limits.read)
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
            let listener = request.options[UploadProgress.self]
            request.options[UploadProgress.self] = { [weak timer] sent, expected in
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
