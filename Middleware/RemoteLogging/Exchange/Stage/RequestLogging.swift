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
    /// Always `false`: it only affects logs.
    package static var affectsResponse: Bool { false }
}

/// The logging settings of a single call.
package struct CallLogging: Sendable, Hashable {
    /// Whether the call is logged; `nil` if no setting says so, which means that it is.
    package var isOn: Bool?
    /// The detail at every level; `nil` for the stage's own.
    package var detail: ExchangeDetail?
    /// The component that logs; `nil` for the stage's own.
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
    /// Repeated calls add to the earlier settings.
    ///
    /// - Parameters:
    ///   - isOn: Whether the call is logged; `true` by default.
    ///   - detail: The detail for every level; the stage's by default. If a stage's formatter shows less, such as
    ///     ``LogFormatter/short``, the record of this call also has the attributes of ``LogFormatter/semantic``.
    ///   - component: The component, whose level then applies; the stage's by default.
    ///   - attributes: Further attributes; secrets, recognized by name or in text, are redacted.
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

/// Whether a request carries log records, so that logging stages let it pass unlogged.
///
/// See also ``HTTPChainCore/Request/isLogTraffic``.
package enum LogTrafficNote: RequestOption, RequestNote {
    /// `false`: logged like any other request.
    package static var defaultValue: Bool { false }
}

extension Request {
    /// Whether the request carries log records.
    ///
    /// Logging such a request would create further records endlessly.
    public var isLogTraffic: Bool {
        get { options[LogTrafficNote.self] }
        set { options[LogTrafficNote.self] = newValue }
    }
}
