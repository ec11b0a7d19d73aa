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
/// This is the same as ``RemoteLoggingMiddleware`` with a sink for a `Logger`.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for calls and ``/HTTPChainCore/Phase/wire`` for attempts.
///
/// **Options.** ``HTTPChainCore/Request/logging(_:detail:component:attributes:)`` and
/// ``HTTPChainCore/Request/isLogTraffic``.
///
/// **Errors.** The stage has no errors of its own kind.
public struct LogRequestsMiddleware: ExchangeLoggingMiddleware {
    package static let name = "LogRequestsMiddleware"
    package let journal: ExchangeJournal

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - logger: Receives the records at its level and above.
    ///   - unit: The unit that each record describes; calls by default.
    ///   - component: The component that logs. It becomes the `source`. Defaults to the logger's label.
    ///   - levels: The level of each outcome. For calls, the default is that of ``ExchangeLevels``. Attempts are less
    ///     severe by default: `debug`, and `warning` for 5xx and failures.
    ///   - detail: The detail of records; the summary by default. If it is more than `formatter` shows, the chain
    ///     reports a warning.
    ///   - detailByLevel: The detail for some levels, used instead of `detail`; none by default.
    ///   - bodyLimit: The maximum number of bytes of a body that are shown; 32 KiB by default.
    ///   - fields: The header fields whose values are shown.
    ///   - filter: The exchanges to log; all by default.
    ///   - formatter: The formatter of the records.
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
