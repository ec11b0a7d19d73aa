public import HTTPChainCore

/// Whether one request is signed; see ``HTTPChainCore/Request/unsigned()``.
public enum SigningChoice: RequestOption {
    /// A choice of one request.
    public enum Value: Sendable, Hashable {
        /// As the stage is set.
        case automatic
        /// Not at all: neither is the request signed nor the response verified.
        case none
    }

    /// As the stage is set.
    public static var defaultValue: Value { .automatic }
}

/// The identifier of a webhook; see ``HTTPChainCore/Request/webhookID(_:)``.
public enum WebhookIdentifier: RequestOption {
    /// No identifier.
    public static var defaultValue: String? { nil }
}

extension Request {
    /// The request, to be passed on by ``SigningMiddleware`` as it is: not signed, and its response not verified.
    public consuming func unsigned() -> Request {
        options[SigningChoice.self] = .none
        return self
    }

    /// The request with the identifier of the webhook that it delivers, the same whenever it is sent again.
    public consuming func webhookID(_ id: String) -> Request {
        options[WebhookIdentifier.self] = id
        return self
    }
}
