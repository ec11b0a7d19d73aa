public import HTTPChainCore
import HTTPTypes

/// Throws an error if a response's status isn't accepted.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     StatusValidationMiddleware(accepting: [.success, 304])
/// }
/// do {
///     let response = try await chain.send(.get("https://api.example.com/plants/7").statuses(adding: [404]))
///     if response.status == .notFound { … }
/// } catch let error as StatusError where error.status == .tooManyRequests {
///     print(error)   // method, URL, status, content type and the beginning of the body
/// }
/// ```
///
/// Accepted responses are returned unchanged. For other responses, the first bytes are read for the error's message.
/// The error contains the response with its complete body, for an outer error handler. Reading stops at the limit, so
/// an endless body does no harm. A body that breaks before the limit doesn't hide the status.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/validate``: cache, authentication and retry are inside, and so see every
/// response. The error contains the request as sent by the transport (`Response.request`), or otherwise as received by
/// this stage.
///
/// **Options.** ``HTTPChainCore/Request/statuses(adding:)`` and ``HTTPChainCore/Request/statuses(only:)`` extend or
/// replace the accepted statuses for one call.
///
/// **Failures with status 200.** A ``ResponseCheck`` receives the head and the beginning of the content of each
/// accepted response, and throws the call's error. The content remains complete for outer stages.
///
/// **Errors.** ``StatusError``; rethrows errors of the check.
public struct StatusValidationMiddleware: DeadlineKeepingMiddleware, BuiltInStage {
    private let accepted: StatusSet
    private let previewLimit: ByteCount
    private let check: ResponseCheck?

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - accepted: The accepted statuses. Defaults to 200 to 299.
    ///   - previewLimit: The amount of a rejected response's body to include in the error. Defaults to 4 KiB. With 0,
    ///     the body isn't read.
    ///   - check: The check of accepted responses. Defaults to none.
    public init(
        accepting accepted: StatusSet = .success,
        previewLimit: ByteCount = .kibibytes(4),
        check: ResponseCheck? = nil
    ) {
        self.accepted = accepted
        self.previewLimit = previewLimit
        self.check = check
    }

    /// Outside all stages that need the unmodified response, and inside the serializer.
    package var stagePhase: Phase { .validate }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [StatusesOption.self] }

    /// The accepted statuses and the limit.
    package var stageSummary: StageSummary {
        StageSummary(
            "StatusValidationMiddleware",
            purpose: "rejects other statuses",
            settings: ["accepts": "\(accepted)", "preview": "\(previewLimit)"]
        )
        .adding("checks", check == nil ? nil : "content")
    }

    /// Passes the request on and checks the response's status.
    ///
    /// - Throws: ``StatusError``; rethrows errors of the check and of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let kept = request
        let response = try await next(request)
        // This is the common case: the call has no settings, and the stage accepts the status.
        if accepted.contains(response.status), !kept.options.contains(StatusesOption.self) {
            return check == nil ? response : try await checked(response)
        }
        let accepted = (kept.options[StatusesOption.self].applied(to: accepted) ?? .all)
            .union(kept.options[AdditionalStatusesNote.self])
        if accepted.contains(response.status) { return try await checked(response) }
        throw try await refusal(of: response, to: kept, accepted: accepted)
    }

    private func checked(_ response: consuming Response) async throws -> Response {
        guard let check else { return response }
        var response = response
        let seen = try await response.body.lookAhead(upTo: check.limit)
        response.body = seen.body
        try await check.check(response.head, seen.preview)
        return response
    }

    private func refusal(
        of response: Response,
        to request: Request,
        accepted: StatusSet
    ) async throws(CancellationError) -> StatusError {
        var response = response
        var seen: HTTPBody.LookAhead?
        if previewLimit > 0 {
            let looked = try await response.body.lookAhead(upTo: previewLimit)
            response.body = looked.body
            seen = looked
        }
        return StatusError(
            response: response,
            accepted: accepted,
            preview: seen?.preview,
            failedExchange: ExchangeSnapshot(
                response.request ?? request.head,
                response: response.head,
                preview: seen?.preview,
                attempts: response.attempts,
                redaction: request.redaction
            ),
            cause: seen?.failure
        )
    }
}
