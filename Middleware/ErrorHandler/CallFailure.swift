public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A failed call, for an ``ErrorHandler``.
public struct CallFailure: Sendable {
    /// The original error, which contains ``response`` unless that is `nil`.
    public let error: any Error
    /// The response in the error, with its complete body, or `nil` if there is none.
    public let response: Response?
    /// The response's content, or `nil` if there is no response, or if the content exceeds the stage's limit or is
    /// incomplete.
    public let content: ErrorContent?

    /// The response's status, or `nil` if the call failed without a response.
    public var status: HTTPResponse.Status? { response?.status }

    /// The response's content as text; `nil` without ``content``, and if it isn't UTF-8.
    public var text: String? { content.flatMap { String(validUTF8: $0.bytes) } }

    /// Unavailable: decode a type with ``decode(_:decoder:)``.
    @available(*, unavailable, message: "use decode(_:) with a type that is Decodable, or text")
    public var json: Any? { nil }

    /// Decodes the response's content from JSON, whatever its media type.
    ///
    /// ```swift
    /// struct ShopError: Error, Decodable { var code: String }
    ///
    /// let stage = ErrorHandlerMiddleware(.throwing { failure in failure.decode(ShopError.self) })
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder; a new one by default.
    /// - Returns: The value; nil without ``content``, and if it isn't JSON of that type.
    public func decode<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) -> Value? {
        content.flatMap { try? decoder.decode(type, received: $0.bytes) }
    }

    /// Makes a failure, for example to test a handler.
    public init(_ error: any Error, response: Response? = nil, content: ErrorContent? = nil) {
        self.error = error
        self.response = response
        self.content = content
    }
}

/// The content of an error response, in memory.
public struct ErrorContent: Sendable {
    /// The bytes.
    public let bytes: Data
    private let type: MediaType?

    /// Makes content as received.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The value of the `Content-Type` field.
    public init(_ bytes: Data, contentType: String?) {
        self.bytes = bytes
        type = MediaType(contentType)
    }

    /// The type and subtype in lower case, such as `application/problem+json`, or `nil` if the response has none.
    package var mediaType: String? { type?.essence }

    /// Whether the media type matches one of the patterns, such as `text/html` or `application/*+json`; `false` without
    /// a media type.
    package func isOfType(_ patterns: [String]) -> Bool {
        guard let type else { return false }
        return patterns.contains { type.matches($0) }
    }
}
