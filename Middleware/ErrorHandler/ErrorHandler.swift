public import HTTPChainCore
import HTTPTypes

/// A rule that replaces some failures of calls by another error or a response; the stage asks its handlers one after
/// the other.
///
/// There are handlers for the formats that services use (``problemDetails``, ``jsonAPI``, ``oData``), for a type of your
/// own (``decoding(_:contentTypes:decoder:)``), and for closures (``map(_:)``, ``throwing(_:)``, ``recover(_:)``).
public struct ErrorHandler: Sendable {
    /// The answer of a handler to a failure.
    public struct Outcome: Sendable {
        enum Kind: Sendable {
            case pass
            case fail(@Sendable (CallFailure, Redaction) -> any Error)
            case recover(Response)
            case replace(any Error)
        }
        let kind: Kind

        /// Nothing: the next handler is asked, and after the last the error goes on as it came.
        public static let pass = Outcome(kind: .pass)

        /// The call fails with a ``ServiceError`` that has these details; the error as it came is its cause.
        public static func fail<Details: Sendable>(_ details: Details) -> Outcome {
            Outcome(kind: .fail { ServiceError(details, of: $0, redaction: $1) })
        }

        /// The call fails with this error, and nothing around it: `catch` finds it by its type.
        ///
        /// The error as it came is lost, unless this one holds it.
        public static func `throw`(_ error: any Error) -> Outcome {
            Outcome(kind: .replace(error))
        }

        /// The call does not fail: it is answered with this response.
        public static func recover(_ response: Response) -> Outcome {
            Outcome(kind: .recover(response))
        }
    }

    /// The handler's name, for ``/HTTPChainCore/Chain/explain()``.
    public let name: String
    /// Whether the handler can do something only where a response is the error.
    let needsResponse: Bool
    let outcome: @Sendable (CallFailure) async throws(CancellationError) -> Outcome

    /// Makes a handler of a closure.
    ///
    /// - Parameters:
    ///   - name: The handler's name, for ``/HTTPChainCore/Chain/explain()``.
    ///   - outcome: What to make of a failure.
    public init(
        _ name: String,
        outcome: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Outcome
    ) {
        self.init(name, needsResponse: false, outcome: outcome)
    }

    private init(
        _ name: String,
        needsResponse: Bool,
        outcome: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Outcome
    ) {
        self.name = name
        self.needsResponse = needsResponse
        self.outcome = outcome
    }

    /// A handler that takes details out of the content of a response; content that does not make sense is left to the
    /// next handler.
    ///
    /// - Parameters:
    ///   - name: The handler's name, for ``/HTTPChainCore/Chain/explain()``.
    ///   - contentTypes: The media types it reads, such as `application/json` or `application/*+json`.
    ///   - details: Reads the content; `nil` or an error where it is something else.
    public static func content<Details: Sendable>(
        _ name: String,
        contentTypes: [String],
        details: @escaping @Sendable (ErrorContent) throws -> Details?
    ) -> ErrorHandler {
        ErrorHandler(name, needsResponse: true) { failure in
            guard let content = failure.content, content.isOfType(contentTypes),
                let details = try? details(content)
            else { return .pass }
            return .fail(details)
        }
    }

    /// A handler that makes an error of your own, for failures with a response and without.
    ///
    /// ```swift
    /// let handler = ErrorHandler.map { failure in failure.status?.code == 402 ? Unpaid() : nil }
    /// ```
    ///
    /// The call fails with a ``ServiceError`` that has it as its details, so that the error as it came is not lost.
    ///
    /// - Parameter details: The error; `nil` to leave the failure to the next handler.
    public static func map<Details: Error>(
        _ details: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Details?
    ) -> ErrorHandler {
        ErrorHandler("map") { failure throws(CancellationError) in
            try await details(failure).map { .fail($0) } ?? .pass
        }
    }

    /// A handler that throws an error of your own, for failures with a response and without.
    ///
    /// ```swift
    /// let handler = ErrorHandler.throwing { failure in failure.status == .unauthorized ? ShopError.signInNeeded : nil }
    /// …
    /// do { … } catch ShopError.signInNeeded { … }
    /// ```
    ///
    /// The error is thrown as it is, so that `catch` finds it by its type; what it is to keep of the failure it holds
    /// itself. ``map(_:)`` wraps it together with the error as it came.
    ///
    /// - Parameter error: The error; `nil` to leave the failure to the next handler.
    public static func throwing<Failure: Error>(
        _ error: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Failure?
    ) -> ErrorHandler {
        ErrorHandler("throwing \(Failure.self)") { failure throws(CancellationError) in
            try await error(failure).map { .throw($0) } ?? .pass
        }
    }

    /// A handler that answers the call in spite of the failure.
    ///
    /// ```swift
    /// let handler = ErrorHandler.recover { failure in
    ///     failure.error is TransportError ? Response(.ok, body: "[]") : nil
    /// }
    /// ```
    ///
    /// - Parameter fallback: The response; `nil` to leave the failure to the next handler.
    public static func recover(
        _ fallback: @escaping @Sendable (CallFailure) async throws(CancellationError) -> Response?
    ) -> ErrorHandler {
        ErrorHandler("recover") { failure throws(CancellationError) in
            try await fallback(failure).map { .recover($0) } ?? .pass
        }
    }

    /// A handler that answers the call with a value, for callers who ask for a value of its type.
    ///
    /// ```swift
    /// let handler = ErrorHandler.fallback([Plant](), for: [404])   // chain.send(request, as: [Plant].self) gives an empty list
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value; the response around it has the status 200 and no content.
    ///   - statuses: The statuses of responses it takes the place of.
    public static func fallback<Value: Sendable>(_ value: Value, for statuses: StatusSet) -> ErrorHandler {
        ErrorHandler("fallback", needsResponse: true) { _ in
            var response = Response(.ok)
            response.options[DecodedValue.self] = value
            return .recover(response)
        }.limited(to: statuses)
    }

    /// The handler, asked only about responses with some statuses.
    public func limited(to statuses: StatusSet) -> ErrorHandler {
        ErrorHandler("\(name) for \(statuses)", needsResponse: true) { [outcome] failure throws(CancellationError) in
            guard let status = failure.status, statuses.contains(status) else { return .pass }
            return try await outcome(failure)
        }
    }
}
