public import HTTPChainCore

/// The logging settings of a single call; see also ``HTTPChainCore/Request/logging(_:)``.
package enum RequestLogging: RequestOption {
    /// The stages' own settings.
    package static var defaultValue: CallLogging { CallLogging() }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".logging(_:)", reader: "RemoteLoggingMiddleware(…)", phase: .call)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.isOff || value == CallLogging()
    }
    /// Always `false`: it only affects logs.
    package static var affectsResponse: Bool { false }
}

/// The logging settings of a single call.
public struct CallLogging: Sendable, Hashable {
    /// Whether the call is not logged at all.
    package var isOff = false
    /// The detail at every level; `nil` for the stage's own.
    package var detail: ExchangeDetail?
    /// The component that logs; `nil` for the stage's own.
    package var component: String?
    /// Attributes added to each record.
    package var attributes: LogAttributes = [:]

    /// Makes settings that change nothing.
    package init() {}

    /// Disables logging.
    public static let off = make { $0.isOff = true }

    /// Sets the detail for every level.
    ///
    /// If a stage's formatter shows less, such as ``LogFormatter/short``, the record of this call also has the
    /// attributes of ``LogFormatter/semantic``.
    public static func detail(_ detail: ExchangeDetail) -> CallLogging { make { $0.detail = detail } }

    /// Sets the component, whose level then applies.
    public static func component(_ component: String) -> CallLogging { make { $0.component = component } }

    /// Adds attributes; secrets, recognized by name or in text, are redacted.
    public static func attributes(_ attributes: LogAttributes) -> CallLogging { make { $0.attributes = attributes } }

    private static func make(_ change: (inout CallLogging) -> Void) -> CallLogging {
        var logging = CallLogging()
        change(&logging)
        return logging
    }

    mutating func merge(_ other: CallLogging) {
        if other.isOff { isOff = true }
        if let detail = other.detail { self.detail = detail }
        if let component = other.component { self.component = component }
        for attribute in other.attributes { attributes[attribute.name] = attribute.value }
    }
}

extension Request {
    /// Returns the request with its own logging settings.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("orders/42").logging(.detail(.bodies), .attributes(["order": 42])))
    /// ```
    ///
    /// Repeated calls add to the earlier settings.
    public consuming func logging(_ settings: CallLogging...) -> Request {
        var logging = options[RequestLogging.self]
        for setting in settings { logging.merge(setting) }
        options[RequestLogging.self] = logging
        return self
    }
}

/// Passes the call ID to inner stages, so that the call's attempts share it.
enum LogCallID: RequestNote {
    static var defaultValue: UInt64? { nil }
    static var affectsResponse: Bool { false }
}

/// Whether a request carries log records, so that logging stages let it pass unlogged.
///
/// See also ``HTTPChainCore/Request/isLogTraffic``.
package enum LogTraffic: RequestOption, RequestNote {
    /// `false`: logged like any other request.
    package static var defaultValue: Bool { false }
}

extension Request {
    /// Whether the request carries log records.
    ///
    /// Logging such a request would create further records endlessly.
    public var isLogTraffic: Bool {
        get { options[LogTraffic.self] }
        set { options[LogTraffic.self] = newValue }
    }
}
