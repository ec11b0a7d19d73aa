public import HTTPChainCore

/// Whether a request is signed; see ``HTTPChainCore/Request/unsigned()``.
package enum SigningChoice: RequestOption {
    /// As configured in the stage.
    package static var defaultValue: CallSetting<Never> { .standard }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".unsigned()", reader: "SigningMiddleware(…)", phase: .sign)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        true
    }
}

/// The identifier of a webhook; see ``HTTPChainCore/Request/webhookID(_:)``.
package enum WebhookIdentifier: RequestOption {
    /// No identifier.
    package static var defaultValue: String? { nil }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".webhookID(_:)", reader: "SigningMiddleware(.webhook(keys: …), for: …)", phase: .sign)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value == nil
    }
}

extension Request {
    /// Returns the request, which ``SigningMiddleware`` neither signs nor verifies the response of.
    public consuming func unsigned() -> Request {
        options[SigningChoice.self] = .off
        return self
    }

    /// Returns the request with the identifier of its webhook, which is the same in all retries.
    public consuming func webhookID(_ id: String) -> Request {
        options[WebhookIdentifier.self] = id
        return self
    }
}
