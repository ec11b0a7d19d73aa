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
/// This is ``RemoteLoggingMiddleware`` with a sink for a `Logger`, and behaves in the same way.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for calls and ``/HTTPChainCore/Phase/wire`` for attempts.
///
/// **Options.** ``HTTPChainCore/Request/logging(_:detail:component:attributes:)`` and
/// ``HTTPChainCore/Request/isLogTraffic``.
///
/// **Errors.** The stage throws none.
public struct LogRequestsMiddleware: ExchangeLoggingMiddleware {
    package static let name = "LogRequestsMiddleware"
    package let journal: ExchangeJournal

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - logger: Receives the records of its level and above.
    ///   - unit: Whether there is a record for each call or for each attempt; for each call by default.
    ///   - component: The component that logs, which becomes the `source`; the logger's label by default.
    ///   - levels: The level of each outcome; the default for calls is that of ``ExchangeLevels``, and attempts are
    ///     less severe: `debug`, and `warning` for 5xx and failures.
    ///   - detail: The detail of records; the summary by default. More detail than `formatter` shows causes a warning.
    ///   - detailByLevel: The detail for some levels, instead of `detail`; none by default.
    ///   - bodyLimit: The maximum size of the shown part of a body; 32 KiB by default.
    ///   - fields: The header fields whose values are shown.
    ///   - filter: The filter; logs all exchanges by default.
    ///   - formatter: The formatter.
    public init(
        logger: Logger,
        each unit: ExchangeUnit = .call,
        component: String? = nil,
        levels: ExchangeLevels? = nil,
        detail: ExchangeDetail = .summary,
        detailByLevel: [Logger.Level: ExchangeDetail] = [:],
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
            details: ExchangeDetails(otherwise: detail, byLevel: detailByLevel),
            bodyLimit: bodyLimit,
            showing: fields,
            filter: filter,
            formatter: formatter
        )
    }
}
