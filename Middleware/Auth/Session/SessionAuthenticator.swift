public import Foundation
public import HTTPChainCore
import HTTPTypes

/// Opens custom sessions with a server, and decorates the requests sent in them.
///
/// A session is a value: a token and a user id from a login call, a signing key, or an empty value if the server keeps
/// the session in a cookie. ``SessionAuthMiddleware`` stores it, and opens another one when it has ended, once for all
/// waiting calls. Only ``authenticate(replacing:in:)`` is required.
///
/// ```swift
/// struct GardenLogin: SessionAuthenticator {
///     struct Session: Sendable, Decodable {
///         let userID: Int
///         let token: String
///         let expires: Date
///     }
///     let user: String
///     let password: Secret
///     let login: Chain
///
///     func authenticate(replacing old: Session?, in context: RefreshContext) async throws -> Session {
///         try await login.send(
///             .post("https://garden.example/login", json: ["user": user, "password": password.revealed]),
///             as: Session.self
///         )
///     }
///
///     func isSessionOpen(_ session: Session, at date: Date) -> Bool { date < session.expires }
///
///     func decorate(_ request: inout Request, with session: Session) {
///         request.head.headerFields[.sessionToken] = session.token
///     }
///
///     func check(_ response: inout Response, in session: Session) async throws -> SessionStatus {
///         if response.status == .unauthorized { return .closed }
///         let (start, body) = try await response.body.peek(upTo: .kibibytes(1))
///         response.body = body
///         return start.description.contains("SESSION_EXPIRED") ? .closed : .open
///     }
/// }
/// ```
///
/// Methods are called concurrently from many tasks, except that sessions are opened and closed one at a time.
public protocol SessionAuthenticator: Sendable {
    /// The type of a session. Use ``/HTTPChainCore/Secret`` for its secrets.
    associatedtype Session: Sendable

    /// Opens a session.
    ///
    /// The task is cancelled when no call waits for it anymore. Its requests never wait for the session that it opens.
    /// Send them with the context or over any chain, even the one that contains the stage.
    ///
    /// - Parameters:
    ///   - old: The session that has ended, or `nil` if there was none.
    ///   - context: The clock, random numbers, and a transport.
    /// - Throws: Any error; all waiting calls fail with it as the cause.
    func authenticate(replacing old: Session?, in context: RefreshContext) async throws -> Session

    /// Whether a session is open as far as the client knows. Called before each request. Defaults to `true`.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - date: The current date.
    func isSessionOpen(_ session: Session, at date: Date) -> Bool

    /// Decorates a request for the session. Does nothing by default.
    ///
    /// Header fields set here are bound to the request's origin, so that redirects don't send them elsewhere.
    ///
    /// - Throws: Any error; it ends the call.
    func decorate(_ request: inout Request, with session: Session) async throws

    /// Returns whether the session is still open according to a response. By default, a 401 closes it.
    ///
    /// To detect an error in the body of a response with status 200, peek at the beginning of the body
    /// (``/HTTPChainCore/HTTPBody/peek(upTo:)``).
    ///
    /// - Parameters:
    ///   - response: The response. After peeking at its body, replace it with the body that `peek` returned.
    ///   - session: The session that the request was decorated with.
    /// - Throws: Any error; it ends the call.
    func check(_ response: inout Response, in session: Session) async throws -> SessionStatus

    /// Returns a session that answers a response's challenges without a new authentication. Returns `nil` by default.
    ///
    /// Called if a response closes the session and has challenges (RFC 9110 §11.6.1), for example with a nonce for the
    /// next requests. The returned session replaces the current one, and the request is retried.
    ///
    /// - Parameters:
    ///   - challenges: The challenges.
    ///   - session: The session in use.
    ///   - context: The clock, random numbers, and a transport.
    /// - Returns: The session to continue with, or `nil` to authenticate again.
    /// - Throws: The same errors as ``authenticate(replacing:in:)``.
    func answer(_ challenges: [Challenge], in session: Session, context: RefreshContext) async throws -> Session?

    /// Ends a session: notifies the server and removes stored data. Does nothing by default.
    ///
    /// Called for each session that has ended, before the next is opened, and for a session that was opened while the
    /// application ended the previous one.
    ///
    /// - Parameters:
    ///   - session: The session. The server may no longer have it.
    ///   - context: The clock, random numbers, and a transport.
    /// - Throws: Any error, and `CancellationError` if the task is cancelled. In any case, the client doesn't use the
    ///   session again. ``SessionAuthMiddleware/endSession(in:)`` rethrows the error.
    func invalidate(_ session: Session, in context: RefreshContext) async throws

    /// The authenticator's name and settings, for ``/HTTPChainCore/Chain/explain()``, without secrets. Defaults to the
    /// type's name.
    var summary: String { get }
}

/// Whether a session is open, according to a response.
public enum SessionStatus: Sendable, Hashable {
    /// The session is open.
    case open
    /// The session has ended. The request is retried in another one.
    case closed
}

extension SessionAuthenticator {
    /// The default value, `true`.
    public func isSessionOpen(_ session: Session, at date: Date) -> Bool { true }

    /// Does nothing.
    public func decorate(_ request: inout Request, with session: Session) async throws {}

    /// Returns ``SessionStatus/closed`` for a 401.
    public func check(_ response: inout Response, in session: Session) async throws -> SessionStatus {
        response.status.code == 401 ? .closed : .open
    }

    /// Returns `nil`.
    public func answer(
        _ challenges: [Challenge],
        in session: Session,
        context: RefreshContext
    ) async throws -> Session? { nil }

    /// Does nothing.
    public func invalidate(_ session: Session, in context: RefreshContext) async throws {}

    /// The type's name.
    public var summary: String { StageSummary.name(of: Self.self) }
}
