public import HTTPChainCore

extension Phase {
    /// Signing: what stands inside sees the request as it is sent, and does not change what was signed.
    ///
    /// Inside the waits for a rate limit or a permit, during which a signature would age, and inside all that adds
    /// credentials, digests and encodings, which it covers.
    public static let sign = Phase(
        "sign",
        between: .attempt,
        and: .wire,
        because: "a signature is of the attempt as it is sent, and what changes it afterwards makes it wrong"
    )
}
