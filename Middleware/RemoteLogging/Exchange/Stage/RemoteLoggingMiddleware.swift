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
/// **Time.** The record is written when the exchange has ended: when the response's body has been read, has broken, or
/// was dropped, when an error was thrown, or when the call was cancelled. Its times and sizes are therefore complete.
///
/// **Content.** The record has the method, URL, status, times, sizes, attempts, cache status and error. On request, by
/// level or for one call, it also has the header fields and the beginnings of bodies. Streams aren't collected: their
/// first bytes are copied as they are transferred. Bodies in memory and files are left unchanged; the beginning of a
/// file is read beforehand. ``ExchangeLog`` lists everything available, a ``LogFilter`` selects exchanges, and a
/// ``LogFormatter`` formats them.
///
/// **Secrets.** Only the header fields in ``LoggedFields`` are shown with their values; all others have placeholders.
/// User information is removed from all URLs. In queries, fragments, forms, JSON and XML, values with the name of a
/// secret (``/HTTPChainCore/Redaction``) are redacted, as are JSON Web Tokens and anything after `Bearer`. Contents of
/// multipart bodies are never shown. Secrets that no rule recognizes, such as a token in a path or a name in a text,
/// aren't redacted. Log bodies only if that is acceptable.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for calls and ``/HTTPChainCore/Phase/wire`` for attempts. A call's
/// record has the URL and the fields of the final request, if the transport reports it. If a chain has both stages, the
/// records of a call and of its attempts have the same `httpchain.call.id`.
///
/// **Traces.** A record has its trace and span (`trace_id`, `span_id`, `trace_flags`) if they are known: those of the
/// task, from `metadataProvider`, and for an attempt those of the `traceparent` that was sent.
///
/// **Options.** ``HTTPChainCore/Request/logging(_:detail:component:attributes:)`` turns logging on or off, or sets the
/// detail, the component or additional attributes. Requests with ``HTTPChainCore/Request/isLogTraffic`` are never
/// logged. If the sink isn't enabled for any of a call's levels, the call is passed on unchanged.
///
/// **Errors.** The stage has no errors of its own kind.
public struct RemoteLoggingMiddleware: ExchangeLoggingMiddleware {
    package static let name = "RemoteLoggingMiddleware"
    package let journal: ExchangeJournal

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - sink: Receives the records.
    ///   - unit: The unit that each record describes; calls by default.
    ///   - component: The component that logs; `http.client` or `http.client.attempt` by default.
    ///   - levels: The level of each outcome. For calls, the default is that of ``ExchangeLevels``. Attempts are less
    ///     severe by default: `debug`, and `warning` for 5xx and failures.
    ///   - detail: The detail of records; the summary by default. If it is more than `formatter` shows, the chain
    ///     reports a warning.
    ///   - detailByLevel: The detail for some levels, used instead of `detail`; none by default.
    ///   - bodyLimit: The maximum number of bytes of a body that are shown; 32 KiB by default.
    ///   - fields: The header fields whose values are shown.
    ///   - filter: The exchanges to log; all by default.
    ///   - formatter: The formatter of the records.
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
