/// A stage of a chain, which handles each request before it is sent and the response when it comes back.
///
/// ```swift
/// struct UserAgentMiddleware: Middleware {
///     let name: String
///
///     func intercept(_ request: consuming Request, next: Next) async throws -> Response {
///         request.headers[.userAgent] = name
///         return try await next(request)
///     }
/// }
/// ```
///
/// A stage may change the request before it calls `next`, and the response after. It may respond itself without calling
/// `next`, or call `next` more than once if the request is replayable. It must not store the request, must let errors
/// and cancellation through, and must drain or drop the response of an attempt that it discards.
///
/// ## The request is consumed
///
/// `consuming` makes the stage the owner of `request`, so it can change the request in place without copying the header
/// fields. `next(request)` consumes the request, and the compiler rejects any later use of it.
///
/// A stage that calls `next` more than once passes `copy request` in every call but the last. The copy is cheap,
/// because its parts are shared until one of them changes. The body must be replayable:
///
/// ```swift
/// /// Sends a request again, once, if the connection was lost before the answer.
/// struct SecondTryMiddleware: Middleware {
///     var phase: Phase { .retry }
///
///     func intercept(_ request: consuming Request, next: Next) async throws -> Response {
///         guard request.method.isIdempotent, request.body.isReplayable else { return try await next(request) }
///         do {
///             return try await next(copy request)
///         } catch let error as TransportError where error.kind == .connectionLost && error.sent != .answered {
///             return try await next(request)
///         }
///     }
/// }
/// ```
///
/// Save anything you need from the request before calling `next`: `let url = request.url`. A stage that never changes
/// the request may declare a plain parameter, `_ request: Request`, which also satisfies the protocol.
///
/// ## Actors
///
/// A chain calls its stages outside any actor, no matter who sends the request. A stage may itself be an actor, or
/// isolate `intercept` to one such as the main actor; the stages inside it still run outside.
///
/// A stage that checks its neighbors when a chain is built is a ``ChainAwareMiddleware``.
public protocol Middleware: Sendable {
    /// The stage's place in a chain; defaults to ``Phase/anywhere``.
    var phase: Phase { get }

    /// The stage's name and settings, for ``Chain/explain()``; defaults to the name of its type.
    var summary: StageSummary { get }

    /// The options of a request that the stage reads, so that a chain can refuse a request with an option that nothing
    /// reads; defaults to none.
    ///
    /// ```swift
    /// var optionsRead: [any RequestOption.Type] { [Tenant.self] }
    /// ```
    var optionsRead: [any RequestOption.Type] { get }

    /// Handles one call.
    ///
    /// - Parameters:
    ///   - request: The request, which the stage may change. See above for calling `next` more than once.
    ///   - next: The rest of the chain.
    /// - Returns: The response for the outer stages.
    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response
}

extension Middleware {
    /// The default phase, ``Phase/anywhere``.
    public var phase: Phase { .anywhere }

    /// The type's name.
    public var summary: StageSummary { StageSummary(StageSummary.name(of: Self.self)) }

    /// No options.
    public var optionsRead: [any RequestOption.Type] { [] }
}

/// A readable summary of a stage: its name, purpose and settings.
public struct StageSummary: Sendable, Hashable {
    /// One setting of a stage.
    package struct Setting: Sendable, Hashable {
        /// The name of the setting.
        package let name: String
        /// The value of the setting; never a secret.
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The stage's name, by default the name of its type.
    package var name: String
    /// The purpose of the stage, in a few words.
    package var purpose: String
    /// The settings of the stage, with secrets redacted.
    package var settings: [Setting]

    /// Makes a summary.
    ///
    /// - Parameters:
    ///   - name: The stage's name.
    ///   - purpose: The purpose of the stage, in a few words.
    ///   - settings: The settings of the stage; the caller redacts secrets.
    public init(_ name: String, purpose: String = "", settings: KeyValuePairs<String, String> = [:]) {
        self.name = name
        self.purpose = purpose
        self.settings = settings.map { Setting(name: $0.key, value: $0.value) }
    }

    /// Returns the summary with a setting added, or unchanged if the value is `nil`.
    package func adding(_ name: String, _ value: String?) -> StageSummary {
        guard let value else { return self }
        var summary = self
        summary.settings.append(Setting(name: name, value: value))
        return summary
    }

    /// Returns the name of a stage's type, without generic arguments.
    package static func name(of type: Any.Type) -> String {
        String(String(describing: type).unicodeScalars.prefix { $0 != "<" })
    }
}
