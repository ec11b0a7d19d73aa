import Foundation
public import HTTPChainAuth
public import HTTPChainCore
import HTTPTypes

/// Signs a user in on another device: the device authorization grant, RFC 8628, for programs without a browser.
///
/// ```swift
/// let signIn = try DeviceSignIn(metadata, client: OAuthClient(id: "garden"), scope: ["plants"])
/// let token = try await signIn.token(over: transport) { code in
///     print("Open \(code.verificationURI) and enter \(code.userCode)")
/// }
/// ```
///
/// The token endpoint is polled at the server's interval. The interval grows by five seconds with each `slow_down`, and
/// doubles after a temporary failure: a network failure, a timeout, or a status of 408, 425, 429 or 500 to 599 (RFC
/// 8628 §3.5). `Retry-After` (RFC 9110 §10.2.3) is honored. Polling ends when the code expires or the task is
/// cancelled.
public struct DeviceSignIn: Sendable {
    private let endpoint: OAuthEndpoint
    private let tokens: TokenEndpoint
    private let scope: [String]

    /// Describes a sign-in with known endpoints.
    ///
    /// - Parameters:
    ///   - url: The device authorization endpoint; https, or a loopback address.
    ///   - tokens: The token endpoint, whose client fetches the token.
    ///   - scope: The requested scope. Defaults to the server's choice.
    public init(authorizingAt url: String, tokensAt tokens: TokenEndpoint, scope: [String] = []) {
        endpoint = OAuthEndpoint(url, client: tokens.client)
        self.tokens = tokens
        self.scope = scope
    }

    /// Describes a sign-in with a server's published endpoints.
    ///
    /// - Parameters:
    ///   - metadata: The server's metadata.
    ///   - client: The client that requests the token.
    ///   - scope: The requested scope. Defaults to the server's choice.
    /// - Throws: ``SignInError`` if the metadata lacks an endpoint.
    public init(
        _ metadata: AuthorizationServerMetadata,
        client: OAuthClient,
        scope: [String] = []
    ) throws(SignInError) {
        self.init(
            authorizingAt: try metadata.endpoint(\.deviceAuthorizationEndpoint, "device_authorization_endpoint"),
            tokensAt: try metadata.tokenEndpoint(client: client),
            scope: scope
        )
    }

    /// Requests a code, shows it to the user, and waits until the user has signed in with it elsewhere.
    ///
    /// - Parameters:
    ///   - transport: The transport for the requests.
    ///   - environment: The clock and random numbers. Defaults to the system's.
    ///   - show: A closure that shows the code to the user. Its errors end the sign-in.
    /// - Throws: ``SignInError`` if the user declines or the code expires; `OAuthError`; rethrows errors of `show`, and
    ///   of the transport except network failures and timeouts while polling; `CancellationError`.
    public func token(
        over transport: any Transport,
        environment: ChainEnvironment = .live,
        showing show: @Sendable (DeviceCode) async throws -> Void
    ) async throws -> AccessToken {
        let context = RefreshContext(over: transport, environment: environment)
        let code = try await code(in: context)
        try await show(code)
        return try await token(for: code, in: context)
    }

    /// Requests a code, RFC 8628 §3.1.
    ///
    /// - Throws: `OAuthError`; rethrows the transport's errors.
    package func code(in context: RefreshContext) async throws -> DeviceCode {
        let parameters = scope.isEmpty ? [:] : ["scope": scope.joined(separator: " ")]
        let date = context.environment.time.date
        let reply = try await endpoint.post(parameters, in: context)
        guard reply.isSuccess else { throw reply.failure() }
        guard let code = DeviceCode(reply.content, now: date) else {
            throw OAuthError(.malformedReply("it has no device code"), exchange: reply.exchange)
        }
        return code
    }

    /// Waits until the user has signed in, RFC 8628 §3.4 and §3.5.
    ///
    /// - Throws: The same as ``token(over:environment:showing:)``.
    package func token(for code: DeviceCode, in context: RefreshContext) async throws -> AccessToken {
        let time = context.environment.time
        var polling = DevicePolling(interval: code.interval)
        var asked = Duration.zero
        while true {
            let rest = Duration.seconds(max(0, code.expiration.timeIntervalSince(time.date)))
            let wait = max(polling.interval, asked)
            guard wait < rest else { throw SignInError(.expired) }
            try await time.sleep(for: wait)
            do {
                return try await tokens.token(
                    grantType: "urn:ietf:params:oauth:grant-type:device_code",
                    parameters: ["device_code": code.deviceCode.revealed],
                    in: context
                )
            } catch {
                if Task.isCancelled || error is CancellationError { throw CancellationError() }
                if let failure = polling.failure(after: error) { throw failure }
                let fields = (error as? OAuthError)?.exchange?.response?.headerFields
                asked = fields.flatMap { RetryAfter.wait(in: $0, now: time.date) } ?? .zero
            }
        }
    }
}

/// The polling interval of the token endpoint, RFC 8628 §3.5.
package struct DevicePolling: Sendable {
    /// The statuses of temporary failures.
    private static let temporary: StatusSet = [408, 425, 429, .codes(500...599)]

    package private(set) var interval: Duration

    /// Returns the error that ends the sign-in, or `nil` to poll again after ``interval``.
    package mutating func failure(after error: any Error) -> (any Error)? {
        switch error {
        case let error as OAuthError:
            switch error.problem {
            case .refused("authorization_pending", _): return nil
            case .refused("slow_down", _):
                interval += .seconds(5)
                return nil
            case .refused("expired_token", _):
                return SignInError(.expired, exchange: error.exchange, underlyingError: error)
            case .refused("access_denied", let detail):
                return SignInError(.refused("access_denied", detail: detail), exchange: error.exchange)
            case _ where Self.isTemporary(error):
                back()
                return nil
            default: return error
            }
        case is TransportError, is any TimeoutFailure:
            back()
            return nil
        default: return error
        }
    }

    /// Whether the status is that of a temporary failure, even if the body has an OAuth error.
    private static func isTemporary(_ error: OAuthError) -> Bool {
        switch error.problem {
        case .unexpectedStatus(let status): temporary.contains(status)
        case .refused: error.exchange?.response.map { temporary.contains($0.status) } ?? false
        default: false
        }
    }

    private mutating func back() {
        interval = Backoff(base: interval, cap: .seconds(300), jitter: .none).longestWait(beforeRetry: 2)
    }
}

extension DeviceSignIn: RedactedDisplay, DescribedValue {
    /// The endpoints' URLs, with secrets redacted.
    package var words: String {
        "device sign-in at \(Redaction.standard.url(endpoint.url)), with tokens from \(tokens)"
    }
}
