import HTTPChainCore
public import HTTPTypes

/// A message that a signature is of: a request, or a response with the request that it answers.
public struct SignedMessage: Sendable {
    /// The request: the message itself, or what the response answers.
    let request: HTTPRequest?
    /// The response, where the message is one.
    let response: HTTPResponse?
    /// The number of bytes of the content, for a `Content-Length` that is not among the fields yet.
    let contentLength: Int64?

    /// A request as a server received it, or a client is about to send it.
    ///
    /// - Parameters:
    ///   - request: The head, with an absolute target.
    ///   - contentLength: The length of the content, where `Content-Length` is not among the fields; unknown by
    ///     default.
    public init(_ request: HTTPRequest, contentLength: Int64? = nil) {
        self.request = request
        response = nil
        self.contentLength = contentLength
    }

    /// A response, with the request that it answers as that was sent; `nil` where components of it (`req`) do not
    /// matter.
    public init(_ response: HTTPResponse, answering request: HTTPRequest?) {
        self.request = request
        self.response = response
        contentLength = nil
    }

    /// The fields of the message itself.
    var fields: HTTPFields { response?.headerFields ?? request?.headerFields ?? [:] }

    /// Whether the message is a response.
    var isResponse: Bool { response != nil }
}

/// The type of a structured field (RFC 9651 §3), without which it cannot be serialized strictly.
public enum StructuredFieldType: Sendable, Hashable {
    /// One item.
    case item
    /// A list.
    case list
    /// A dictionary.
    case dictionary
}

extension StructuredFieldType {
    /// The structured fields in IANA's registry of field names that are common.
    static let registered: [String: StructuredFieldType] = [
        "accept-ch": .list, "accept-query": .list, "accept-signature": .dictionary, "available-dictionary": .item,
        "cache-status": .list, "cdn-cache-control": .dictionary, "client-cert": .item, "client-cert-chain": .list,
        "content-digest": .dictionary, "cross-origin-embedder-policy": .item, "cross-origin-opener-policy": .item,
        "deprecation": .item, "dictionary-id": .item, "idempotency-key": .item, "link-template": .list,
        "no-vary-search": .dictionary, "origin-agent-cluster": .item, "permissions-policy": .dictionary,
        "priority": .dictionary, "proxy-status": .list, "ratelimit": .list, "ratelimit-policy": .list,
        "repr-digest": .dictionary, "reporting-endpoints": .dictionary, "signature": .dictionary,
        "signature-input": .dictionary, "upload-complete": .item, "upload-limit": .dictionary, "upload-offset": .item,
        "want-content-digest": .dictionary, "want-repr-digest": .dictionary,
    ]
}
