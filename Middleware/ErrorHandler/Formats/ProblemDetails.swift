public import Foundation
public import HTTPChainCore

/// A failure's description in the standard format, RFC 9457.
///
/// A member whose type differs from the RFC's counts as absent, as required by §3.1, and is kept in ``extensions``.
public struct ProblemDetails: Sendable, Hashable {
    /// The problem type: a URI reference relative to the response's URL.
    ///
    /// Defaults to `about:blank`, which says no more than the status (§3.1.1, §4.2.1).
    public var type: String
    /// The status from the origin server, which an intermediary may have changed (§3.1.2).
    public var status: Int?
    /// A short summary of the type of problem (§3.1.3).
    public var title: String?
    /// An explanation of this occurrence (§3.1.4).
    public var detail: String?
    /// The identifier of this occurrence, a URI reference relative to the response's URL (§3.1.5).
    public var instance: String?
    /// All other members (§3.2).
    public var extensions: [String: JSONValue]

    /// Makes problem details.
    package init(
        type: String = "about:blank",
        status: Int? = nil,
        title: String? = nil,
        detail: String? = nil,
        instance: String? = nil,
        extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.status = status
        self.title = title
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// Reads problem details from an object's members, or returns `nil` if the value isn't an object.
    package init?(_ value: JSONValue) {
        guard var members = LenientObject(value) else { return nil }
        type = members.string("type") ?? "about:blank"
        status = members.take("status") { $0.integer.flatMap { (100...599).contains($0) ? Int($0) : nil } }
        title = members.string("title")
        detail = members.string("detail")
        instance = members.string("instance")
        extensions = members.rest
    }

    /// Decodes the extension members as a custom type.
    ///
    /// - Throws: `DecodingError` if they can't be decoded as this type.
    public func extensions<Value: Decodable>(
        as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: JSONEncoder().encode(JSONValue.object(extensions)))
    }
}

extension ProblemDetails: CustomStringConvertible, DescribedValue {
    /// The title, the detail and the type, as far as they are present.
    package var words: String {
        let text = [title, detail].compactMap(\.self).joined(separator: ": ")
        if type == "about:blank" { return text.isEmpty ? "a problem without a name" : text }
        return text.isEmpty ? type : "\(text) (\(type))"
    }
}

extension ErrorHandler {
    /// A handler for problem details in JSON (`application/problem+json`), RFC 9457.
    ///
    /// The call throws `ServiceError<ProblemDetails>`. For XML, use the product `HTTPChainErrorHandlerXML`.
    public static var problemDetails: ErrorHandler { problemDetails(contentTypes: ["application/problem+json"]) }

    /// A handler for problem details in JSON with another content type.
    ///
    /// - Parameter contentTypes: The media types to decode, such as `application/json`.
    public static func problemDetails(contentTypes: [String]) -> ErrorHandler {
        .content("problem details", contentTypes: contentTypes) { ProblemDetails(try .decoding($0)) }
    }
}
