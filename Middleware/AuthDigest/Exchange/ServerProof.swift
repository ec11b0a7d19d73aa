public import HTTPChainCore

/// Whether servers have to prove that they know the password, too: with `rspauth` of RFC 7616 §3.5.
public enum ServerProofPolicy: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A proof that comes must be right; most servers send none.
    case whenPresent = "when present"
    /// Every response to an authenticated request must have a proof, and it must be right.
    case required
    /// Proofs are not looked at: for servers that compute them wrongly.
    case ignored

    /// The policy, in a word or two.
    public var description: String { rawValue }
}

/// Whether a server proved that it knows the password; ``HTTPChainCore/Response/serverProof`` is the short way to it.
public enum ServerProof: ResponseOption {
    /// A state of the proof.
    public enum Status: String, Sendable, Hashable {
        /// The server sent none, or nobody looked at it.
        case none
        /// The proof is right.
        case verified
        /// The proof covers the content: reading it to its end verifies it, or throws.
        case verifiedWhileRead
        /// The proof covers the content as it was before the transport decoded it.
        case notVerifiable
    }

    /// There is none.
    public static var defaultValue: Status { .none }
}

extension Response {
    /// Whether the server proved with this response that it knows the password.
    public var serverProof: ServerProof.Status { options[ServerProof.self] }
}
