/// A type that shows the authorization page to the user, and sees where the browser comes back to.
///
/// ``LoopbackAgent`` is one for command-line tools and desktop programs; on Apple platforms `WebAuthenticationAgent` is
/// one for apps. A test's own may ask the authorization server itself.
public protocol AuthorizationAgent: Sendable {
    /// Has the user authorize, once.
    ///
    /// - Parameter begin: Makes the request, for the redirect URI that the agent waits at. The agent opens its URL.
    /// - Returns: The request, and the URL that the browser came back with, whole.
    /// - Throws: What keeps it from that, such as ``SignInError``; `CancellationError` when the task is cancelled.
    func authorize(
        _ begin: @Sendable (_ redirectURI: String) throws -> AuthorizationRequest
    ) async throws -> (request: AuthorizationRequest, callback: String)
}
