public import HTTPChainCore

/// Whether a request is signed; see ``HTTPChainCore/Request/signing(_:)``.
package enum SigningOption: RequestOption {
    /// The stage's own setting.
    package static var defaultValue: CallSetting<Never> { .standard }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".signing(false)", reader: "SigningMiddleware(…)", phase: .sign)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        true
    }
}

/// The identifier of a webhook; see ``HTTPChainCore/Request/signing(webhookID:)``.
package enum WebhookIDOption: RequestOption {
    /// No identifier.
    package static var defaultValue: String? { nil }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".signing(webhookID:)", reader: "SigningMiddleware(.webhook(keys: …), for: …)", phase: .sign)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value == nil
    }
}

extension Request {
    /// Returns the request with signing by ``SigningMiddleware`` enabled or disabled.
    ///
    /// - Parameter isOn: Whether the request is signed and its response verified. `true` uses the stage's setting.
    public consuming func signing(_ isOn: Bool) -> Request {
        options[SigningOption.self] = isOn ? .standard : .off
        return self
    }

    /// Returns the request with an identifier for its webhook, which stays the same in all retries.
    public consuming func signing(webhookID id: String) -> Request {
        options[WebhookIDOption.self] = id
        return self
    }
}
