public import HTTPChainCore

/// Why a 401 or 407 was left unanswered and is the caller's response.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum AuthenticationRefusal: Sendable, Hashable, CustomStringConvertible {
    /// There is no credential for the protection space.
    case noCredential(ProtectionSpace)
    /// The credential was rejected, and there is no other one.
    case rejected(ProtectionSpace)
    /// As many challenges were answered in this call as may be.
    case tooManyAnswers(Int)
    /// The body can be read only once, and was sent already.
    case bodyReadableOnce
    /// None of the schemes offered is one that the stage has.
    case noCommonScheme(offered: [String])
    /// Credentials of a stronger scheme (first) were rejected, or the origin has accepted some before; a weaker one
    /// (second) would give the password away.
    case wouldWeaken(from: String, to: String)
    /// The challenge makes no sense or asks for what the authenticator does not know.
    case unsupportedChallenge(scheme: String, why: String)
    /// The challenge came from another origin than the one the request was for: a redirect was followed on the way.
    case otherOrigin(Origin)
    /// Credentials of this scheme are not sent to the origin without TLS.
    case plaintext(scheme: String, Origin)
    /// A stage further out has a stronger scheme that was offered.
    case leftToOuterStage
    /// A new token or session might help, but they were refreshed as often as the limit allows.
    case tooManyRefreshes(RefreshLimit)

    /// The reason, in a sentence, with no secrets.
    public var description: String {
        switch self {
        case .noCredential(let space): "there is no credential for \(space)"
        case .rejected(let space): "the credential for \(space) was rejected, and there is no other one"
        case .tooManyAnswers(let count): "\(count) answers in one call were rejected"
        case .bodyReadableOnce:
            "the request's body can be read only once; send one that can be read again, or credentials preemptively"
        case .noCommonScheme(let offered):
            offered.isEmpty
                ? "the response names no scheme"
                : "none of the schemes offered is known: \(offered.joined(separator: ", "))"
        case .wouldWeaken(let from, let to):
            "\(from) credentials were rejected or are known to be accepted there, and \(to) would be weaker"
        case .unsupportedChallenge(let scheme, let why): "the \(scheme) challenge cannot be answered: \(why)"
        case .otherOrigin(let origin): "the challenge came from another origin, \(origin)"
        case .plaintext(let scheme, let origin):
            "\(scheme) credentials are not sent to \(origin) without TLS; use https, or set allowsPlaintext where the "
                + "network is your own"
        case .leftToOuterStage: "a stage further out has a stronger scheme that was offered"
        case .tooManyRefreshes(let limit): "tokens or sessions were refreshed too often already (the limit is \(limit))"
        }
    }
}

/// Why authentication left a response as it is; ``HTTPChainCore/Response/authenticationRefusal`` is the short way to
/// it.
public enum AuthenticationRefusalOption: ResponseOption {
    /// There was nothing to answer.
    public static var defaultValue: AuthenticationRefusal? { nil }
}

extension Response {
    /// Why this 401 or 407 was not answered; `nil` when no authentication stage looked at it.
    public var authenticationRefusal: AuthenticationRefusal? {
        get { options[AuthenticationRefusalOption.self] }
        set { options[AuthenticationRefusalOption.self] = newValue }
    }
}
