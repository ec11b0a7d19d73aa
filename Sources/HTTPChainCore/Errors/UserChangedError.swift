/// An error thrown if a call can't continue because the application has signed another user in, or the call's user out.
///
/// A call belongs to one user from its beginning: its retries, redirect hops, reconnections and further pages are sent
/// as that user or not at all. Refreshing a token or session of the same user doesn't end a call.
public struct UserChangedError: AnnotatedError, ExplainedError {
    /// The stage that sends requests in the user's name.
    package let failedStage: String
    /// The request that wasn't sent, redacted.
    ///
    /// If it would have been sent because of an earlier response, includes that response.
    package let failedExchange: ExchangeSnapshot?
    /// The notes that stages added.
    package var notes = ErrorNotes()
    private let credential: String

    /// Makes the error of a stage.
    ///
    /// - Parameters:
    ///   - credential: The kind of credential that the application replaced or removed, such as "token".
    ///   - stage: The name of the stage.
    ///   - exchange: The request that isn't sent, and the response that led to it, if any.
    package init(_ credential: String, of stage: String, exchange: ExchangeSnapshot) {
        self.credential = credential
        failedStage = stage
        failedExchange = exchange
    }

    package var explanation: Explanation {
        Explanation(
            "the \(credential) was replaced or removed during the call, which is not continued as another user",
            "make the call again if the user who is signed in now wants it"
        )
    }
}
