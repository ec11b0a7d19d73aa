public import HTTPChainCore

/// The treatment of a request body that can be read only once: a digest in the head would have to be known before the
/// body is sent.
public enum OneShotDigestPolicy: Sendable, Hashable, CustomStringConvertible {
    /// A ``ContentDigestError``.
    case refused
    /// Sent without a digest.
    case skipped
    /// Read into memory, and what goes beyond 1 MiB into a temporary file; at most so many bytes.
    case buffered(upTo: ByteCount)

    /// The policy, in a word or two.
    public var description: String {
        switch self {
        case .refused: "refused"
        case .skipped: "sent without"
        case .buffered(let limit): "buffered up to \(limit)"
        }
    }
}

/// The digests that one request carries, in place of those that ``ContentDigestMiddleware`` adds to all.
public enum RequestDigests: RequestOption {
    /// Those that the stage adds.
    public static var defaultValue: [DigestField]? { nil }
}

/// Whether the response to one request must be what its digest says, in place of what ``ContentDigestMiddleware`` says
/// for all.
public enum ResponseDigestPolicy: RequestOption {
    /// No policy of the call's own: that of the stage.
    public static var defaultValue: DigestPolicy? { nil }
}

extension Request {
    /// The request with these digests of its content, and no others; with none when none are given.
    ///
    /// ```swift
    /// try await chain.send(.put("https://old.example.com/a.bin", body: .file(url)).digests(.contentMD5))
    /// ```
    public consuming func digests(_ fields: DigestField...) -> Request {
        options[RequestDigests.self] = fields
        return self
    }

    /// The request with its response verified in this way.
    public consuming func verifyingDigest(_ policy: DigestPolicy) -> Request {
        options[ResponseDigestPolicy.self] = policy
        return self
    }
}
