public import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The responses to the requests of a batch.
public struct ODataBatchResponses: Sendable {
    private let responses: [ODataBatch.ID: Response]

    /// Decodes the responses.
    ///
    /// - Parameters:
    ///   - data: The body of the response to the batch.
    ///   - batch: The batch; responses to other requests are ignored.
    /// - Throws: ``ODataBatchError`` if the data isn't the response to a batch, or has two responses to a request.
    package init(_ data: Data, to batch: ODataBatch) throws(ODataBatchError) {
        guard let document = try? JSONDecoder().decode(JSONValue.self, received: data),
            let items = document["responses"]?.array
        else { throw ODataBatchError(.notABatch) }
        var responses: [ODataBatch.ID: Response] = [:]
        let known = Set(batch.parts.map(\.id))
        for item in items {
            Steps.take()
            guard let text = item["id"]?.string, let status = item["status"]?.integer, (100...999).contains(status)
            else { throw ODataBatchError(.notABatch) }
            let id = ODataBatch.ID(text: text)
            guard known.contains(id) else { continue }
            guard responses[id] == nil else { throw ODataBatchError(.answeredTwice(id)) }
            guard let response = try? Self.response(Int(status), item) else { throw ODataBatchError(.notABatch) }
            responses[id] = response
        }
        self.responses = responses
    }

    /// Returns the response to a request.
    ///
    /// - Throws: ``ODataBatchError`` if there is none, because the service ended the batch at an earlier failure.
    public subscript(_ id: ODataBatch.ID) -> Response {
        get throws(ODataBatchError) {
            guard let response = responses[id] else { throw ODataBatchError(.notAnswered(id)) }
            return response
        }
    }

    /// Decodes the response to a request.
    ///
    /// - Parameters:
    ///   - id: The request's identifier.
    ///   - type: The type of the value.
    ///   - decoder: The decoder; by default one that reads dates as RFC 3339.
    /// - Throws: ``ODataBatchError`` if there is no response, or its status is outside 200 to 299; `DecodingError` if
    ///   the body isn't such a value.
    public func value<Value: Decodable>(
        of id: ODataBatch.ID,
        as type: Value.Type,
        decoder: JSONDecoder? = nil
    ) throws -> Value {
        let response = try self[id]
        let bytes = response.body.bytes ?? Data()
        guard (200...299).contains(response.status.code) else {
            let error = (try? JSONDecoder().decode(JSONValue.self, received: bytes))?["error"]
            let words = [error?["code"]?.string, error?["message"]?.string].compactMap { $0 }
            throw ODataBatchError(
                .failed(
                    id,
                    status: response.status.code,
                    message: Redaction.standard.text(words.joined(separator: ": "), upTo: Redaction.longestShown)
                        .printable()
                )
            )
        }
        if let decoder { return try decoder.decode(type, received: bytes) }
        let standard = JSONDecoder()
        ODataBatchContent.dates.apply(to: standard)
        return try standard.decode(type, received: bytes)
    }

    private static func response(_ status: Int, _ item: JSONValue) throws(TooManyFieldsError) -> Response {
        var headers = HTTPFields()
        for (name, value) in item["headers"]?.object ?? [:] {
            Steps.take()
            guard let name = HTTPField.Name(name), let value = value.string else { continue }
            Steps.take(value.utf8.count)
            try headers.append(received: HTTPField(name: name, value: value))
        }
        var body = HTTPBody.empty
        if let content = item["body"], content != .null {
            let type = headers[.contentType] ?? "application/json"
            if let text = content.string, !ODataBatchContent.isJSON(type) {
                Steps.take(text.utf8.count)
                let isText = ODataBatchContent.isText(type)
                let bytes =
                    isText ? ODataBatchContent.data(of: text, type: type) : ODataBatchContent.data(base64URL: text)
                if isText, bytes == nil {
                    // Sends UTF-8 if the charset isn't supported or lacks characters of the text.
                    headers[.contentType] = (MediaType(type)?.essence ?? "text/plain") + "; charset=utf-8"
                }
                body = HTTPBody(bytes ?? Data(text.utf8))
            } else if let bytes = try? JSONEncoder().encode(content) {
                Steps.take(bytes.count)
                body = HTTPBody(bytes)
                if headers[.contentType] == nil { headers[.contentType] = "application/json" }
            }
        }
        return Response(HTTPResponse.Status(code: status), headers: headers, body: body)
    }
}

/// An error for a batch that can't be sent, an invalid response to it, or a missing or failed response to one of its
/// requests.
public struct ODataBatchError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// A request has options that a part of a batch can't have; nothing was sent.
        ///
        /// The options are listed as a caller writes them.
        case unsupportedOptions(ODataBatch.ID, [String])
        /// The response has no valid list of responses.
        case notABatch
        /// The service refused the whole batch, or has only accepted it for later (202).
        case refused(status: Int)
        /// A request has two responses.
        case answeredTwice(ODataBatch.ID)
        /// A request has no response.
        case notAnswered(ODataBatch.ID)
        /// A request failed, with the service's code and message, redacted.
        case failed(ODataBatch.ID, status: Int, message: String)
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    package var failedStage: String { "OData" }
    package var explanation: Explanation {
        switch problem {
        case .unsupportedOptions(let id, let options):
            Explanation(
                "request \(id.text) of the batch has \(options.joined(separator: ", ")), which would have no effect in a "
                    + "batch",
                "set its header fields and body directly, and other options on the request that carries the batch"
            )
        case .notABatch:
            Explanation(
                "the response is not a batch response in JSON",
                "check whether the service supports batches in JSON (OData 4.01)"
            )
        case .refused(let status):
            Explanation(
                "the service responded to the batch with status \(status)",
                "validate the status in the chain, for example with StatusValidationMiddleware"
            )
        case .answeredTwice(let id): Explanation("request \(id.text) of the batch has two responses")
        case .notAnswered(let id):
            Explanation(
                "request \(id.text) of the batch has no response",
                "check the request that failed before it, or send the batch with continuesOnError"
            )
        case .failed(let id, let status, let message):
            Explanation(
                "request \(id.text) of the batch failed with status \(status)" + (message.isEmpty ? "" : ": \(message)")
            )
        }
    }
}

extension Transport {
    /// Sends the requests of a batch in one exchange.
    ///
    /// - Parameters:
    ///   - batch: The requests; if there are none, nothing is sent.
    ///   - url: The URL for batches: `$batch` at the root of the service, absolute or relative to the chain's base.
    ///   - continuesOnError: Whether the service continues after a failed request; `false` by default.
    ///   - limit: The maximum size of the response; 16 MiB by default.
    /// - Throws: ``ODataBatchError`` if a request has an option that a part of a batch can't have, or the response isn't
    ///   the response to a batch; the errors of the chain.
    public func send(
        _ batch: ODataBatch,
        to url: String = "$batch",
        continuesOnError: Bool = false,
        upTo limit: ByteCount = .mebibytes(16)
    ) async throws -> ODataBatchResponses {
        guard batch.count > 0 else { return try ODataBatchResponses(Data(#"{"responses":[]}"#.utf8), to: batch) }
        let response = try await send(try await batch.request(to: url, continuesOnError: continuesOnError))
        guard response.status.kind == .successful, response.status != .accepted else {
            throw ODataBatchError(.refused(status: response.status.code))
        }
        return try ODataBatchResponses(try await response.body.collect(upTo: limit), to: batch)
    }
}
