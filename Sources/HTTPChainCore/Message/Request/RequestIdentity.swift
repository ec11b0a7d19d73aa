import HTTPChainSupport
package import HTTPTypes

/// The parts of a request that determine its response; requests with the same identity can share a response.
///
/// All parts are compared byte by byte, because canonically equal strings differ on the wire.
package struct RequestIdentity: Hashable, Sendable {
    /// The names of fields that identify a single call, and neither select a representation nor carry a credential.
    package static let callFields = ["traceparent", "tracestate", "baggage", "x-request-id", "x-correlation-id"]
        .compactMap { HTTPField.Name($0) }

    private let method: HTTPRequest.Method
    /// The origin of the target; `nil` for a relative reference.
    package let origin: Origin?
    private let target: String
    /// The values that an inner stage completes the target with.
    private let completion: [ExactText]
    /// All fields that aren't ignored; they include conditions, credentials, and fields that select a representation.
    private let fields: HTTPFields
    private let boundFields: [HTTPField.Name: Origin]
    private let content: String

    /// Makes the identity of a request, or returns `nil` if its content or the values for its URL can't be compared.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - ignored: The fields that may differ.
    package init?(_ request: borrowing Request, ignoring ignored: [HTTPField.Name] = Self.callFields) {
        let head = request.head
        guard let content = Self.content(of: request.body),
            let completion = request.options.targetCompletion
        else { return nil }
        method = head.method
        origin = Origin(scheme: head.scheme, authority: head.authority)
        let path = head.path ?? ""
        if origin != nil {
            target = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
        } else {
            target = request.url
        }
        self.completion = completion
        var fields = head.headerFields
        for name in ignored where fields.contains(name) { fields[name] = nil }
        self.fields = fields
        boundFields = request.options[OriginBoundFieldsNote.self]
        self.content = content
    }

    /// Returns a digest of content in memory, or an empty string for no content.
    private static func content(of body: HTTPBody) -> String? {
        if body.isEmpty { return "" }
        return body.bytes.map { SHA256Digest.hex(of: $0) }
    }

    package static func == (one: RequestIdentity, other: RequestIdentity) -> Bool {
        one.method == other.method && one.origin == other.origin && one.target.hasSameBytes(as: other.target)
            && one.completion == other.completion && one.boundFields == other.boundFields
            && one.content == other.content && one.fields == other.fields && one.hasSameValues(as: other)
    }

    /// Whether the values of fields that are equal as strings also have the same bytes.
    private func hasSameValues(as other: RequestIdentity) -> Bool {
        fields.allSatisfy { field in
            field.value.utf8.allSatisfy { $0 < 0x80 }
                || fields[values: field.name].elementsEqual(other.fields[values: field.name]) {
                    $0.hasSameBytes(as: $1)
                }
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(target)
        hasher.combine(completion)
    }
}

/// An option with values that an inner stage completes the request's URL with.
package protocol TargetOption: RequestOption {
    /// Returns the value as text, which differs for values that make different URLs, or `nil` if it can't be compared.
    static func comparableText(of value: Value) -> String?
}

extension RequestOptions {
    /// Whether an inner stage has values to complete the URL with.
    package var completesTarget: Bool { storage.contains { $0.key is any TargetOption.Type } }

    /// Whether a chain has already checked that its stages read the options.
    package var isChecked: Bool { storage.isChecked }

    /// Whether the request has values for its URL that no chain has checked: a chain refuses such values if nothing
    /// reads them.
    package var hasUnreadTarget: Bool {
        !isChecked && storage.contains { $0.key is any TargetOption.Type && !$0.isHarmless }
    }

    /// The stage that completes the URL with the request's values, as written in a chain.
    var targetReader: String? {
        storage.entries.first { $0.key is any TargetOption.Type && !$0.isHarmless }?.usage.reader
    }

    /// The values that complete the URL, as comparable text, or `nil` if one of them can't be compared.
    fileprivate var targetCompletion: [ExactText]? {
        var texts: [ExactText] = []
        for entry in storage.entries {
            guard let option = entry.key as? any TargetOption.Type else { continue }
            guard let text = text(of: option) else { return nil }
            texts.append(ExactText(text))
        }
        return texts
    }

    private func text<Option: TargetOption>(of option: Option.Type) -> String? {
        Option.comparableText(of: self[option])
    }
}

extension Request {
    /// Whether the URL is complete: it is absolute, and no inner stage has values for it.
    package var hasCompleteURL: Bool { head.authority != nil && !options.completesTarget }
}
