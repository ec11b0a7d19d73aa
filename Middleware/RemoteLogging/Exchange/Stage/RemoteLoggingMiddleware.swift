public import HTTPChainCore
public import Logging

/// Logs each call, or each attempt, as one structured record.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RemoteLoggingMiddleware(shipper, detailByLevel: [.error: .headers])
///     RetryMiddleware()
///     RemoteLoggingMiddleware(shipper, each: .attempt)
/// }
/// let order = try await chain.send(.get("https://shop.example.com/orders/42").logging(detail: .bodies))
/// ```
///
/// **When.** The record is written when the exchange is over: the response's body was read to its end, broke, or was
/// dropped; an error was thrown; or the call was cancelled. Its times and sizes are therefore complete.
///
/// **Content.** The summary: method, URL, status, times, sizes, attempts, cache status and the error. On request, by
/// level or for one call, also the header fields and the beginnings of bodies. Streams aren't collected: their first
/// bytes are kept as they pass. Bodies in memory and files are unchanged; the beginning of a file is read beforehand.
/// ``ExchangeLog`` lists everything available, a ``LogFilter`` selects exchanges, and a ``LogFormatter`` formats them.
///
/// **Secrets.** Only the header fields in ``LoggedFields`` are shown with their values; all others have placeholders.
/// User information is removed from URLs everywhere. In queries, fragments, forms, JSON and XML, values with the name
/// of a secret (``/HTTPChainCore/Redaction``) are redacted, as are JSON Web Tokens and anything after `Bearer`.
/// Contents of multipart bodies are never shown. Secrets that no rule recognizes, such as a token in a path or a name
/// in a text, aren't redacted, so log bodies only if that does no harm.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for calls and ``/HTTPChainCore/Phase/wire`` for attempts. A call's
/// record has the URL and the fields of the final request, if the transport reports it. With both in one chain, the
/// records of a call and of its attempts have the same `httpchain.call.id`.
///
/// **Traces.** A record names its trace and span (`trace_id`, `span_id`, `trace_flags`) if they are known: the task's,
/// from `metadataProvider`, and for an attempt those of the `traceparent` it was sent with.
///
/// **Options.** ``HTTPChainCore/Request/logging(_:detail:component:attributes:)``: off, more or less detail, another
/// component, more attributes. Requests with ``HTTPChainCore/Request/isLogTraffic`` are never logged. If the sink isn't
/// enabled for any of a call's levels, the call passes unchanged.
///
/// **Errors.** The stage throws none.
public struct RemoteLoggingMiddleware: ExchangeLoggingMiddleware {
    package static let name = "RemoteLoggingMiddleware"
    package let journal: ExchangeJournal

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - sink: Receives the records.
    ///   - unit: Whether there is a record for each call or for each attempt; for each call by default.
    ///   - component: The component that logs; `http.client` or `http.client.attempt` by default.
    ///   - levels: The level of each outcome; the default for calls is that of ``ExchangeLevels``, and attempts are
    ///     less severe: `debug`, and `warning` for 5xx and failures.
    ///   - detail: The detail of records; the summary by default. More detail than `formatter` shows causes a warning.
    ///   - detailByLevel: The detail for some levels, instead of `detail`; none by default.
    ///   - bodyLimit: The maximum size of the shown part of a body; 32 KiB by default.
    ///   - fields: The header fields whose values are shown.
    ///   - filter: The filter; logs all exchanges by default.
    ///   - formatter: The formatter.
    ///   - metadataProvider: The provider of the task's trace and span (`trace_id`, `span_id`, `trace_flags`); the
    ///     logging system's by default.
    public init(
        _ sink: any LogSink,
        each unit: ExchangeUnit = .call,
        component: String? = nil,
        levels: ExchangeLevels? = nil,
        detail: ExchangeDetail = .summary,
        detailByLevel: [Logger.Level: ExchangeDetail] = [:],
        bodyLimit: ByteCount = .kibibytes(32),
        showing fields: LoggedFields = .standard,
        filter: LogFilter? = nil,
        formatter: any LogFormatter = .semantic,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider
    ) {
        journal = ExchangeJournal(
            sink,
            unit: unit,
            component: component,
            levels: levels,
            details: ExchangeDetails(otherwise: detail, byLevel: detailByLevel),
            bodyLimit: bodyLimit,
            showing: fields,
            filter: filter,
            formatter: formatter,
            metadataProvider: metadataProvider
        )
    }
}
