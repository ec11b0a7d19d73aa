public import HTTPChainCore

/// The reason why a 401 or 407 was left unanswered and returned to the caller.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum AuthenticationRefusal: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// There is no credential for the protection space.
    case noCredential(ProtectionSpace)
    /// The credential was rejected, and there is no other.
    case rejected(ProtectionSpace)
    /// The limit on answered challenges per call was reached.
    case tooManyAnswers(Int)
    /// The body can be read only once, and has already been sent.
    case bodyReadableOnce
    /// The stage supports none of the offered schemes.
    case noCommonScheme(offered: [String])
    /// Credentials of a stronger scheme (first) were rejected, or the origin has accepted that scheme before.
    ///
    /// A weaker one (second) could reveal the password.
    case wouldWeaken(from: String, to: String)
    /// The challenge is invalid, or requires a feature that the authenticator doesn't support.
    case unsupportedChallenge(scheme: String, why: String)
    /// The challenge came from a different origin than the request's, because a redirect was followed.
    case otherOrigin(Origin)
    /// Credentials of this scheme are not sent to the origin without TLS.
    case plaintext(scheme: String, Origin)
    /// An outer stage has a stronger scheme, which the server also offered.
    case leftToOuterStage
    /// A new token or session might help, but the limit on refreshes was reached.
    case tooManyRefreshes(RefreshLimit)
    /// The application replaced or removed the token or session during the call, and the call isn't repeated as another
    /// user.
    case changedUser

    /// The reason, in one sentence, without secrets.
    package var words: String {
        switch self {
        case .noCredential(let space): "there is no credential for \(space)"
        case .rejected(let space): "the credential for \(space) was rejected, and there is no other"
        case .tooManyAnswers(let count): "\(count) answers in one call were rejected"
        case .bodyReadableOnce:
            "the request's body can be read only once; send one that can be read again, or credentials preemptively"
        case .noCommonScheme(let offered):
            offered.isEmpty
                ? "the response names no scheme"
                : "none of the offered schemes is supported: \(offered.joined(separator: ", "))"
        case .wouldWeaken(let from, let to):
            "\(from) credentials were rejected or are known to be accepted there, and \(to) would be weaker"
        case .unsupportedChallenge(let scheme, let why): "the \(scheme) challenge cannot be answered: \(why)"
        case .otherOrigin(let origin): "the challenge came from another origin, \(origin)"
        case .plaintext(let scheme, let origin):
            "\(scheme) credentials are not sent to \(origin) without TLS; use https, or set allowsPlaintext if the "
                + "network is your own"
        case .leftToOuterStage: "a stage further out has a stronger scheme that was offered"
        case .tooManyRefreshes(let limit):
            "tokens or sessions were refreshed too often already (the limit is \(limit))"
        case .changedUser:
            "the token or session was replaced or removed during the call, which is not repeated as another user; make "
                + "the call again if the user who is signed in now wants it"
        }
    }
}

/// The reason why authentication left a response unanswered; see also ``HTTPChainCore/Response/authenticationRefusal``.
package enum AuthenticationRefusalFact: ResponseOption {
    /// No refusal.
    package static var defaultValue: AuthenticationRefusal? { nil }
}

extension Response {
    /// The reason why this 401 or 407 wasn't answered, or `nil` if no authentication stage handled it.
    public var authenticationRefusal: AuthenticationRefusal? {
        get { options[AuthenticationRefusalFact.self] }
        set { options[AuthenticationRefusalFact.self] = newValue }
    }
}
