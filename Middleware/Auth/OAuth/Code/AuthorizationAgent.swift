/// Shows the authorization page to the user, and receives the browser's callback.
///
/// Use ``LoopbackAgent`` for command-line tools and desktop programs, and `WebAuthenticationAgent` for apps on Apple
/// platforms. An agent for tests can send the requests to the authorization server itself.
public protocol AuthorizationAgent: Sendable {
    /// Asks the user to authorize a request.
    ///
    /// - Parameter begin: Creates the request for the agent's redirect URI. The agent opens the request's URL.
    /// - Returns: The request, and the complete URL of the browser's callback.
    /// - Throws: Any error, such as ``SignInError``; `CancellationError` if the task is cancelled.
    func authorize(
        _ begin: @Sendable (_ redirectURI: String) throws -> AuthorizationRequest
    ) async throws -> (request: AuthorizationRequest, callback: String)
}
