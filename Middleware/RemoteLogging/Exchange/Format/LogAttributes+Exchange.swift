import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

extension LogAttributes {
    /// Describes an exchange according to the OpenTelemetry semantic conventions for HTTP clients.
    init(_ exchange: ExchangeLog) {
        self.init()
        reserveCapacity(24)
        appendRequest(exchange)
        appendResponse(exchange)
        append("httpchain.duration", .number(exchange.duration.inSeconds))
        append("httpchain.call.id", .string(exchange.callID.hexadecimal))
        append("httpchain.unit", .string(exchange.unit.rawValue))
        append("httpchain.start_time", .number(exchange.start.timeIntervalSince1970))
        append("httpchain.outcome", .string(exchange.outcome.rawValue))
        if let time = exchange.timeToHead { append("httpchain.time_to_head", .number(time.inSeconds)) }
        if exchange.unit == .attempt { append("httpchain.attempt", .integer(Int64(exchange.attempt))) }
        if let attempts = exchange.attempts { append("httpchain.attempts", .integer(Int64(attempts))) }
        if let cache = exchange.cache {
            append("httpchain.cache.status", .string(cache.text))
            if let isHit = cache.isHit { append("httpchain.cache.hit", .bool(isHit)) }
        }
        append(exchange.requestFields, as: "http.request.header.")
        append(exchange.responseFields, as: "http.response.header.")
        append(exchange.requestBody, as: "httpchain.request.body")
        append(exchange.responseBody, as: "httpchain.response.body")
        for attribute in exchange.attributes.list { self[attribute.name] = attribute.value }
    }

    private mutating func appendRequest(_ exchange: ExchangeLog) {
        let method = exchange.method.rawValue
        let isKnown = Self.knownMethods.contains(method)
        append("http.request.method", .string(isKnown ? method : "_OTHER"))
        if !isKnown { append("http.request.method_original", .string(method)) }
        append("url.full", .string(Redaction.keepingURLSyntax(exchange.url)))
        if let final = exchange.finalURL { append("httpchain.url.final", .string(Redaction.keepingURLSyntax(final))) }
        if let origin = exchange.origin {
            append("server.address", .string(origin.server.unbracketed))
            append("server.port", .integer(Int64(origin.port)))
        }
        let attempts = exchange.unit == .attempt ? exchange.attempt : exchange.attempts ?? 1
        let resent = Swift.max(1, attempts) - 1
        if resent > 0 { append("http.request.resend_count", .integer(Int64(resent))) }
        if let size = exchange.requestSize.best { append("http.request.body.size", .integer(size)) }
    }

    private mutating func appendResponse(_ exchange: ExchangeLog) {
        if let status = exchange.status { append("http.response.status_code", .integer(Int64(status.code))) }
        if let size = exchange.responseSize.best { append("http.response.body.size", .integer(size)) }
        if let end = exchange.bodyEnd { append("httpchain.body_end", .string(end.rawValue)) }
        if let error = exchange.error {
            // As in metrics and spans, a cancelled call isn't an error.
            if exchange.outcome != .cancelled { append("error.type", .string(error.type)) }
            append("exception.message", .string(error.reason))
        } else if let status = exchange.status, HTTPSemantics.isError(status.code) {
            append("error.type", .string("\(status.code)"))
        }
    }

    /// Adds fields as the conventions require: with names in lower case, and a list of values for each.
    private mutating func append(_ fields: HTTPFields?, as prefix: String) {
        guard let fields else { return }
        var names: [String] = []
        var values: [String: [JSONValue]] = [:]
        for field in fields {
            let name = field.name.canonicalName
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(.string(field.value))
        }
        for name in names { append(prefix + name, .array(values[name] ?? [])) }
    }

    private mutating func append(_ body: LoggedBody?, as name: String) {
        guard let body else { return }
        append(name, .string(body.text))
        if body.isTruncated { append(name + ".truncated", true) }
    }

    /// The methods of RFC 9110, PATCH (RFC 5789) and QUERY.
    private static let knownMethods: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]
}
