public import Foundation
public import HTTPChainCore

/// The description of a failure in the standard format, RFC 9457.
///
/// A member that is not of the type the RFC gives it counts as absent, as §3.1 requires; it is kept among the
/// ``extensions`` as well.
public struct ProblemDetails: Sendable, Hashable {
    /// The kind of problem, a URI reference that is relative to the URL of the response; `about:blank`, which says no
    /// more than the status, when absent (§3.1.1, §4.2.1).
    public var type: String
    /// The status that the origin server gave, which an intermediary may have changed (§3.1.2).
    public var status: Int?
    /// A short summary of the kind of problem (§3.1.3).
    public var title: String?
    /// The explanation of this occurrence (§3.1.4).
    public var detail: String?
    /// The identifier of this occurrence, a URI reference relative to the URL of the response (§3.1.5).
    public var instance: String?
    /// All other members (§3.2).
    public var extensions: [String: JSONValue]

    /// Makes problem details.
    public init(
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

    /// Reads problem details from the members of an object; `nil` when it is none.
    package init?(_ value: JSONValue) {
        guard var members = LenientObject(value) else { return nil }
        type = members.string("type") ?? "about:blank"
        status = members.take("status") { $0.integer.flatMap { (100...599).contains($0) ? Int($0) : nil } }
        title = members.string("title")
        detail = members.string("detail")
        instance = members.string("instance")
        extensions = members.rest
    }

    /// The extension members as a type of your own.
    ///
    /// - Throws: `DecodingError` when they are not such a value.
    public func extensions<Value: Decodable>(
        as type: Value.Type,
        decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: JSONEncoder().encode(JSONValue.object(extensions)))
    }
}

extension ProblemDetails: CustomStringConvertible {
    /// Title, detail and type, as far as there are any.
    public var description: String {
        let text = [title, detail].compactMap(\.self).joined(separator: ": ")
        if type == "about:blank" { return text.isEmpty ? "a problem without a name" : text }
        return text.isEmpty ? type : "\(text) (\(type))"
    }
}

extension ErrorHandler {
    /// A handler for problem details in JSON (`application/problem+json`), RFC 9457.
    ///
    /// The call fails with `ServiceError<ProblemDetails>`. The product `HTTPChainErrorHandlerXML` reads them from XML.
    public static var problemDetails: ErrorHandler { problemDetails(contentTypes: ["application/problem+json"]) }

    /// A handler for problem details in JSON from services that give them another content type.
    ///
    /// - Parameter contentTypes: The media types it is read from, such as `application/json`.
    public static func problemDetails(contentTypes: [String]) -> ErrorHandler {
        .content("problem details", contentTypes: contentTypes) { ProblemDetails(try .decoding($0.bytes)) }
    }
}
