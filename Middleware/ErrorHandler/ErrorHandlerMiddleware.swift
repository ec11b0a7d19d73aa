import Foundation
public import HTTPChainCore
import HTTPTypes

/// Converts failures of calls into the application's errors, or into responses.
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
/// Handlers are called in order, and the first one with a result decides. A handler for a format accepts only its own
/// content types, so several can be combined. If no handler has a result, the error is rethrown unchanged. A
/// ``ServiceError`` has the original error as its cause, and with it the request, the response and the transport's
/// error.
///
/// The stage handles errors, not responses, except with ``ErrorHandler/validating(_:)``. An inner
/// `StatusValidationMiddleware` turns a status into an error that contains the response. Content is read up to a limit,
/// and can be read again from the error. Cancellation is never handled.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/failure``: outermost, so that it handles the failures of all other stages.
///
/// **Options.** ``HTTPChainCore/Request/errorHandlers(_:)`` and ``HTTPChainCore/Request/errorHandlers(only:)`` add
/// or replace handlers for one call.
///
/// **Errors.** ``ServiceError``; errors of ``ErrorHandler/throwing(_:)``; rethrows errors of the inner stages.
public struct ErrorHandlerMiddleware: BuiltInStage {
    private let handlers: [ErrorHandler]
    private let contentLimit: ByteCount

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - handlers: The handlers, called in this order.
    ///   - contentLimit: The maximum size of a response's content. Defaults to 256 KiB. Larger content isn't passed to
    ///     handlers.
    public init(
        _ handlers: ErrorHandler...,
        contentLimit: ByteCount = .kibibytes(256)
    ) {
        self.handlers = handlers
        self.contentLimit = contentLimit
    }

    /// Outermost.
    package var stagePhase: Phase { .failure }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] {
        [ErrorHandlersOption.self, AdditionalErrorHandlersOption.self]
    }

    /// `false`: a handler may take any amount of time.
    package var stageKeepsDeadlines: Bool { false }

    /// The handlers in order.
    package var stageSummary: StageSummary {
        StageSummary(
            "ErrorHandlerMiddleware",
            purpose: "makes the application's errors",
            settings: [
                "handlers": handlers.isEmpty ? "none" : handlers.map(\.name).joined(separator: ", "),
                "content": "up to \(contentLimit)",
            ]
        )
    }

    /// Returns a problem if all handlers need a response, but no inner stage turns statuses into errors.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        guard !handlers.isEmpty, handlers.allSatisfy(\.needsResponse), !place.isOverChain,
            !place.inside.contains(where: { $0.phase == .validate || $0.phase == .anywhere })
        else { return [] }
        return [
            ChainProblem(
                stage: "ErrorHandlerMiddleware",
                problem: "ErrorHandlerMiddleware has nothing to handle: no stage turns statuses into errors",
                fix: "add StatusValidationMiddleware inside it"
            )
        ]
    }

    /// Passes the request on and calls the handlers if that fails.
    ///
    /// - Throws: ``ServiceError``; errors thrown by handlers; rethrows errors of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let call = request.options[ErrorHandlersOption.self]
        let additional = request.options[AdditionalErrorHandlersOption.self]
        let redaction = request.redaction
        let response: Response
        do {
            response = try await next(request)
        } catch let error as CancellationError {
            throw error
        } catch {
            return try await handle(error, with: handlers(additional, call), redaction)
        }
        let all = handlers(additional, call)
        return all.contains { $0.check != nil } ? try await checked(response, with: all) : response
    }

    /// Returns the response, unless one of the handlers that see every response returns an error for it.
    private func checked(_ response: consuming Response, with handlers: [ErrorHandler]) async throws -> Response {
        var response = response
        let content = try await content(of: &response)
        for handler in handlers {
            if let error = try await handler.check?(response, content) { throw error }
        }
        return response
    }

    /// Returns the handlers of a call, in the order in which they run.
    private func handlers(_ additional: [ErrorHandler], _ call: CallSetting<[ErrorHandler]>) -> [ErrorHandler] {
        let own = call.applied(to: handlers) ?? []
        return additional.isEmpty ? own : additional + own
    }

    private func handle(
        _ error: any Error,
        with handlers: [ErrorHandler],
        _ redaction: Redaction
    ) async throws -> Response {
        if handlers.isEmpty { throw error }
        let failure = try await failure(of: error)
        for handler in handlers {
            switch try await handler.outcome(failure) {
            case .pass: continue
            case .recover(let response): return response
            case .throw(let error): throw error
            case .error(let make): throw make(failure, redaction)
            }
        }
        throw failure.error
    }

    /// Returns the failure of an error: the content of its response is read, and the response's body restored.
    private func failure(of error: any Error) async throws(CancellationError) -> CallFailure {
        guard var error = error as? any ResponseError else { return CallFailure(error) }
        let content = try await content(of: &error.response)
        return CallFailure(error, response: error.response, content: content)
    }

    /// Returns the complete content of a response up to the limit, and restores the body.
    private func content(of response: inout Response) async throws(CancellationError) -> Data? {
        let seen = try await response.body.lookAhead(upTo: contentLimit)
        response.body = seen.body
        return seen.failure == nil && !seen.preview.isTruncated ? seen.preview.bytes : nil
    }
}
