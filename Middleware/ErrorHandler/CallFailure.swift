public import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A call that failed, as an ``ErrorHandler`` sees it.
public struct CallFailure: Sendable {
    /// The error as it came; it carries ``response`` where that is not `nil`.
    public let error: any Error
    /// The response that the error was made of, its body whole; `nil` when the call failed without one.
    public let response: Response?
    /// The response's content; `nil` without a response, and when the content is larger than the stage's limit or did
    /// not arrive whole.
    public let content: ErrorContent?

    /// The response's status; `nil` when the call failed without a response.
    public var status: HTTPResponse.Status? { response?.status }

    /// Makes a failure, as to test a handler by itself.
    public init(_ error: any Error, response: Response? = nil, content: ErrorContent? = nil) {
        self.error = error
        self.response = response
        self.content = content
    }
}

/// The content of a response that is an error, in memory.
public struct ErrorContent: Sendable {
    /// The bytes.
    public let bytes: Data
    private let type: MediaType?

    /// Takes content as it came.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: The value of the `Content-Type` field.
    public init(_ bytes: Data, contentType: String?) {
        self.bytes = bytes
        type = MediaType(contentType)
    }

    /// Type and subtype in lower case, such as `application/problem+json`; `nil` when the response does not say.
    public var mediaType: String? { type?.essence }

    /// Whether the media type falls under one of some patterns, such as `text/html` or `application/*+json`; content
    /// without a type falls under none.
    public func isOfType(_ patterns: [String]) -> Bool {
        guard let type else { return false }
        return patterns.contains { type.matches($0) }
    }
}
