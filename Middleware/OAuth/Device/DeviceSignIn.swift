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
/// The token endpoint is asked as often as the server allows, five seconds slower each time that it says `slow_down`;
/// after a response that did not come, or one with a status of a temporary failure (408, 425, 429, 500 to 599), twice as
/// slowly (RFC 8628 §3.5), and no earlier than `Retry-After` says (RFC 9110 §10.2.3). It ends with the code's life, or
/// with the task.
public struct DeviceSignIn: Sendable {
    private let endpoint: OAuthEndpoint
    private let tokens: TokenEndpoint
    private let scope: [String]

    /// Describes a sign-in at a server whose endpoints are known.
    ///
    /// - Parameters:
    ///   - url: The device authorization endpoint; https, or a loopback address.
    ///   - tokens: Where the token is fetched; its client is who asks.
    ///   - scope: What the token is to be good for; what the server thinks fit by default.
    public init(authorizingAt url: String, tokensAt tokens: TokenEndpoint, scope: [String] = []) {
        endpoint = OAuthEndpoint(url, client: tokens.client)
        self.tokens = tokens
        self.scope = scope
    }

    /// Describes a sign-in at a server that says where its endpoints are.
    ///
    /// - Parameters:
    ///   - metadata: What the server says.
    ///   - client: Who asks.
    ///   - scope: What the token is to be good for; what the server thinks fit by default.
    /// - Throws: ``SignInError`` when the server names no such endpoint.
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

    /// Asks for a code, shows it to the user, and waits until the user has signed in with it elsewhere.
    ///
    /// - Parameters:
    ///   - transport: What carries the requests.
    ///   - environment: Time and chance; the system's by default.
    ///   - show: Shows the code to the user; what it throws ends the sign-in.
    /// - Throws: ``SignInError`` when the user says no, or lets the code expire; `OAuthError`; what sending the first
    ///   request throws; `CancellationError`.
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

    /// Asks for a code, RFC 8628 §3.1.
    ///
    /// - Throws: `OAuthError`; what sending throws.
    public func code(in context: RefreshContext) async throws -> DeviceCode {
        let parameters = scope.isEmpty ? [:] : ["scope": scope.joined(separator: " ")]
        let date = context.environment.time.date
        let reply = try await endpoint.post(parameters, in: context)
        guard (200..<300).contains(reply.status) else { throw reply.failure() }
        guard let code = DeviceCode(reply.content, now: date) else {
            throw OAuthError(.malformedReply("it has no device code"), exchange: reply.exchange)
        }
        return code
    }

    /// Waits until the user has signed in, RFC 8628 §3.4 and §3.5.
    ///
    /// - Throws: As ``token(over:environment:showing:)`` does.
    public func token(for code: DeviceCode, in context: RefreshContext) async throws -> AccessToken {
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

/// How often the token endpoint is asked, RFC 8628 §3.5.
struct DevicePolling: Sendable {
    /// The statuses of failures that pass.
    private static let temporary: StatusSet = [408, 425, 429, .codes(500...599)]

    private(set) var interval: Duration

    init(interval: Duration) {
        self.interval = interval
    }

    /// Returns the error that ends the sign-in; `nil` to ask again after ``interval``.
    mutating func failure(after error: any Error) -> (any Error)? {
        switch error {
        case let error as OAuthError:
            switch error.problem {
            case .refused(.authorizationPending, _): return nil
            case .refused(.slowDown, _):
                interval += .seconds(5)
                return nil
            case .refused(.expiredToken, _):
                return SignInError(.expired, exchange: error.exchange, underlyingError: error)
            case .refused(.accessDenied, let detail):
                return SignInError(.refused(.accessDenied, detail: detail), exchange: error.exchange)
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

    /// Whether the status is that of a failure that passes, whatever error of OAuth is in the body.
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
