public import HTTPChainCore
public import Logging

/// Logs each call, or each attempt, to a `Logger`.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     LogRequestsMiddleware(logger: Logger(label: "shop.http"), formatter: .short)
/// }
/// ```
///
/// This is ``RemoteLoggingMiddleware`` with a ``LoggerSink``, and behaves in the same way.
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
    ///   - logger: The logger, whose level determines which records are written.
    ///   - unit: Whether each call or each attempt is logged; each call by default.
    ///   - component: The component that logs, used as the `source`; the logger's label by default.
    ///   - levels: The severity of each outcome; ``ExchangeLevels/calls`` or ``ExchangeLevels/attempts`` by default.
    ///   - detail: The detail; the summary by default.
    ///   - bodyLimit: The size limit of each logged body; 32 KiB by default.
    ///   - fields: The header fields whose values are shown.
    ///   - filter: The filter; logs all exchanges by default.
    ///   - formatter: The formatter.
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

    /// ``/HTTPChainCore/Phase/call`` for calls, ``/HTTPChainCore/Phase/wire`` for attempts.
    public var phase: Phase { journal.unit == .call ? .call : .wire }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary("LogRequestsMiddleware", purpose: "logs exchanges", settings: journal.settings)
    }

    /// Passes the request on and logs the exchange.
    ///
    /// - Throws: Errors from the inner stages.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if journal.isSilent(for: request) { return try await next(request) }
        return try await journal.follow(request, next)
    }
}
