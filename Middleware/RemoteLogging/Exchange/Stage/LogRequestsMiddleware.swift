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
/// **Options.** ``HTTPChainCore/Request/logging(_:)`` and ``HTTPChainCore/Request/isLogTraffic``.
///
/// **Errors.** None of its own.
public struct LogRequestsMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    private let journal: ExchangeJournal

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - logger: Receives the records of its level and above.
    ///   - unit: Whether there is a record for each call or for each attempt; for each call by default.
    ///   - component: The component that logs, which becomes the `source`; the logger's label by default.
    ///   - levels: The level of each outcome; ``ExchangeLevels/calls`` or ``ExchangeLevels/attempts`` by default.
    ///   - detail: The detail of records; the summary by default. More than `formatter` shows is a warning.
    ///   - bodyLimit: The maximum size of the shown part of a body; 32 KiB by default.
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

    /// The options that the stage reads.
    public var optionsRead: [any RequestOption.Type] { [RequestLogging.self] }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary("LogRequestsMiddleware", purpose: "logs exchanges", settings: journal.settings)
    }

    /// A warning if more detail is set than the formatter shows.
    public func problems(at place: ChainPlace) -> [ChainProblem] { journal.problems(of: summary.name) }

    /// Passes the request on, and logs the result.
    ///
    /// - Throws: Errors from the inner stages.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if journal.isSilent(for: request) { return try await next(request) }
        return try await journal.follow(request, next)
    }
}
