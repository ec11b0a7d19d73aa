import HTTPChainSupport

/// Signs in with the browser of this machine, which comes back to a server on a loopback address, RFC 8252 §7.3.
///
/// ```swift
/// let token = try await signIn.token(by: LoopbackAgent { url in print("Open \(url)") }, over: transport)
/// ```
///
/// The server listens on 127.0.0.1, at a port that the system chooses: register the redirect URI
/// `http://127.0.0.1/callback` at the authorization server, which has to accept any port (RFC 8252 §7.3). It answers
/// only what has its own address in the `Host` field, and only the path of the redirect URI; it ends with the sign-in.
/// A callback with another `state`, which any page can have the browser send, gets a 400 and ends nothing, unless there
/// are a thousand of them.
/// A thread of its own serves it, so that nothing else is current up. The browser may take as long as the user does: end
/// the wait by cancelling the task.
public struct LoopbackAgent: AuthorizationAgent {
    private let path: String
    private let port: UInt16
    private let page: String
    private let open: @Sendable (_ url: String) async throws -> Void

    /// The page that the browser shows in the end, unless it is told otherwise.
    public static let standardPage = """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>Signed in</title>\
        <p>You can close this window and go back to the program.</p></html>
        """

    /// Makes the agent.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect URI; `/callback` by default.
    ///   - port: The port to listen at; by default one that the system chooses.
    ///   - page: What the browser shows in the end, as HTML.
    ///   - open: Opens the URL in a browser, or shows it to the user. What it throws ends the sign-in.
    public init(
        path: String = "/callback",
        port: UInt16 = 0,
        page: String = LoopbackAgent.standardPage,
        opening open: @escaping @Sendable (_ url: String) async throws -> Void
    ) {
        self.path = path.begins(with: "/") ? path : "/" + path
        self.port = port
        self.page = page
        self.open = open
    }

    /// Listens, opens the browser, and waits until it comes back.
    ///
    /// - Throws: ``SignInError`` when nothing can listen, and after a thousand callbacks with another state; what opening
    ///   the browser throws; `CancellationError` when the task is cancelled.
    public func authorize(
        _ begin: @Sendable (_ redirectURI: String) throws -> AuthorizationRequest
    ) async throws -> (request: AuthorizationRequest, callback: String) {
        let server = try LoopbackRedirectServer(port: port, path: path, page: page)
        defer { server.close() }
        let origin = "http://127.0.0.1:\(server.port)"
        let request = try begin(origin + path)
        // Served already while the browser is opened: whoever opens it may wait for the page.
        async let target = server.target { request.hasState(in: origin + $0) }
        try await open(request.url)
        return (request, origin + (try await target))
    }
}
