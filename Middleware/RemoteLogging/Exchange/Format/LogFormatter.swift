import HTTPChainCore
import HTTPTypes

/// Formats exchanges, both for people and for machines.
///
/// ```swift
/// struct PathFormatter: LogFormatter {
///     func message(for exchange: ExchangeLog) -> String {
///         "\(exchange.method) \(exchange.url): \(exchange.status?.code ?? 0)"
///     }
/// }
/// ```
public protocol LogFormatter: Sendable {
    /// Returns a description of what happened, for people.
    ///
    /// Text from outside may contain line breaks. A one-line message should escape them.
    func message(for exchange: ExchangeLog) -> String

    /// Returns the attributes that describe an exchange, for machines.
    ///
    /// By default, those of ``LogFormatter/semantic``.
    func attributes(for exchange: ExchangeLog) -> LogAttributes
}

extension LogFormatter {
    /// The attributes of ``LogFormatter/semantic``.
    public func attributes(for exchange: ExchangeLog) -> LogAttributes { LogAttributes(exchange) }
}

/// A formatter that requires a certain detail, or shows no more than that.
package protocol DetailedLogFormatter: LogFormatter {
    /// The least detail that the formatter requires, and the most that it shows.
    ///
    /// If a stage is configured for more detail, its chain reports a warning. If a call requests more detail, it is
    /// logged with the attributes of ``LogFormatter/semantic``.
    var detailRange: ClosedRange<ExchangeDetail> { get }
}

extension LogFormatter {
    /// The least and the most detail that the formatter uses.
    package var usedDetails: ClosedRange<ExchangeDetail> {
        (self as? any DetailedLogFormatter)?.detailRange ?? .summary ... .bodies
    }
}

/// A formatter of this package.
///
/// ```swift
/// let stage = LogRequestsMiddleware(logger: logger, formatter: .short)
/// ```
public struct BuiltInLogFormatter: DetailedLogFormatter {
    fileprivate let wrapped: any LogFormatter

    package var detailRange: ClosedRange<ExchangeDetail> { wrapped.usedDetails }

    /// Returns a description of what happened, for people.
    public func message(for exchange: ExchangeLog) -> String { wrapped.message(for: exchange) }

    /// Returns the attributes that describe an exchange, for machines.
    public func attributes(for exchange: ExchangeLog) -> LogAttributes { wrapped.attributes(for: exchange) }
}

extension LogFormatter where Self == BuiltInLogFormatter {
    /// One line (`GET https://api.example.com/plants → 200 OK in 12 ms`), with attributes that follow the OpenTelemetry
    /// semantic conventions for HTTP clients.
    ///
    /// | attribute | value |
    /// | --- | --- |
    /// | `http.request.method`, `http.request.method_original` | by the conventions: `_OTHER` for unknown methods |
    /// | `url.full`, `server.address`, `server.port` | redacted; still a valid URL, with `REDACTED` for each secret |
    /// | `trace_id`, `span_id`, `trace_flags` | the trace and the span, if known |
    /// | `http.response.status_code`, `error.type`, `exception.message` | the status; what went wrong |
    /// | `http.request.resend_count` | the attempts before this one, or before the last of the call |
    /// | `http.request.body.size`, `http.response.body.size` | in bytes |
    /// | `httpchain.duration` | in seconds, the response's body included |
    /// | `http.request.header.<name>`, `http.response.header.<name>` | arrays; from ``ExchangeDetail/headers`` on |
    /// | `httpchain.call.id`, `httpchain.unit` | 16 hexadecimal digits shared by a call and its attempts; `call`, `attempt` |
    /// | `httpchain.start_time`, `httpchain.time_to_head` | seconds since 1970; seconds from the start |
    /// | `httpchain.attempt`, `httpchain.attempts` | the number of the attempt; the number of attempts of the call |
    /// | `httpchain.outcome`, `httpchain.body_end` | ``ExchangeOutcome``; `complete`, `dropped`, `broken` |
    /// | `httpchain.cache.status`, `httpchain.cache.hit` | the `Cache-Status` field; whether the nearest cache had a hit |
    /// | `httpchain.url.final` | the final URL, if it's a different one |
    /// | `httpchain.request.body`, `httpchain.response.body` | the beginnings; at ``ExchangeDetail/bodies`` |
    /// | `httpchain.request.body.truncated`, `httpchain.response.body.truncated` | `true` if the body is longer |
    ///
    /// The attributes of the call itself (``HTTPChainCore/Request/logging(_:detail:component:attributes:)``) come last.
    public static var semantic: BuiltInLogFormatter { BuiltInLogFormatter(wrapped: SemanticLogFormatter()) }

