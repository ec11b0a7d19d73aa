import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLBuilder
import HTTPTypes

/// A batch of requests that a service processes in one exchange, OData JSON Format 4.01 §19.
///
/// ```swift
/// var batch = ODataBatch()
/// let ada = batch.add(try ODataQuery<Person>("People").key("ada").request())
/// let new = batch.add(try .post("People", json: draft), group: "changes")
/// let answers = try await chain.send(batch, to: "$batch")
/// let person = try answers.value(of: ada, as: Person.self)
/// ```
///
/// The requests of a group succeed or fail together. A request may depend on others, which are processed first. Stages
/// of the chain see the batch as one POST request.
public struct ODataBatch: Sendable {
    /// The identifier of a request in a batch, and of its response.
    public struct ID: Sendable, Hashable, CustomStringConvertible, DescribedValue {
        /// The identifier as sent to the service.
        package let text: String

        /// The identifier as sent to the service.
        package var words: String { text }
    }

    struct Part: Sendable {
        let id: ID
        var request: Request
        let group: String?
        let needs: [ID]
    }

    var parts: [Part] = []

    /// Creates an empty batch.
    public init() {}

    /// The number of requests.
    package var count: Int { parts.count }

    /// Adds a request.
    ///
    /// - Parameters:
    ///   - request: The request. Its URL is absolute, or relative to the root of the service. Its body is JSON, text,
    ///     or a typed value, which is encoded as JSON with dates as RFC 3339; other bytes are sent in base64url. Its
    ///     only options may be the path variables and query arguments of its URL; a batch with others can't be sent.
    ///   - group: The group; none by default. The requests of a group must be adjacent, and succeed or fail together.
    ///   - needs: The requests to process first. A URL refers to the response of one as `$` and the request's
    ///     identifier.
    /// - Returns: The request's identifier.
    @discardableResult
    public mutating func add(_ request: Request, group: String? = nil, after needs: ID...) -> ID {
        let id = ID(text: String(parts.count + 1))
        parts.append(Part(id: id, request: request, group: group, needs: needs))
        return id
    }

    /// Returns the request that carries the batch.
    ///
    /// - Parameters:
    ///   - url: The URL for batches: `$batch` at the root of the service.
    ///   - continuesOnError: Whether the service continues after a failed request (`Prefer: continue-on-error`);
    ///     `false` by default, like the service's default.
    /// - Throws: ``ODataBatchError`` for a request with an option that a part of a batch can't have; `EncodingError` for a
    ///   value that can't be encoded, and for text that isn't in the charset of its `Content-Type`; `URLBuilderError` for
    ///   a URL that can't be completed; errors from reading a body.
    package func request(to url: String, continuesOnError: Bool = false) async throws -> Request {
        var items: [JSONValue] = []
        for part in parts { items.append(try await part.json()) }
        let body = try JSONEncoder().encode(JSONValue.object(["requests": .array(items)]))
        var request = Request.post(url, body: HTTPBody(body))
        request.headers[.contentType] = "application/json"
        request.headers[.accept] = "application/json"
        request.headers[.odataMaximumVersion] = "4.01"
        if continuesOnError { request.headers[.prefer] = "continue-on-error" }
        return request
    }
}

extension ODataBatch.Part {
    func json() async throws -> JSONValue {
        let unread = request.options.expressions(notReadBy: [URLArgumentsOption.self])
        guard unread.isEmpty else {
            request.options.endUnreadWaits()
            throw ODataBatchError(.unsupportedOptions(id, unread))
        }
        var item: [String: JSONValue] = [
            "id": .string(id.text), "method": .string(request.method.rawValue.lowercased()),
            "url": .string(try await request.completeReference()),
        ]
        var values: [String: [String]] = [:]
        for field in request.headers { values[field.name.rawName.lowercased(), default: []].append(field.value) }
        var headers = values.mapValues { JSONValue.string($0.joined(separator: ", ")) }
        if let group { item["atomicityGroup"] = .string(group) }
        if !needs.isEmpty { item["dependsOn"] = .array(needs.map { .string($0.text) }) }
        if let body = try await body(headers: &headers) { item["body"] = body }
        if !headers.isEmpty { item["headers"] = .object(headers) }
        return .object(item)
    }

    /// §19.1: JSON is embedded, text becomes a string, and anything else a string in base64url.
    private func body(headers: inout [String: JSONValue]) async throws -> JSONValue? {
        if let value = request.body.value {
            if headers["content-type"] == nil { headers["content-type"] = "application/json" }
            let encoder = JSONEncoder()
            ODataBatchContent.dates.apply(to: encoder)
            return try JSONDecoder().decode(JSONValue.self, from: try encoder.encode(value))
        }
        let bytes = try await request.body.collect(upTo: .mebibytes(16))
        guard !bytes.isEmpty else { return nil }
        // Without a type, the content would be JSON (§19.1).
        let type = headers["content-type"]?.string ?? "application/octet-stream"
        headers["content-type"] = .string(type)
        if ODataBatchContent.isJSON(type) { return try JSONDecoder().decode(JSONValue.self, from: bytes) }
        if ODataBatchContent.isText(type) {
            guard let text = ODataBatchContent.text(of: bytes, type: type) else {
                throw EncodingError.invalidValue(
                    bytes,
                    EncodingError.Context(
                        codingPath: [],
                        debugDescription: "the body of request \(id) is not text in the charset of \(type); correct "
                            + "its Content-Type, or send it as application/octet-stream"
                    )
                )
            }
            return .string(text)
        }
        return .string(Base64URL.encode(bytes))
    }
}

/// The encoding of a part's content in the JSON of a batch.
enum ODataBatchContent {
    /// Edm.DateTimeOffset, OData JSON Format 4.01 §7.1.
    static let dates = DateCoding.iso8601

    static func isJSON(_ type: String) -> Bool {
        guard let essence = type.pieces(at: ";").first?.trimming().lowercased() else {
            return false
        }
        return essence == "application/json" || essence.ends(with: "+json")
    }

    static func isText(_ type: String) -> Bool { type.lowercased().begins(with: "text/") }

    /// Decodes text by its byte order mark, otherwise by the type's `charset`, otherwise as UTF-8.
    ///
    /// Returns nil if the bytes are invalid in the charset, or if it isn't supported.
    static func text(of bytes: Data, type: String) -> String? {
        if let text = CharacterEncoding.markedText(of: bytes) { return text }
        return encoding(of: type).flatMap { String(data: bytes, encoding: $0) }
    }

    /// Encodes text in the type's `charset`, by default UTF-8.
    ///
    /// Returns nil if the charset lacks characters of the text, or isn't supported.
    static func data(of text: String, type: String) -> Data? {
        encoding(of: type).flatMap { text.data(using: $0) }
    }

    private static func encoding(of type: String) -> String.Encoding? {
        CharacterEncoding.named(MediaType(type)?.charset ?? "utf-8")
    }

    static func data(base64URL text: String) -> Data? {
        Steps.take(text.utf8.count)
        let standard = Escaping.replacing(in: text) { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 == "=" ? "" : nil }
        return Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }
}

extension HTTPField.Name {
    /// `Prefer`, RFC 7240 §2.
    fileprivate static let prefer = Self(constant: "Prefer")
}
