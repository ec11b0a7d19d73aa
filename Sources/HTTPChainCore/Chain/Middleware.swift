/// One stage of a chain: it sees each request before it is sent, and the response when it comes back.
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
/// A stage may change the request before it calls `next`, and the response after. It may call `next` not at all, and
/// answer itself. It may call `next` more than once, with a request that can be sent again. It does not keep the
/// request, it lets errors and cancellation through, and it drains or drops the response of an attempt that it discards.
///
/// ## The request is consumed
///
/// `consuming` gives the request to the stage: `request` is a variable that it may change in place, without a copy of
/// the header fields. In return `next(request)` gives it away, and the compiler refuses to use `request` after that.
///
/// A stage that calls `next` more than once passes a copy, `copy request`, in every call but the last. The copy is
/// cheap, for its parts are shared until one of them changes. The body must be one that can be read again:
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
/// What a stage needs of the request after the call it takes before: `let url = request.url`. A stage that never needs
/// to change the request may write a plain parameter, `_ request: Request`; it conforms as well.
///
/// A stage that has something to say about its neighbors when a chain is built is a ``ChainAwareMiddleware``.
public protocol Middleware: Sendable {
    /// The place of the stage in a chain; ``Phase/anywhere`` by default.
    var phase: Phase { get }

    /// The name and the settings of the stage, for ``Chain/explain()``; by default its type's name alone.
    var summary: StageSummary { get }

    /// Handles one call.
    ///
    /// - Parameters:
    ///   - request: The request, which is the stage's own to change; see above for a second call of `next`.
    ///   - next: The rest of the chain.
    /// - Returns: The response for the stages outside.
    func intercept(_ request: consuming Request, next: Next) async throws -> Response
}

extension Middleware {
    /// Anywhere.
    public var phase: Phase { .anywhere }

    /// The type's name.
    public var summary: StageSummary { StageSummary(StageSummary.name(of: Self.self)) }
}

/// The name and the settings of a stage, for people to read.
public struct StageSummary: Sendable, Hashable {
    /// One setting of a stage.
    public struct Setting: Sendable, Hashable {
        /// The name of the setting.
        public let name: String
        /// To what; never a secret.
        public let value: String

        /// Makes a setting; the caller redacts secrets.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The stage's name: its type's, unless it has a better one.
    public var name: String
    /// The purpose of the stage, in a few words.
    public var purpose: String
    /// The settings of the stage, secrets redacted.
    public var settings: [Setting]

    /// Makes a summary.
    ///
    /// - Parameters:
    ///   - name: The stage's name.
    ///   - purpose: What it does, in a few words.
    ///   - settings: How it is set; the caller redacts secrets.
    public init(_ name: String, purpose: String = "", settings: KeyValuePairs<String, String> = [:]) {
        self.name = name
        self.purpose = purpose
        self.settings = settings.map { Setting(name: $0.key, value: $0.value) }
    }

    /// A type's name as a stage is called by it, without generic arguments.
    public static func name(of type: Any.Type) -> String {
        String(String(describing: type).unicodeScalars.prefix { $0 != "<" })
    }
}
