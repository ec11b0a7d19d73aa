public import HTTPChainCore

/// The logging settings of one call; ``HTTPChainCore/Request/logging(_:)`` is the short way to it.
public enum RequestLogging: RequestOption {
    /// As the stages are set.
    public static var defaultValue: CallLogging { CallLogging() }
}

/// The logging settings of one call.
public struct CallLogging: Sendable, Hashable {
    /// Whether the call is not logged at all.
    public var isOff = false
    /// The detail, whatever the level; `nil` for what the stage is set to.
    public var detail: ExchangeDetail?
    /// The component that logs; `nil` for the stage's own.
    public var component: String?
    /// The attributes that are added to each record.
    public var attributes: LogAttributes = [:]

    /// Nothing different from other calls.
    public init() {}

    /// Not logged at all.
    public static let off = make { $0.isOff = true }

    /// So much, whatever the level.
    public static func detail(_ detail: ExchangeDetail) -> CallLogging { make { $0.detail = detail } }

    /// As another component, whose level counts then.
    public static func component(_ component: String) -> CallLogging { make { $0.component = component } }

    /// With more attributes; what is a secret by its name, or holds one, is redacted.
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
    /// The request, logged in another way than others.
    ///
    /// ```swift
    /// let response = try await chain.send(.get("orders/42").logging(.detail(.bodies), .attributes(["order": 42])))
    /// ```
    ///
    /// Each call of it adds to what was said before.
    public consuming func logging(_ settings: CallLogging...) -> Request {
        var logging = options[RequestLogging.self]
        for setting in settings { logging.merge(setting) }
        options[RequestLogging.self] = logging
        return self
    }
}

/// Names the call to the stages further in, so that its attempts are told to belong to it.
enum LogCallID: RequestOption {
    static var defaultValue: UInt64? { nil }
}

/// Whether a request carries log records, so that logging stages let it pass unlogged.
///
/// ``HTTPChainCore/Request/isLogTraffic`` is the short way to it.
public enum LogTraffic: RequestOption {
    /// It is a request like any other.
    public static var defaultValue: Bool { false }
}

extension Request {
    /// Whether the request carries log records: logging such a request would make more of them without end.
    public var isLogTraffic: Bool {
        get { options[LogTraffic.self] }
        set { options[LogTraffic.self] = newValue }
    }
}
