public import HTTPChainCore

extension Phase {
    /// Signing: inner stages see the request as it is sent, and must not change the signed parts.
    ///
    /// The phase is inside waits for a rate limit or permit, during which a signature would age. It is also inside all
    /// stages that add credentials, digests and encodings, because the signature covers them.
    public static let sign = Phase(
        "sign",
        between: .attempt,
        and: .wire,
        because: "a signature covers the attempt as it is sent, and any later change invalidates it"
    )
}
