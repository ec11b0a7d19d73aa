public import HTTPChainCore
import HTTPTypes

/// Turns failures of calls into the errors that the application speaks of, or into answers.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     ErrorHandlerMiddleware(.problemDetails, .decoding(PlantError.self).limited(to: .clientError))
///     StatusValidationMiddleware()
/// }
/// do {
///     _ = try await chain.send(.get("https://api.example.com/plants/7"))
/// } catch let error as ServiceError<ProblemDetails> {
///     print(error.details.title ?? "", error.details.extensions["balance"]?.integer ?? 0)
/// } catch let error as ServiceError<PlantError> {
///     print(error.details.code)
/// }
/// ```
///
/// Handlers are asked in their order; the first that makes something of a failure decides. A handler for a format takes
/// the content types that belong to it, so several stand side by side. What none of them takes goes on as it came.
/// An error that is made has the one that came as its cause, and so the request, the response and the transport's error.
///
/// The stage looks at errors, not at responses: a `StatusValidationMiddleware` inside it makes an error of a status, with
/// the response in it. Content is read up to a limit and can be read again from the error. Cancellation is never
/// handled.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/failure``: it sees the failure of every other stage.
///
/// **Options.** ``CallErrorHandlers`` (in short ``HTTPChainCore/Request/handlingErrors(_:)`` and
/// ``HTTPChainCore/Request/handlingErrorsOnly(_:)``) adds handlers for one call, or replaces them.
///
/// **Errors.** ``ServiceError``; what ``ErrorHandler/throwing(_:)`` gives; what the stages inside throw.
public struct ErrorHandlerMiddleware: ChainAwareMiddleware {
    private let handlers: [ErrorHandler]
    private let contentLimit: ByteCount

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - handlers: What to make of failures, asked in this order.
    ///   - contentLimit: How much of a response's content is read at most, 256 KiB by default; larger content is not
    ///     given to handlers.
    public init(
        _ handlers: ErrorHandler...,
        contentLimit: ByteCount = .kibibytes(256)
    ) {
        self.handlers = handlers
        self.contentLimit = contentLimit
    }

    /// Outermost.
    public var phase: Phase { .failure }

    /// The handlers in their order.
    public var summary: StageSummary {
        StageSummary(
            "ErrorHandlerMiddleware",
            purpose: "makes errors of the application's",
            settings: [
                "handlers": handlers.isEmpty ? "none" : handlers.map(\.name).joined(separator: ", "),
                "content": "up to \(contentLimit)",
            ]
        )
    }

    /// Handlers of responses need a stage inside that makes errors of statuses.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        guard !handlers.isEmpty, handlers.allSatisfy(\.needsResponse), !place.isOverChain,
            !place.inside.contains(where: { $0.phase == .validate || $0.phase == .anywhere })
        else { return [] }
        return [
            ChainProblem(
                stage: "ErrorHandlerMiddleware",
                problem: "ErrorHandlerMiddleware has nothing to handle: no stage makes errors of statuses",
                fix: "add StatusValidationMiddleware inside it"
            )
        ]
    }

    /// Passes the request on and asks the handlers when that fails.
    ///
    /// - Throws: ``ServiceError``; what the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let rule = request.options.contains(CallErrorHandlers.self) ? request.options[CallErrorHandlers.self] : nil
        let redaction = request.redaction
        do {
            return try await next(request)
        } catch let error as CancellationError {
            throw error
        } catch {
            return try await handle(error, with: handlers(under: rule), redaction)
        }
    }

    private func handlers(under rule: CallErrorHandlers.Rule?) -> [ErrorHandler] {
        switch rule {
        case nil: handlers
        case .adding(let own): own + handlers
        case .replacing(let own): own
        }
    }

    private func handle(
        _ error: any Error,
        with handlers: [ErrorHandler],
        _ redaction: Redaction
    ) async throws -> Response {
        if handlers.isEmpty { throw error }
        let failure = try await failure(of: error)
        for handler in handlers {
            switch try await handler.outcome(failure).kind {
            case .pass: continue
            case .recover(let response): return response
            case .replace(let error): throw error
            case .fail(let make): throw make(failure, redaction)
            }
        }
        throw failure.error
    }

    /// The error with the content of its response read, and the response's body put back whole.
    private func failure(of error: any Error) async throws(CancellationError) -> CallFailure {
        guard var error = error as? any ResponseError else { return CallFailure(error) }
        let seen = try await error.response.body.lookAhead(upTo: contentLimit)
        error.response.body = seen.body
        let isWhole = seen.failure == nil && !seen.preview.isTruncated
        let type = error.response.headers[.contentType]
        return CallFailure(
            error,
            response: error.response,
            content: isWhole ? ErrorContent(seen.preview.bytes, contentType: type) : nil
        )
    }
}
