public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A failed call, for an ``ErrorHandler``.
public struct CallFailure: Sendable {
    /// The original error.
    ///
    /// If it contains a response, that is also ``response``.
    public let error: any Error
    /// The response in the error, with its complete body, or `nil` if there is none.
    public let response: Response?
    /// The response's content, or `nil` if there is no response, or if the content exceeds the stage's limit or is
    /// incomplete.
    public let content: Data?
    private let type: MediaType?

    /// The response's status, or `nil` if the call failed without a response.
    public var status: HTTPResponse.Status? { response?.status }

    /// The response's content as text, or `nil` if there is no ``content`` or it isn't UTF-8.
    public var text: String? { content.flatMap { String(validUTF8: $0) } }

    /// Unavailable; use ``decode(_:decoder:)`` to decode a type.
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
    /// - Returns: The value, or `nil` if there is no ``content`` or it isn't JSON of that type.
    public func decode<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) -> Value? {
        content.flatMap { try? decoder.decode(type, received: $0) }
    }

    /// Makes a failure, for example to test a handler.
    ///
    /// The content's media type is that of the response.
    public init(_ error: any Error, response: Response? = nil, content: Data? = nil) {
        self.error = error
        self.response = response
        self.content = content
        type = content == nil ? nil : MediaType(response?.headers[.contentType])
    }

    /// The type and subtype of the content in lower case, such as `application/problem+json`, or `nil` if the response
    /// has none.
    package var mediaType: String? { type?.essence }

    /// Whether the media type matches one of the patterns, such as `text/html` or `application/*+json`; `false` without
    /// a media type.
    package func isOfType(_ patterns: [String]) -> Bool {
        guard let type else { return false }
        return patterns.contains { type.matches($0) }
    }
}
