public import Foundation
public import HTTPChainCore
import HTTPTypes

/// A rule that replaces certain failures of calls with another error or a response.
///
/// There are handlers for standard formats (``problemDetails``, ``jsonAPI``, ``oData``), for a custom type
/// (``decoding(_:contentTypes:decoder:)``), and for closures (``map(_:)``, ``throwing(_:)``, ``recover(_:)``).
public struct ErrorHandler: Sendable {
    /// The result of a handler for a failure.
    package enum Outcome: Sendable {
        /// Passes the failure to the next handler; after the last one, the original error is rethrown unchanged.
        case pass
        /// Throws the error that the closure makes from the failure.
        case error(@Sendable (CallFailure, Redaction) -> any Error)
        /// Throws this error without wrapping it, so that `catch` finds it by its type.
        ///
        /// The original error is lost, unless this one contains it.
        case `throw`(any Error)
        /// Returns this response instead of failing.
        case recover(Response)

        /// Throws a ``ServiceError`` with these details and the original error as its cause.
        package static func fail<Details: Sendable>(_ details: Details) -> Outcome {
            .error { ServiceError(details, of: $0, redaction: $1) }
        }
    }

    /// The handler's name, for ``/HTTPChainCore/Chain/explain()``.
    package let name: String
    /// Whether the handler applies only to errors with a response.
    let needsResponse: Bool
    let outcome: @Sendable (CallFailure) async throws(CancellationError) -> Outcome
    /// Returns an error for a response that no stage has refused, or `nil` if the response is valid.
    ///
    /// The closure itself is `nil` unless the handler checks every response.
    private(set) var check: Check?

    /// A closure that returns an error for a response, or `nil` if it is valid.
    typealias Check = @Sendable (Response, Data?) async throws(CancellationError) -> (any Error)?

    /// Makes a handler from a closure.
    ///
    /// - Parameters:
    ///   - name: The handler's name, for ``/HTTPChainCore/Chain/explain()``.
    ///   - needsResponse: Whether it applies only to errors with a response; `false` by default.
    ///   - outcome: Returns the result for a failure.
    package init(
        _ name: String,
        needsResponse: Bool = false,
        outcome: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Outcome
    ) {
        self.name = name
        self.needsResponse = needsResponse
        self.outcome = outcome
    }

    /// A handler that reads details from a response's content; invalid content is passed to the next handler.
    ///
    /// - Parameters:
    ///   - name: The handler's name, for ``/HTTPChainCore/Chain/explain()``.
    ///   - contentTypes: The supported media types, such as `application/json` or `application/*+json`.
    ///   - details: Reads the content. Returns `nil` or throws if the content isn't in the expected format.
    public static func content<Details: Sendable>(
        _ name: String,
        contentTypes: [String],
        details: @escaping @Sendable (Data) throws -> Details?
    ) -> ErrorHandler {
        ErrorHandler(name, needsResponse: true) { failure in
            guard let content = failure.content, failure.isOfType(contentTypes),
                let details = try? details(content)
            else { return .pass }
            return .fail(details)
        }
    }

    /// A handler that creates a custom error, for failures with or without a response.
    ///
    /// ```swift
    /// let handler = ErrorHandler.map { failure in failure.status?.code == 402 ? Unpaid() : nil }
    /// ```
    ///
    /// The call throws a ``ServiceError`` that has the custom error as its details and keeps the original error.
    ///
    /// - Parameter details: Returns the error, or `nil` to pass the failure to the next handler.
    public static func map<Details: Error>(
        _ details: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Details?
    ) -> ErrorHandler {
        ErrorHandler("map") { failure throws(CancellationError) in
            try await details(failure).map { .fail($0) } ?? .pass
        }
    }

    /// A handler that throws a custom error, for failures with or without a response.
    ///
    /// ```swift
    /// let handler = ErrorHandler.throwing { failure in failure.status == .unauthorized ? ShopError.signInNeeded : nil }
    /// …
    /// do { … } catch ShopError.signInNeeded { … }
    /// ```
    ///
    /// The error is thrown without wrapping, so that `catch` finds it by its type. It must contain whatever is needed
    /// from the failure. ``map(_:)`` wraps it together with the original error.
    ///
    /// - Parameter error: Returns the error, or `nil` to pass the failure to the next handler.
    public static func throwing<Failure: Error>(
        _ error: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Failure?
    ) -> ErrorHandler {
        ErrorHandler("throwing \(Failure.self)") { failure throws(CancellationError) in
            try await error(failure).map { .throw($0) } ?? .pass
        }
    }

    /// A handler that checks every response and its content, even if no other stage refuses the response.
    ///
    /// ```swift
    /// let handler = ErrorHandler.validating { response, content in
    ///     if response.status != .ok || content?.isEmpty != false { throw ShopError.refused }
    /// }
    /// ```
    ///
    /// The error is thrown without wrapping, like that of ``throwing(_:)``. The stage reads the content up to its limit
    /// even if the response is valid; it can be read again.
    ///
    /// - Parameter check: Throws the call's error if the response is invalid; otherwise the next handler runs. The
    ///   content is `nil` if it exceeds the stage's limit or is incomplete.
    public static func validating(
        _ check: @escaping @Sendable (_ response: Response, _ content: Data?) async throws -> Void
    ) -> ErrorHandler {
        let error: Check = { response, content throws(CancellationError) in
            do {
                try await check(response, content)
                return nil
            } catch let cancellation as CancellationError {
                throw cancellation
            } catch {
                return error
            }
        }
        var handler = ErrorHandler("validating") { failure throws(CancellationError) in
            guard let response = failure.response else { return .pass }
            return try await error(response, failure.content).map { .throw($0) } ?? .pass
        }
        handler.check = error
        return handler
    }

    /// A handler that returns a response instead of failing.
    ///
    /// ```swift
    /// let handler = ErrorHandler.recover { failure in
    ///     failure.error is TransportError ? Response(.ok, body: "[]") : nil
    /// }
    /// ```
    ///
    /// - Parameter fallback: Returns the response, or `nil` to pass the failure to the next handler.
    public static func recover(
        _ fallback: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Response?
    ) -> ErrorHandler {
        ErrorHandler("recover") { failure throws(CancellationError) in
            try await fallback(failure).map { .recover($0) } ?? .pass
        }
    }

    /// A handler that returns a value to callers that expect a value of that type.
    ///
    /// ```swift
    /// let handler = ErrorHandler.fallback([Plant](), for: [404])   // chain.send(request, as: [Plant].self) gives an empty list
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value; its response has the status 200 and no content.
    ///   - statuses: The statuses of responses to replace.
    public static func fallback<Value: Sendable>(_ value: Value, for statuses: StatusSet) -> ErrorHandler {
        ErrorHandler("fallback", needsResponse: true) { _ in
            var response = Response(.ok)
            response.options[DecodedValueFact.self] = value
            return .recover(response)
        }.limited(to: statuses)
    }

    /// Returns the handler, limited to responses with the given statuses.
    public func limited(to statuses: StatusSet) -> ErrorHandler {
        let name = "\(name) for \(statuses)"
        var limited = ErrorHandler(name, needsResponse: check == nil) { [outcome] failure throws(CancellationError) in
            guard let status = failure.status, statuses.contains(status) else { return .pass }
            return try await outcome(failure)
        }
        if let check {
            limited.check = { response, content throws(CancellationError) in
                statuses.contains(response.status) ? try await check(response, content) : nil
            }
        }
        return limited
    }
}