    /// One line without attributes, for consoles: `200 GET https://api.example.com/plants 12 ms`.
    ///
    /// If there is no status, the type of the error is shown instead. The call's own attributes are kept.
    public static var short: BuiltInLogFormatter { BuiltInLogFormatter(wrapped: ShortLogFormatter()) }

    /// The request as a curl command line, quoted for a POSIX shell.
    ///
    /// ```sh
    /// curl --request PUT --header 'Content-Type: application/json' --data-raw '{"name":"Ida"}' 'https://example.com/7'
    /// ```
    ///
    /// Secrets are replaced by placeholders, for you to fill in. Header fields are always included. The body is
    /// included at ``ExchangeDetail/bodies``. If it isn't shown completely, a comment at the end says so.
    public static var curl: BuiltInLogFormatter { BuiltInLogFormatter(wrapped: CurlLogFormatter()) }
}

/// The formatter ``LogFormatter/semantic``.
package struct SemanticLogFormatter: LogFormatter {
    /// Makes the formatter.
    package init() {}

    /// Returns one line with the method, URL, status and time, and the error if there is one.
    package func message(for exchange: ExchangeLog) -> String {
        var text = "\(exchange.method) \(exchange.url)"
        if let status = exchange.status { text += " → \(status.label)" }
        if exchange.outcome == .cancelled {
            text += exchange.status == nil ? " cancelled" : ", cancelled"
        } else if exchange.bodyEnd == .broken {
            text += ", broken off"
        } else if exchange.status == nil {
            text += " failed"
        }
        text += exchange.status == nil || exchange.error != nil ? " after " : " in "
        text += exchange.duration.abbreviated
        if exchange.cache?.isHit == true { text += " (cache)" }
        if exchange.unit == .attempt, exchange.attempt > 1 { text += " (attempt \(exchange.attempt))" }
        if let attempts = exchange.attempts, attempts > 1 { text += " (\(attempts) attempts)" }
        if let error = exchange.error, exchange.outcome != .cancelled { text += ": \(error.reason)" }
        return text.printable()
    }
}

/// The formatter ``LogFormatter/short``.
package struct ShortLogFormatter: DetailedLogFormatter {
    /// Makes the formatter.
    package init() {}

    /// Only the summary, because header fields and bodies don't fit on one line.
    package var detailRange: ClosedRange<ExchangeDetail> { .summary ... .summary }

    /// Returns the status, method, URL and time.
    package func message(for exchange: ExchangeLog) -> String {
        var start = exchange.status.map { "\($0.code)" } ?? ""
        if let error = exchange.error, error.type != start { start += (start.isEmpty ? "" : " ") + error.type }
        return "\(start) \(exchange.method) \(exchange.url) \(exchange.duration.abbreviated)".printable()
    }

    /// Returns the call's own attributes.
    package func attributes(for exchange: ExchangeLog) -> LogAttributes { exchange.attributes }
}

extension Duration {
    /// The duration for people, such as "0.4 ms", "12 ms", "1.24 s" or "95 s".
    package var abbreviated: String {
        let microseconds = Int64((min(max(inSeconds, 0), 1e9) * 1_000_000).rounded())
        switch microseconds {
        case ..<9950: return Self.decimal(microseconds, unit: 1000, digits: 1) + " ms"
        case ..<999_500: return Self.decimal(microseconds, unit: 1000, digits: 0) + " ms"
        case ..<9_995_000: return Self.decimal(microseconds, unit: 1_000_000, digits: 2) + " s"
        default: return Self.decimal(microseconds, unit: 1_000_000, digits: 0) + " s"
        }
    }

    private static func decimal(_ value: Int64, unit: Int64, digits: Int) -> String {
        let scale: Int64 = digits == 0 ? 1 : digits == 1 ? 10 : 100
        let rounded = (value * scale + unit / 2) / unit
        let (whole, rest) = rounded.quotientAndRemainder(dividingBy: scale)
        if rest == 0 { return "\(whole)" }
        var fraction = String(rest + scale).utf8.dropFirst()
        if fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        return "\(whole).\(Substring(fraction))"
    }
}
