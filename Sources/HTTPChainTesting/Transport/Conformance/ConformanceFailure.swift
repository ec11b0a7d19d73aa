public import HTTPChainCore

/// A transport does not do what every transport must.
public struct ConformanceFailure: HTTPChainError {
    /// The sentence that does not hold.
    public let check: TransportConformance.Check
    /// The behaviour that was expected.
    public let expected: String
    /// The behaviour that was seen instead.
    public let seen: String
    /// The error that the transport threw, where it should not have.
    public let underlyingError: (any Error)?

    init(
        _ check: TransportConformance.Check,
        expected: String,
        seen: String,
        underlyingError: (any Error)? = nil
    ) {
        self.check = check
        self.expected = expected
        self.seen = seen
        self.underlyingError = underlyingError
    }

    /// Always "conformance".
    public var stage: String { "conformance" }

    /// The sentence that does not hold, what was expected and what was seen.
    public var reason: String {
        "this does not hold: \"\(check)\"\n  expected: \(expected)\n  seen:     \(seen)"
    }
}
