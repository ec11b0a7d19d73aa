import HTTPChainCore
public import HTTPTypes

/// A message for signing or verifying: a request, or a response with its request.
public struct SignedMessage: Sendable {
    /// The request that is the message, or the request of the response.
    let request: HTTPRequest?
    /// The response, if the message is one.
    let response: HTTPResponse?
    /// The content's size in bytes.
    ///
    /// It is used if `Content-Length` isn't in the fields yet.
    let contentLength: Int64?

    /// Makes a message from a request, as received by a server or about to be sent by a client.
    ///
    /// - Parameters:
    ///   - request: The head, with an absolute target.
    ///   - contentLength: The content's length, if `Content-Length` isn't in the fields. By default, it is unknown.
    public init(_ request: HTTPRequest, contentLength: Int64? = nil) {
        self.request = request
        response = nil
        self.contentLength = contentLength
    }

    /// Makes a message from a response and the request that was sent.
    ///
    /// The request may be `nil` if none of its components (`req`) are needed.
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

extension SignedMessage: DescribedValue, RedactedDisplay {
    /// The exchange, with secrets redacted.
    package var words: String {
        if let request { return "\(ExchangeSnapshot(request, response: response))" }
        return response?.status.label ?? ""
    }
}

/// The type of a structured field (RFC 9651 §3), which is needed to serialize the field strictly.
public enum StructuredFieldType: Sendable, Hashable {
    /// An item.
    case item
    /// A list.
    case list
    /// A dictionary.
    case dictionary
}

extension StructuredFieldType {
    /// The common structured fields in IANA's registry of field names.
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
