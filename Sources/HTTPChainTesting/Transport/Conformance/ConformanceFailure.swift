public import HTTPChainCore

/// An error for a transport that violates a requirement for all transports.
public struct ConformanceFailure: HTTPChainError {
    /// The violated requirement.
    public let check: TransportConformance.Check
    /// The expected behaviour.
    public let expected: String
    /// The observed behaviour.
    public let seen: String
    /// The error that the transport threw unexpectedly, if any.
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

    /// The violated requirement with the expected and the observed behaviour.
    public var reason: String {
        "this does not hold: \"\(check)\"\n  expected: \(expected)\n  seen:     \(seen)"
    }
}
