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

    /// Makes a failure, for testing a handler.
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
    public var mediaType: String? { type?.essence }

    /// Whether the media type matches one of the patterns, such as `text/html` or `application/*+json`; `false` without
    /// a media type.
    public func isOfType(_ patterns: [String]) -> Bool {
        guard let type else { return false }
        return patterns.contains { type.matches($0) }
    }
}
