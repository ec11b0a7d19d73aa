public import HTTPChainCore

/// The errors of a JSON:API document, JSON:API 1.1, "Error Objects".
public struct JSONAPIErrors: Sendable, Hashable {
    /// An error.
    ///
    /// Members of an unexpected type count as absent.
    public struct Item: Sendable, Hashable {
        /// The identifier of this occurrence.
        public let id: String?
        /// The error's status.
        ///
        /// JSON:API uses a string; a number, or a string such as "422 Unprocessable Content", is accepted too.
        public let status: Int?
        /// The application's code for the type of error.
        public let code: String?
        /// A short summary of the type of error.
        public let title: String?
        /// An explanation of this occurrence.
        public let detail: String?
        /// The part of the request's document that was wrong: a JSON Pointer, RFC 6901.
        public let pointer: String?
        /// The query parameter that was wrong.
        public let parameter: String?
        /// The header field that was wrong.
        public let header: String?
        /// The links to more information: `about` and `type`.
        package let links: [String: String]
        /// Any additional information from the service.
        package let meta: [String: JSONValue]
    }

    /// The errors, at least one.
    public let errors: [Item]
    /// The information about the document itself.
    package let meta: [String: JSONValue]

    init?(_ document: JSONValue) {
        let errors = document["errors"]?.array?.compactMap(Item.init) ?? []
        guard !errors.isEmpty else { return nil }
        self.errors = errors
        meta = document["meta"]?.object ?? [:]
    }
}

extension JSONAPIErrors.Item {
    init?(_ value: JSONValue) {
        guard value.object != nil else { return nil }
        id = value["id"]?.string ?? value["id"]?.integer.map(String.init)
        status = value["status"]?.string.flatMap(Self.status) ?? value["status"]?.integer.flatMap(Int.init(exactly:))
        code = value["code"]?.string ?? value["code"]?.integer.map(String.init)
        title = value["title"]?.string
        detail = value["detail"]?.string
        pointer = value["source"]?["pointer"]?.string
        parameter = value["source"]?["parameter"]?.string
        header = value["source"]?["header"]?.string
        // A link is a string, or an object that contains it.
        links = value["links"]?.object?.compactMapValues { $0.string ?? $0["href"]?.string } ?? [:]
        meta = value["meta"]?.object ?? [:]
    }
}

extension JSONAPIErrors.Item {
    /// Returns the number in "422", or in "422 Unprocessable Content".
    private static func status(_ text: String) -> Int? {
        text.utf8.split(whereSeparator: ASCII.isSpace).first.flatMap { Int(Substring($0)) }
    }
}

extension JSONAPIErrors: CustomStringConvertible, DescribedValue {
    /// The title and detail of each error.
    package var words: String {
        errors.map { error in
            let text = [error.title, error.detail].compactMap(\.self).joined(separator: ": ")
            return text.isEmpty ? error.code ?? "an error without a name" : text
        }.joined(separator: "; ")
    }
}

extension ErrorHandler {
    /// A handler for the errors of JSON:API (`application/vnd.api+json`).
    ///
    /// The call fails with `ServiceError<JSONAPIErrors>`.
    public static var jsonAPI: ErrorHandler {
        .content("JSON:API", contentTypes: ["application/vnd.api+json"]) { JSONAPIErrors(try .decoding($0)) }
    }
}
