public import HTTPChainCore

extension Phase {
    /// Signing: inner stages see the request as it is sent, and don't change what was signed.
    ///
    /// Inside waits for a rate limit or permit, during which a signature would age, and inside all stages that add
    /// credentials, digests and encodings, which it covers.
    public static let sign = Phase(
        "sign",
        between: .attempt,
        and: .wire,
        because: "a signature is of the attempt as it is sent, and what changes it afterwards makes it wrong"
    )
}
