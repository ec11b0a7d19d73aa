import HTTPChainCore

extension AuthenticationError {
    /// Converts the error of a failed refresh of a token.
    init(ofToken error: any Error, exchange: ExchangeSnapshot) {
        let (problem, cause): (Problem, (any Error)?) =
            switch error {
            case RefreshError.tooMany(let limit): (.tooManyRefreshes(limit), nil)
            case RefreshError.ended: (.signedOut, nil)
            case is MalformedTokenError: (.malformedToken, nil)
            case RefreshError.notSaved(let cause): (.tokenNotSaved, cause)
            case let error as OAuthError where error.needsSignIn: (.signInNeeded, error)
            default: (.refreshFailed, error)
            }
        self.init(problem, stage: "BearerAuthMiddleware", exchange: exchange, underlyingError: cause)
    }
}

/// The provider returned a token that can't be sent.
struct MalformedTokenError: Error {}
