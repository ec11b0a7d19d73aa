import HTTPChainCore

extension AuthenticationError {
    /// Converts the error of a session that could not be opened.
    init(ofSession error: any Error, exchange: ExchangeSnapshot?) {
        let (problem, cause): (Problem, (any Error)?) =
            switch error {
            case RefreshError.tooMany(let limit): (.tooManyAuthentications(limit), nil)
            case RefreshError.ended: (.sessionEnded, nil)
            default: (.authenticationFailed, error)
            }
        self.init(problem, stage: "SessionAuthMiddleware", exchange: exchange, underlyingError: cause)
    }
}
