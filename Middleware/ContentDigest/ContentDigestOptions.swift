public import HTTPChainCore

/// The treatment of a request body that can be read only once; the digest must be known before the body is sent.
public enum OneShotDigestPolicy: Sendable, Hashable {
    /// Throws ``ContentDigestError``.
    case refused
    /// Sends the body without a digest.
    case skipped
    /// Buffers the body up to a limit, in memory up to 1 MiB and otherwise in a temporary file.
    case buffered(upTo: ByteCount)
}

/// The digests of one request, instead of those that ``ContentDigestMiddleware`` adds by default.
package enum DigestOption: RequestOption {
    package typealias Value = CallSetting<[DigestField]>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".digests(_:)", reader: "ContentDigestMiddleware()", phase: .digest)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.needsNoStage || value == .value([])
    }
}

/// Whether the response to one request must match its digest, instead of ``ContentDigestMiddleware``'s policy.
package enum DigestPolicyOption: RequestOption {
    package typealias Value = CallSetting<DigestPolicy>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".digests(response:)", reader: "ContentDigestMiddleware()", phase: .digest)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.needsNoStage || value == .value(.off)
    }
}

extension Request {
    /// Returns the request with only these digests of its content, or none.
    ///
    /// ```swift
    /// try await chain.send(.put("https://old.example.com/a.bin", body: .file(url)).digests(.contentMD5))
    /// ```
    public consuming func digests(_ fields: DigestField...) -> Request {
        options[DigestOption.self] = .value(fields)
        return self
    }

    /// Returns the request with this policy for its response.
    public consuming func digests(response policy: DigestPolicy) -> Request {
        options[DigestPolicyOption.self] = .value(policy)
        return self
    }
}

extension OneShotDigestPolicy: CustomStringConvertible, DescribedValue {
    /// A short name of the policy.
    package var words: String {
        switch self {
        case .refused: "refused"
        case .skipped: "sent without"
        case .buffered(let limit): "buffered up to \(limit)"
        }
    }
}
