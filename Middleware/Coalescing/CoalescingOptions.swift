public import HTTPChainCore

/// Whether a call may share the transfer of an identical one; ``HTTPChainCore/Request/coalesced(_:)`` sets it.
package enum CoalescingOption: RequestOption {
    /// The call may share a transfer.
    package static var defaultValue: Bool { true }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".coalesced(_:)", reader: "CoalescingMiddleware()", phase: .coalesce)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        !value
    }
}

/// Whether a response came from another call's transfer.
package enum CoalescedResponse: ResponseOption {
    /// The call began its own transfer.
    package static var defaultValue: Bool { false }
}

extension Request {
    /// Returns the request with or without permission to share a transfer with identical ones.
    ///
    /// ```swift
    /// let fresh = Request.get("https://api.example.com/plants").coalesced(false)
    /// ```
    ///
    /// - Parameter isCoalesced: Whether it may share a transfer. With `false`, it can neither join a transfer nor be
    ///   joined.
    public consuming func coalesced(_ isCoalesced: Bool = true) -> Request {
        options[CoalescingOption.self] = isCoalesced
        return self
    }
}

extension Response {
    /// Whether the response came from a transfer that another call began.
    public var isCoalesced: Bool { options[CoalescedResponse.self] }
}
