public import Foundation
public import HTTPTypes

/// The type that the caller wants the response decoded to, for the serializer stage.
public enum ExpectedType: RequestOption {
    /// The caller takes the response as it is.
    public static var defaultValue: (any (Decodable & Sendable).Type)? { nil }
}

/// The value that a serializer stage decoded the response to.
public enum DecodedValue: ResponseOption {
    /// Nothing was decoded.
    public static var defaultValue: (any Sendable)? { nil }
}

extension Transport {
    /// Sends a request and decodes the response.
    ///
    /// A serializer stage in the chain decodes; without one, the body is taken for JSON.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - type: The type to decode to.
    /// - Throws: What the stages and the transport throw, and ``DecodingFailure`` when the body is not such a value.
    public func send<Value: Decodable & Sendable>(
        _ request: consuming Request,
        as type: Value.Type
    ) async throws -> Value {
        request.options[ExpectedType.self] = type
        let response = try await send(request)
        if let value = response.options[DecodedValue.self] as? Value { return value }
        return try await response.decode(type)
    }
}

extension Response {
    /// The body decoded from JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode to.
    ///   - decoder: A decoder with the settings wanted.
    ///   - limit: How large the body may be; 16 MiB by default.
    /// - Throws: ``DecodingFailure`` when the body is not such a value; ``BodyError`` when it is too large or was read
    ///   before; what reading throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        decoder: JSONDecoder = JSONDecoder(),
        upTo limit: ByteCount = .mebibytes(16)
    ) async throws -> Value {
        let bytes = try await body.collect(upTo: limit)
        do {
            return try decoder.decode(type, from: bytes)
        } catch {
            throw DecodingFailure(type, from: bytes, head: head, cause: error)
        }
    }
}

extension Request {
    /// A POST request with a value encoded as JSON at once; `Content-Type` is set unless given.
    ///
    /// - Throws: `EncodingError` when the value cannot be encoded.
    public static func post(
        _ url: String,
        headers: HTTPFields = [:],
        json value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> Request {
        var request = Request.post(url, headers: headers, body: Body(try encoder.encode(value)))
        if request.head.headerFields[.contentType] == nil {
            request.head.headerFields[.contentType] = "application/json"
        }
        return request
    }
}

/// A response body is not a value of the type wanted.
public struct DecodingFailure: HTTPChainError {
    /// The type wanted.
    public let expectedType: String
    /// Where in the value it went wrong, such as `items[3].price`; empty for the whole of it.
    public let codingPath: String
    /// What the decoder says.
    public let detail: String
    /// Status of the response.
    public let status: HTTPResponse.Status
    /// The `Content-Type` of the response, if it has one.
    public let contentType: String?
    /// The first bytes of the body.
    public let preview: BodyPreview
    /// The decoder's error.
    public let underlyingError: (any Error)?

    /// Makes the error from what a decoder threw.
    ///
    /// - Parameters:
    ///   - type: The type wanted.
    ///   - bytes: The body; its first 256 bytes are kept.
    ///   - head: The head of the response.
    ///   - cause: The decoder's error.
    public init(_ type: Any.Type, from bytes: Data, head: HTTPResponse, cause: any Error) {
        expectedType = String(describing: type)
        preview = BodyPreview(Data(bytes.prefix(256)), isTruncated: bytes.count > 256)
        status = head.status
        contentType = head.headerFields[.contentType]
        underlyingError = cause
        let context: DecodingError.Context?
        var missingKey: (any CodingKey)?
        switch cause as? DecodingError {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found): context = found
        case .keyNotFound(let key, let found):
            context = found
            missingKey = key
        default: context = nil
        }
        codingPath = Self.path((context?.codingPath ?? []) + (missingKey.map { [$0] } ?? []))
        detail = missingKey != nil ? "there is no such key" : context?.debugDescription ?? "\(cause)"
    }

    /// Always "decoding".
    public var stage: String { "decoding" }

    /// Type, place, and what was there instead.
    public var reason: String {
        let place = codingPath.isEmpty ? "" : " at \(codingPath)"
        let kind = contentType.map { ", \($0)" } ?? ""
        return
            "the body is not a \(expectedType)\(place): \(detail) (status \(status.code)\(kind)); it begins: \(preview)"
    }

    /// Stage and reason; the decoder's own error says no more than ``detail``.
    public var description: String { "\(stage): \(reason)" }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}
