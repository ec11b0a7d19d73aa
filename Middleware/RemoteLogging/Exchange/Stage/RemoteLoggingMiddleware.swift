public import HTTPChainCore
public import Logging

/// Logs each call, or each attempt, as one structured record.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RemoteLoggingMiddleware(shipper, detail: .by([.error: .headers]))
///     RetryMiddleware()
///     RemoteLoggingMiddleware(shipper, each: .attempt)
/// }
/// let order = try await chain.send(.get("https://shop.example.com/orders/42").logging(.detail(.bodies)))
/// ```
///
/// **When.** The record is written when all is over: the response's body was read to its end, broke, or was dropped;
/// an error was thrown; the call was cancelled. So its times and sizes are whole.
///
/// **What.** The summary: method, URL, status, times, sizes, attempts, what caches said, the error. On request, by
/// level or for one call, the header fields and the beginnings of bodies. A stream is never collected: its first bytes
/// are kept as they pass. A body that is in memory stays so, and a file stays a file; of a file the beginning is read
/// beforehand. ``ExchangeLog`` says what there is, a ``LogFilter`` what of it is logged, and a ``LogFormatter`` how.
///
/// **Nothing secret.** Values of header fields are shown from a list (``LoggedFields``), and placeholders in place of
/// all others. User information is taken out of URLs, wherever they stand; values are redacted that go by the name
/// of a secret (``/HTTPChainCore/Redaction``) in a query, a fragment, a form, JSON or XML, and so is what follows
/// `Bearer` or is a JSON Web Token. Of multipart bodies the contents are never shown. What is a secret by no rule, a
/// token in a path or a name in a text, is not known: ask for bodies where that does no harm.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for calls and ``/HTTPChainCore/Phase/wire`` for attempts. A call's
/// record has the URL and the fields of the request that was sent in the end, where the transport tells. With both in
/// one chain, the records of a call and of its attempts have the same `httpchain.call.id`.
///
/// **Traces.** A record names its trace and span (`trace_id`, `span_id`, `trace_flags`) where they are known: those of
/// the task, as `metadataProvider` tells them, and of an attempt the `traceparent` that it was sent with.
///
/// **Options.** ``RequestLogging`` (in short ``HTTPChainCore/Request/logging(_:)``): off, more or less detail, another
/// component, more attributes. Requests with ``LogTraffic`` are never logged. A call of which the sink takes nothing
/// passes untouched.
///
/// **Errors.** None of its own.
public struct RemoteLoggingMiddleware: DeadlineKeepingMiddleware {
    private let journal: ExchangeJournal

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - sink: Takes the records.
    ///   - unit: Whether there is one for each call or for each attempt; for each call by default.
    ///   - component: The component that logs; that of ``ExchangeUnit/component`` by default.
    ///   - levels: How severe each outcome is; ``ExchangeLevels/calls`` or ``ExchangeLevels/attempts`` by default.
    ///   - detail: How much is logged; the summary by default.
    ///   - bodyLimit: How much of each body is shown where bodies are; 32 KiB by default.
    ///   - fields: The header fields whose values are shown.
    ///   - filter: Which exchanges are logged; all by default.
    ///   - formatter: Puts them into words.
    ///   - metadataProvider: Says which trace and span the task belongs to (`trace_id`, `span_id`, `trace_flags`); that
    ///     of the logging system by default.
    public init(
        _ sink: any LogSink,
        each unit: ExchangeUnit = .call,
        component: String? = nil,
        levels: ExchangeLevels? = nil,
        detail: ExchangeDetails = .summary,
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
            details: detail,
            bodyLimit: bodyLimit,
            showing: fields,
            filter: filter,
            formatter: formatter,
            metadataProvider: metadataProvider
        )
    }

    /// Once for each call, or next to the transport.
    public var phase: Phase { journal.unit == .call ? .call : .wire }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary("RemoteLoggingMiddleware", purpose: "logs exchanges", settings: journal.settings)
    }

    /// Passes the request on, and logs how it went.
    ///
    /// - Throws: What the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if journal.isSilent(for: request) { return try await next(request) }
        return try await journal.follow(request, next)
    }
}
