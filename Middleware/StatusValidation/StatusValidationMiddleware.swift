public import HTTPChainCore
import HTTPTypes

/// Turns a response whose status is not accepted into an error.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     StatusValidationMiddleware(accepting: [.success, 304])
/// }
/// do {
///     let response = try await chain.send(.get("https://api.example.com/plants/7").alsoAccepting([404]))
///     if response.status == .notFound { … }
/// } catch let error as StatusError where error.status == .tooManyRequests {
///     print(error)   // method, URL, status, content type and how the body begins
/// }
/// ```
///
/// An accepted response passes untouched. Of another the first bytes are read for the error's message, and the error
/// carries the response with all of its body, for an error handler further out. Reading stops at the limit, so a body
/// without an end does no harm; a body that breaks before that does not hide the status either.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/validate``: cache, authentication and retry stand further in and have seen
/// the response. The request in the error is the one that the transport sent (`Response.request`), else the one that
/// passed here.
///
/// **Options.** ``AcceptedStatuses`` (in short ``HTTPChainCore/Request/alsoAccepting(_:)`` and
/// ``HTTPChainCore/Request/acceptingOnly(_:)``) adds to the accepted statuses for one call, or replaces them.
///
/// **A 200 that is a failure.** A ``ResponseCheck`` looks at the head and at how the content begins of each response that
/// is accepted, and throws what the call is to fail with; the content stays whole for those outside.
///
/// **Errors.** ``StatusError``; what the check throws.
public struct StatusValidationMiddleware: DeadlineKeepingMiddleware {
    private let accepted: StatusSet
    private let previewLimit: ByteCount
    private let check: ResponseCheck?

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - accepted: The statuses that pass; 200 to 299 by default.
    ///   - previewLimit: How much of a refused response's body the error shows; 4 KiB by default, 0 to leave the body
    ///     alone.
    ///   - check: Looks at accepted responses as well; none by default.
    public init(
        accepting accepted: StatusSet = .success,
        previewLimit: ByteCount = .kibibytes(4),
        check: ResponseCheck? = nil
    ) {
        self.accepted = accepted
        self.previewLimit = previewLimit
        self.check = check
    }

    /// Outside everything that has to see the response as it came, inside the serializer.
    public var phase: Phase { .validate }

    /// The accepted statuses and the limit.
    public var summary: StageSummary {
        StageSummary(
            "StatusValidationMiddleware",
            purpose: "refuses other statuses",
            settings: ["accepts": "\(accepted)", "preview": "\(previewLimit)"]
        )
    }

    /// Passes the request on and looks at the status of the response.
    ///
    /// - Throws: ``StatusError``; what the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let kept = request
        let response = try await next(request)
        // Nearly every call ends here: nothing set for the call, and a status that the stage accepts.
        if !kept.options.contains(AcceptedStatuses.self), accepted.contains(response.status) {
            return check == nil ? response : try await checked(response)
        }
        let accepted = accepted(for: kept.options)
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

    private func accepted(for options: RequestOptions) -> StatusSet {
        switch options[AcceptedStatuses.self] {
        case .adding(let more): accepted.union(more)
        case .replacing(let others): others
        }
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
            exchange: ExchangeSnapshot(
                response.request ?? request.head,
                response: response.head,
                preview: seen?.preview,
                attempts: response.attempts,
                redaction: request.redaction
            ),
            underlyingError: seen?.failure
        )
    }
}
