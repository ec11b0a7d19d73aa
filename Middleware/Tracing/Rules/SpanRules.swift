#if Tracing
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import Tracing

/// The names and attributes of spans, according to OpenTelemetry's conventions for HTTP clients.
struct SpanRules: Sendable {
    let knownMethods: Set<String>
    let requestFields: [HTTPField.Name]
    let responseFields: [HTTPField.Name]

    /// Returns the span's name: the method, or `HTTP` if it isn't known, followed by the template if there is one.
    func name(method: HTTPRequest.Method, template: String?) -> String {
        let method = knownMethods.contains(method.rawValue) ? method.rawValue : "HTTP"
        guard let template else { return method }
        return "\(method) \(template)"
    }

    /// Returns the attributes that are known when a request is sent.
    func attributes(of request: borrowing Request, template: String?, resendCount: Int) -> SpanAttributes {
        let head = request.head
        let redaction = request.redaction
        var attributes = SpanAttributes([:])
        attributes.reserveCapacity(10)
        let method = head.method.rawValue
        if knownMethods.contains(method) {
            attributes.set("http.request.method", value: .string(method))
        } else {
            attributes.set("http.request.method", value: .string(HTTPSemantics.otherMethod))
            attributes.set("http.request.method_original", value: .string(method))
        }
        if let origin = Origin(scheme: head.scheme, authority: head.authority) {
            attributes.set("server.address", value: .string(origin.server.unbracketed))
            attributes.set("server.port", value: .int64(Int64(origin.port)))
        }
        attributes.set("url.full", value: .string(Self.fullURL(of: request, redaction)))
        if let template { attributes.set("url.template", value: .string(template)) }
        if resendCount > 0 { attributes.set("http.request.resend_count", value: .int64(Int64(resendCount))) }
        Self.add(requestFields, of: head.headerFields, as: "http.request.header.", redaction, to: &attributes)
        return attributes
    }

    /// Returns the attributes that are known when the head of a response has arrived.
    func attributes(of head: HTTPResponse, redaction: Redaction) -> SpanAttributes {
        var attributes: SpanAttributes = ["http.response.status_code": .int64(Int64(head.status.code))]
        if HTTPSemantics.isError(head.status.code) {
            attributes.set("error.type", value: .string(String(head.status.code)))
        }
        Self.add(responseFields, of: head.headerFields, as: "http.response.header.", redaction, to: &attributes)
        return attributes
    }

    /// Returns the redacted URL, which is still a valid URL.
    static func fullURL(of request: borrowing Request, _ redaction: Redaction) -> String {
        var url = request.url
        if let fragment = request.fragment { url += "#" + fragment }
        return Redaction.keepingURLSyntax(redaction.url(url))
    }

    private static func add(
        _ names: [HTTPField.Name],
        of fields: HTTPFields,
        as prefix: String,
        _ redaction: Redaction,
        to attributes: inout SpanAttributes
    ) {
        for name in names {
            let values = fields[fields: name]
            if values.isEmpty { continue }
            let texts = values.map {
                redaction.isSecret($0) ? "REDACTED" : redaction.text($0.value, upTo: Redaction.longestShown)
            }
            attributes.set(prefix + name.canonicalName, value: .stringArray(texts))
        }
    }
}

#endif
