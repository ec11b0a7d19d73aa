public import HTTPChainCore

/// Whether servers must also prove that they have the password, with `rspauth` of RFC 7616 §3.5.
public enum ServerProofPolicy: String, Sendable, Hashable, CaseIterable {
    /// A proof must be valid if present; most servers send none.
    case whenPresent = "when present"
    /// Every response to an authenticated request must have a valid proof.
    case required
    /// Proofs aren't verified, for servers that compute them incorrectly.
    case ignored
}

/// Whether a server proved that it has the password; see also ``HTTPChainCore/Response/serverProof``.
public enum ServerProof: String, Sendable, Hashable {
    /// The server sent no proof, or it wasn't verified.
    case none
    /// The proof is valid.
    case verified
    /// The proof covers the content. Reading the body to its end verifies the proof, or throws.
    case verifiedWhileRead
    /// The proof can't be verified, because it covers the encoded content and the transport has decoded it.
    case notVerifiable
}

/// The proof of a response; see ``HTTPChainCore/Response/serverProof``.
package enum ServerProofFact: ResponseOption {
    package static var defaultValue: ServerProof { .none }
}

extension Response {
    /// Whether the server proved with this response that it has the password.
    public var serverProof: ServerProof { options[ServerProofFact.self] }
}

extension ServerProofPolicy: CustomStringConvertible, DescribedValue {}
