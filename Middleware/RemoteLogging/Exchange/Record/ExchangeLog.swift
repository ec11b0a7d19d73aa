public import Foundation
public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
public import Logging
import RawStructuredFieldValues

/// The record of a call, or of one attempt of it: plain data, with nothing secret in it.
///
/// A ``LogFilter`` decides by it and a ``LogFormatter`` puts it into words. What was not asked for is `nil`: fields
/// below ``ExchangeDetail/headers``, bodies below ``ExchangeDetail/bodies``.
public struct ExchangeLog: Sendable, Hashable {
    /// A number of bytes as it was declared and as it was counted.
    public struct Size: Sendable, Hashable {
        /// The size that the body, or `Content-Length`, declares, in bytes; `nil` when nothing does.
        public var declared: Int64?
        /// The number of bytes that were read of a stream; `nil` where nothing was counted, as for bytes and files that
        /// are sent.
        public var counted: Int64?

        /// Makes a size.
        public init(declared: Int64? = nil, counted: Int64? = nil) {
            self.declared = declared
            self.counted = counted
        }

        /// The number of bytes that were counted, otherwise that which was declared.
        public var best: Int64? { counted ?? declared }
    }

    /// A way in which a response's body ends.
    public enum BodyEnd: String, Sendable, Hashable {
        /// All of it was read, or there was none.
        case complete
        /// Nobody read it to its end.
        case dropped
        /// It broke, or reading it was cancelled.
        case broken
    }

    /// Names the call: the same for the call and for all its attempts.
    public var callID: UInt64
    /// Whether this is a whole call or one attempt.
    public var unit: ExchangeUnit
    /// The component that logs.
    public var component: String
    /// The severity.
    public var level: Logger.Level
    /// The date when it began.
    public var start: Date
    /// The outcome.
    public var outcome: ExchangeOutcome

    /// The method.
    public var method: HTTPRequest.Method
    /// The URL, redacted; a reference without a host where no stage that was heard of completed it.
    public var url: String
    /// The URL that was asked in the end, redacted, where it is another than ``url``: after a redirect, for example.
    public var finalURL: String?
    /// Scheme, host and port; `nil` where ``url`` has none.
    public var origin: Origin?
    /// The status; `nil` when there was no answer.
    public var status: HTTPResponse.Status?
    /// The error of the exchange; `nil` when nothing did.
    public var error: LoggedError?

    /// The time until the head of the response was there; `nil` when it never was.
    public var timeToHead: Duration?
    /// The time until all was over, the response's body included.
    public var duration: Duration
    /// The size of the request's body.
    public var requestSize = Size()
    /// The size of the response's body.
    public var responseSize = Size()
    /// The way the response's body ended; `nil` when there was no response.
    public var bodyEnd: BodyEnd?

    /// The number of the attempt: 1 for the first, and for a whole call.
    public var attempt = 1
    /// The number of attempts that were made in all; `nil` when that is not known, as for most errors that were not
    /// retried.
    public var attempts: Int?
    /// The status of the caches; `nil` when none said.
    public var cache: LoggedCacheStatus?

    /// The request's fields, as they were sent where that is known; the values of those that are not on the list of
    /// ``LoggedFields`` are placeholders.
    public var requestFields: HTTPFields?
    /// The response's fields, in the same way.
    public var responseFields: HTTPFields?
    /// The beginning of the request's body.
    public var requestBody: LoggedBody?
    /// The beginning of the response's body.
    public var responseBody: LoggedBody?
    /// The attributes that the call added with ``HTTPChainCore/Request/logging(_:)``.
    public var attributes: LogAttributes = [:]

    /// Makes the record of an exchange, for tests of filters and formatters; all else can be set.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - url: The URL, redacted.
    ///   - status: The status, which decides the outcome unless that is given.
    ///   - duration: How long it took.
    ///   - start: When it began.
    ///   - outcome: How it ended.
    ///   - level: How severe it is; `info` by default.
    ///   - component: The component that logs.
    ///   - unit: Whether it is a call or an attempt.
    ///   - callID: Names the call.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        status: HTTPResponse.Status? = nil,
        duration: Duration = .zero,
        start: Date,
        outcome: ExchangeOutcome? = nil,
        level: Logger.Level = .info,
        component: String = ExchangeUnit.call.component,
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
        self.component = component
        self.unit = unit
        self.callID = callID
        origin = Origin(url)
    }
}

/// The status of caches for a response, as its `Cache-Status` field tells it, RFC 9211.
public struct LoggedCacheStatus: Sendable, Hashable {
    /// The field as it came, redacted; the cache nearest to the caller stands last.
    public var text: String
    /// Whether the cache nearest to the caller answered (`hit`); `nil` when the field is malformed.
    public var isHit: Bool?
    /// Why that cache asked further (`fwd`), such as `stale`; `nil` where it does not say.
    public var forward: String?

    /// Makes a status.
    public init(text: String, isHit: Bool? = nil, forward: String? = nil) {
        self.text = text
        self.isHit = isHit
        self.forward = forward
    }
}

extension LoggedCacheStatus {
    /// Reads the field; `nil` where there is none.
    init?(_ fields: HTTPFields, redaction: LogRedaction) {
        let values = fields[values: .cacheStatus]
        if values.isEmpty { return nil }
        let joined = values.joined(separator: ", ")
        self.init(text: redaction.text(joined, upTo: Redaction.longestShown))
        var parser = StructuredFieldValueParser(Array(joined.utf8))
        guard let members = try? parser.parseListFieldValue(), case .item(let nearest)? = members.last else { return }
        // RFC 9211 §2.1: hit is a boolean, and may not stand beside fwd.
        if case .bool(true)? = nearest.rfc9651Parameters["hit"] { isHit = true } else { isHit = false }
        if case .token(let reason)? = nearest.rfc9651Parameters["fwd"] { forward = reason }
    }
}
