public import HTTPChainCore

/// Whether a call may share the transfer of an identical one; set by ``HTTPChainCore/Request/coalescing(_:)``.
package enum CoalescingOption: RequestOption {
    /// The call may share a transfer.
    package static var defaultValue: Bool { true }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".coalescing(_:)", reader: "CoalescingMiddleware()", phase: .coalesce)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        !value
    }
}

/// Whether a response came from another call's transfer.
package enum CoalescingFact: ResponseOption {
    /// The call began the transfer itself.
    package static var defaultValue: Bool { false }
}

extension Request {
    /// Returns the request with or without permission to share the transfer of identical requests.
    ///
    /// ```swift
    /// let fresh = Request.get("https://api.example.com/plants").coalescing(false)
    /// ```
    ///
    /// - Parameter isOn: Whether it may share a transfer. With `false`, it can neither join a transfer nor be
    ///   joined.
    public consuming func coalescing(_ isOn: Bool = true) -> Request {
        options[CoalescingOption.self] = isOn
        return self
    }
}

extension Response {
    /// Whether the response came from a transfer that another call began.
    public var isCoalesced: Bool { options[CoalescingFact.self] }
}
