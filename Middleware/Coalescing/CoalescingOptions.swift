public import HTTPChainCore

/// Whether a call may share the transfer of an identical one; ``HTTPChainCore/Request/coalesced(_:)`` sets it.
public enum CoalescingOption: RequestOption {
    /// It may.
    public static var defaultValue: Bool { true }
}

/// Whether a response came with the transfer of another call.
public enum CoalescedResponse: ResponseOption {
    /// It has a transfer of its own.
    public static var defaultValue: Bool { false }
}

extension Request {
    /// The request that may share a transfer with identical ones, or not.
    ///
    /// ```swift
    /// let fresh = Request.get("https://api.example.com/plants").coalesced(false)
    /// ```
    ///
    /// - Parameter isCoalesced: Whether it may; with `false` it neither joins another call nor can be joined.
    public consuming func coalesced(_ isCoalesced: Bool = true) -> Request {
        options[CoalescingOption.self] = isCoalesced
        return self
    }
}

extension Response {
    /// Whether the response came with a transfer that another call had begun.
    public var isCoalesced: Bool { options[CoalescedResponse.self] }
}
