public import HTTPChainCore
public import HTTPTypes

// The methods for which storage services sign URLs.
extension Request {
    /// A request to a URL that is a secret, such as a presigned one (``AWSSigner/presignedURL(for:validFor:)``).
    ///
    /// ```swift
    /// let link: Secret = "https://garden.s3.amazonaws.com/photo.jpg?X-Amz-Signature=…"
    /// let upload = Request.put(link, body: .file(photo))
    /// ```
    ///
    /// - Parameters:
    ///   - method: The request method, which the signature covers.
    ///   - url: The URL.
    ///   - headers: The header fields. Those that were signed must have the same values.
    ///   - body: The content.
    public init(_ method: HTTPRequest.Method, _ url: Secret, headers: HTTPFields = [:], body: HTTPBody = .empty) {
        self.init(method, url.revealed, headers: headers, body: body)
    }

    /// A GET request (RFC 9110 §9.3.1) to a URL that is a secret, such as a presigned one.
    public static func get(_ url: Secret, headers: HTTPFields = [:]) -> Request {
        Request(.get, url, headers: headers)
    }

    /// A PUT request (RFC 9110 §9.3.4) to a URL that is a secret, such as a presigned one.
    public static func put(_ url: Secret, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.put, url, headers: headers, body: body)
    }
}
