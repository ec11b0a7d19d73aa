public import HTTPChainCore

/// The logging settings of a single call; see also ``HTTPChainCore/Request/logging(_:detail:component:attributes:)``.
package enum LoggingOption: RequestOption {
    /// The stages' own settings.
    package static var defaultValue: CallLogging { CallLogging() }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".logging(_:)", reader: "RemoteLoggingMiddleware(…)", phase: .call)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.isOff || value == CallLogging(isOn: value.isOn)
    }
    /// Always `false`: the option only affects logs.
    package static var affectsResponse: Bool { false }
}

/// The logging settings of a single call.
package struct CallLogging: Sendable, Hashable {
    /// Whether the call is logged.
    ///
    /// `nil` has the same effect as `true`.
    package var isOn: Bool?
    /// The detail at every level, or `nil` for the stage's own setting.
    package var detail: ExchangeDetail?
    /// The component that logs, or `nil` for the stage's own setting.
    package var component: String?
    /// Attributes added to each record.
    package var attributes: LogAttributes = [:]

    var isOff: Bool { isOn == false }

    mutating func merge(_ other: CallLogging) {
        if let isOn = other.isOn { self.isOn = isOn }
        if let detail = other.detail { self.detail = detail }
        if let component = other.component { self.component = component }
        for attribute in other.attributes.list { attributes[attribute.name] = attribute.value }
    }
}

extension Request {
    /// Returns the request with its own logging settings.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("orders/42").logging(detail: .bodies, attributes: ["order": 42]))
    /// let quiet = Request.get("health").logging(false)
    /// ```
    ///
    /// If the method is called again, its settings are added to the earlier ones.
    ///
    /// - Parameters:
    ///   - isOn: Whether the call is logged; `true` by default.
    ///   - detail: The detail at every level; the stage's by default. If a stage's formatter shows less, as
    ///     ``LogFormatter/short`` does, the record of this call also has the attributes of ``LogFormatter/semantic``.
    ///   - component: The component that logs, which also determines the level; the stage's by default.
    ///   - attributes: Additional attributes. Secrets in them are recognized by name or in text, and redacted.
    public consuming func logging(
        _ isOn: Bool? = nil,
        detail: ExchangeDetail? = nil,
        component: String? = nil,
        attributes: LogAttributes = [:]
    ) -> Request {
        let settings = CallLogging(isOn: isOn, detail: detail, component: component, attributes: attributes)
        options[LoggingOption.self].merge(settings)
        return self
    }
}

/// Passes the call ID to inner stages, so that the call's attempts share it.
enum LogCallNote: RequestNote {
    static var defaultValue: UInt64? { nil }
    static var affectsResponse: Bool { false }
}

/// Whether a request sends log records, so that logging stages don't log it.
///
/// See also ``HTTPChainCore/Request/isLogTraffic``.
package enum LogTrafficNote: RequestOption, RequestNote {
    /// `false`: the request is logged like any other.
    package static var defaultValue: Bool { false }
}

extension Request {
    /// Whether the request sends log records.
    ///
    /// Logging such a request would create more records, endlessly.
    public var isLogTraffic: Bool {
        get { options[LogTrafficNote.self] }
        set { options[LogTrafficNote.self] = newValue }
    }
}
