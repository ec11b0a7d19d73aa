import HTTPChainSupport

/// Signs in with this machine's browser, which is then redirected to a server on a loopback address, RFC 8252 §7.3.
///
/// ```swift
/// let token = try await signIn.token(by: LoopbackAgent { url in print("Open \(url)") }, over: transport)
/// ```
///
/// The server listens on 127.0.0.1, at a port chosen by the system. Register the redirect URI
/// `http://127.0.0.1/callback` with the authorization server, which must accept any port (RFC 8252 §7.3). The server
/// accepts only its own address or `localhost` in the `Host` field, and only the redirect URI's path. It closes after
/// the sign-in. A callback with another `state`, which any web page can make the browser send, gets a 400 and doesn't
/// end the sign-in, unless there are a thousand of them. The server runs on a separate thread, so that it doesn't block
/// others. There is no time limit for the user. To stop waiting, cancel the task.
public struct LoopbackAgent: AuthorizationAgent {
    private let path: String
    private let port: UInt16
    private let page: String
    private let open: @Sendable (_ url: String) async throws -> Void

    package static let standardPage = """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>Signed in</title>\
        <p>You can close this window and go back to the program.</p></html>
        """

    /// Makes the agent.
    ///
    /// - Parameters:
    ///   - path: The path of the redirect URI. Defaults to `/callback`.
    ///   - port: The port to listen on. Defaults to one chosen by the system.
    ///   - page: The HTML page shown in the browser at the end. Defaults to a page in English.
    ///   - open: A closure that opens the URL in a browser, or shows it to the user. Its errors end the sign-in.
    public init(
        path: String = "/callback",
        port: UInt16 = 0,
        page: String? = nil,
        opening open: @escaping @Sendable (_ url: String) async throws -> Void
    ) {
        self.path = path.begins(with: "/") ? path : "/" + path
        self.port = port
        self.page = page ?? Self.standardPage
        self.open = open
    }

    /// Listens, opens the browser, and waits for its callback.
    ///
    /// - Throws: ``SignInError`` if listening fails, or after a thousand callbacks with another state; rethrows errors
    ///   of opening the browser; `CancellationError` if the task is cancelled.
    public func authorize(
        _ begin: @Sendable (_ redirectURI: String) throws -> AuthorizationRequest
    ) async throws -> (request: AuthorizationRequest, callback: String) {
        let server = try LoopbackRedirectServer(port: port, path: path, page: page)
        defer { server.close() }
        let origin = "http://127.0.0.1:\(server.port)"
        let request = try begin(origin + path)
        // Serves requests while the browser is being opened, because the opener may wait for the page.
        async let target = server.target { request.hasState(in: origin + $0) }
        try await open(request.url)
        return (request, origin + (try await target))
    }
}
