public import Foundation
package import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
public import Logging
import RawStructuredFieldValues

/// The record of a call, or of a single attempt: plain data without secrets.
///
/// It is passed to ``LogFilter`` and ``LogFormatter``. Parts beyond the requested detail are `nil`: fields below
/// ``ExchangeDetail/headers``, and bodies below ``ExchangeDetail/bodies``.
public struct ExchangeLog: Sendable, Hashable {
    /// A declared and a counted number of bytes.
    package struct Size: Sendable, Hashable {
        /// The size declared by the body or `Content-Length`, in bytes; `nil` if neither declares one.
        package var declared: Int64?
        /// The number of bytes read from a stream; `nil` if nothing was counted, as for bytes and files that are sent.
        package var counted: Int64?

        /// Makes a size.
        package init(declared: Int64? = nil, counted: Int64? = nil) {
            self.declared = declared
            self.counted = counted
        }

        /// The counted number of bytes if there is one, or the declared one.
        package var best: Int64? { counted ?? declared }
    }

    /// The way in which a response's body ended.
    package enum BodyEnd: String, Sendable, Hashable {
        /// The body was read completely, or was empty.
        case complete
        /// The body was dropped before its end.
        case dropped
        /// The body broke, or reading it was cancelled.
        case broken
    }

    /// The call's ID, shared by all its attempts.
    package var callID: UInt64
    /// Whether this is a call or a single attempt.
    public var unit: ExchangeUnit
    /// The component that logs.
    public var component: String
    /// The severity.
    public var level: Logger.Level
    /// The start date.
    public var start: Date
    /// The outcome.
    public var outcome: ExchangeOutcome

    /// The method.
    public var method: HTTPRequest.Method
    /// The redacted URL; a relative reference if no stage has resolved it.
    public var url: String
    /// The final URL, redacted, if it differs from ``url``, for example after a redirect.
    package var finalURL: String?
    /// Scheme, host and port; `nil` if ``url`` has none.
    package var origin: Origin?
    /// The status; `nil` if there was no response.
    public var status: HTTPResponse.Status?
    /// The error of the exchange; `nil` if there was none.
    public var error: LoggedError?

    /// The time until the head of the response arrived; `nil` if it never did.
    package var timeToHead: Duration?
    /// The total time, including the response's body.
    public var duration: Duration
    /// The size of the request's body.
    package var requestSize = Size()
    /// The size of the response's body.
    package var responseSize = Size()
    /// The way in which the response's body ended, or `nil` if there was no response.
    package var bodyEnd: BodyEnd?

    /// The number of the attempt.
    ///
    /// It is 1 for the first attempt and for a whole call.
    public var attempt = 1
    /// The total number of attempts; `nil` if unknown, as for most errors that weren't retried.
    public var attempts: Int?
    /// The status of the caches; `nil` if none reported one.
    package var cache: LoggedCacheStatus?

    /// The request's fields, as sent if that is known.
    ///
    /// Fields that aren't in ``LoggedFields`` have placeholders as values.
    public var requestFields: HTTPFields?
    /// The response's fields, redacted in the same way.
    public var responseFields: HTTPFields?
    /// The beginning of the request's body.
    package var requestBody: LoggedBody?
    /// The beginning of the response's body.
    package var responseBody: LoggedBody?
    /// The attributes that the call added with ``HTTPChainCore/Request/logging(_:detail:component:attributes:)``.
    public var attributes: LogAttributes = [:]

    /// Makes the record of an exchange, to test filters and formatters.
    ///
    /// Everything else can be set afterwards.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL, redacted.
    ///   - status: The status. It determines the outcome, unless one is given.
    ///   - duration: The total time.
    ///   - start: The start date.
    ///   - outcome: The outcome.
    ///   - level: The severity; `info` by default.
    ///   - component: The component that logs; that of calls by default.
    ///   - unit: Whether it is a call or an attempt.
    ///   - callID: The call's ID.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        status: HTTPResponse.Status? = nil,
        duration: Duration = .zero,
        start: Date,
        outcome: ExchangeOutcome? = nil,
        level: Logger.Level = .info,
        component: String? = nil,
        unit: ExchangeUnit = .call,
        callID: UInt64 = 0
    ) {
        self.method = method
        self.url = url
        self.status = status
        self.duration = duration
        self.start = start
        self.outcome = outcome ?? status.map(ExchangeOutcome.init) ?? .failure
        self.level = level
        self.component = component ?? ExchangeUnit.call.component
        self.unit = unit
        self.callID = callID
        origin = Origin(url)
    }
}

/// The status of caches for a response, from its `Cache-Status` field, RFC 9211.
package struct LoggedCacheStatus: Sendable, Hashable {
    /// The field's value, redacted.
    ///
    /// The cache nearest to the caller is last.
    package var text: String
    /// Whether the cache nearest to the caller had a hit (`hit`); `nil` if the field is malformed.
    package var isHit: Bool?

    /// Makes a status.
    package init(text: String, isHit: Bool? = nil) {
        self.text = text
        self.isHit = isHit
    }
}

extension LoggedCacheStatus {
    /// Reads the field, or returns `nil` if there is none.
    init?(_ fields: HTTPFields, redaction: LogRedaction) {
        let values = fields[values: .cacheStatus]
        if values.isEmpty { return nil }
        let joined = values.joined(separator: ", ")
        self.init(text: redaction.text(joined, upTo: Redaction.longestShown))
        guard let bytes = joined.structuredFieldBytes else { return }
        var parser = StructuredFieldValueParser(bytes)
        guard let members = try? parser.parseListFieldValue(), case .item(let nearest)? = members.last else { return }
        // RFC 9211 §2.1: hit is a boolean.
        if case .bool(true)? = nearest.rfc9651Parameters["hit"] { isHit = true } else { isHit = false }
    }
}
