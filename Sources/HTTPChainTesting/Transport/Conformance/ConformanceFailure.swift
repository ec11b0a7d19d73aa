import HTTPChainCore

/// An error for a transport that violates a requirement for all transports.
package struct ConformanceFailure: HTTPChainError {
    /// The violated requirement.
    package let check: TransportConformance.Check
    /// The expected behaviour.
    package let expected: String
    /// The observed behaviour.
    package let seen: String
    /// The error that the transport threw unexpectedly, if any.
    package var underlyingError: (any Error)?

    package var stage: String { "conformance" }

    /// The violated requirement with the expected and the observed behaviour.
    package var reason: String {
        "this does not hold: \"\(check)\"\n  expected: \(expected)\n  seen:     \(seen)"
    }
}
