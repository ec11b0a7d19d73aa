public import HTTPChainCore
public import Logging

/// Logs each call, or each attempt, to a `Logger`: to the console, or whatever the application logs to.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     LogRequestsMiddleware(logger: Logger(label: "shop.http"), formatter: .short)
/// }
/// ```
///
/// It is ``RemoteLoggingMiddleware`` with a ``LoggerSink``; all that is said there holds here.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for calls and ``/HTTPChainCore/Phase/wire`` for attempts.
///
/// **Options.** ``RequestLogging`` and ``LogTraffic``.
///
/// **Errors.** None of its own.
public struct LogRequestsMiddleware: DeadlineKeepingMiddleware {
    private let journal: ExchangeJournal

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - logger: Takes the records; its level decides which.
    ///   - unit: Whether there is one for each call or for each attempt; for each call by default.
    ///   - component: The component that logs, which becomes the `source`; the logger's label by default.
    ///   - levels: How severe each outcome is; ``ExchangeLevels/calls`` or ``ExchangeLevels/attempts`` by default.
    ///   - detail: How much is logged; the summary by default.
    ///   - bodyLimit: How much of each body is shown where bodies are; 32 KiB by default.
    ///   - fields: The header fields whose values are shown.
    ///   - filter: Which exchanges are logged; all by default.
    ///   - formatter: Puts them into words.
    public init(
        logger: Logger,
        each unit: ExchangeUnit = .call,
        component: String? = nil,
        levels: ExchangeLevels? = nil,
        detail: ExchangeDetails = .summary,
        bodyLimit: ByteCount = .kibibytes(32),
        showing fields: LoggedFields = .standard,
        filter: LogFilter? = nil,
        formatter: any LogFormatter = .semantic
    ) {
        journal = ExchangeJournal(
            LoggerSink(logger),
            unit: unit,
            component: component ?? logger.label,
            levels: levels,
            details: detail,
            bodyLimit: bodyLimit,
            showing: fields,
            filter: filter,
            formatter: formatter
        )
    }

    /// Once for each call, or next to the transport.
    public var phase: Phase { journal.unit == .call ? .call : .wire }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary("LogRequestsMiddleware", purpose: "logs exchanges", settings: journal.settings)
    }

    /// Passes the request on, and logs how it went.
    ///
    /// - Throws: What the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if journal.isSilent(for: request) { return try await next(request) }
        return try await journal.follow(request, next)
    }
}
