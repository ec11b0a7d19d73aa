public import Foundation
public import HTTPChainCore
import HTTPTypes

/// Opens sessions of your own kind with a server, and knows what a request of a session looks like.
///
/// A session is a value: a token and a user id from a login call, a key for signatures, or nothing at all where the
/// server keeps it in a cookie. ``SessionAuthMiddleware`` holds it, asks for another when it has ended, and sees to it
/// that this happens once, however many calls need it. Only ``authenticate(replacing:in:)`` must be written.
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
/// All methods are called from many tasks at the same time, but for those that open and close sessions: of them one is
/// at work at a time.
public protocol SessionAuthenticator: Sendable {
    /// The type of a session. Keep what is secret in it in a ``/HTTPChainCore/Secret``.
    associatedtype Session: Sendable

    /// Opens a session.
    ///
    /// It is cancelled when no call waits for it any more. Its requests never wait for the session that it is to open:
    /// send them with the context, or over any chain, also the one that the stage is part of.
    ///
    /// - Parameters:
    ///   - old: The session that has ended; `nil` when there was none.
    ///   - context: Time, chance, and a transport.
    /// - Throws: What keeps it from opening one; every call that waits fails with that as the cause.
    func authenticate(replacing old: Session?, in context: RefreshContext) async throws -> Session

    /// Whether a session is open as far as the client knows; asked before each request. By default it is.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - date: Now.
    func isSessionOpen(_ session: Session, at date: Date) -> Bool

    /// Makes a request one of the session; by default nothing has to be done for that.
    ///
    /// The header fields that are set here are bound to the origin of the request: no redirect takes them elsewhere.
    ///
    /// - Throws: What ends the call.
    func decorate(_ request: inout Request, with session: Session) async throws

    /// Whether the session is still open, as the response to a request of it tells; by default a 401 says that it is
    /// not.
    ///
    /// A response that the server gives with 200 and an error in its body is told by a look at the body's beginning
    /// (``/HTTPChainCore/HTTPBody/peek(upTo:)``).
    ///
    /// - Parameters:
    ///   - response: The response; to look at its body is to put the body back.
    ///   - session: The session that the request was decorated with.
    /// - Throws: What ends the call.
    func check(_ response: inout Response, in session: Session) async throws -> SessionStatus

    /// A session that answers the challenges of a response, without a new authentication; by default there is none.
    ///
    /// Asked when a response says that the session has ended and holds challenges (RFC 9110 §11.6.1), such as one with
    /// a nonce that the next requests have to use. It is then the session in use, and the request is sent again.
    ///
    /// - Parameters:
    ///   - challenges: The challenges.
    ///   - session: The session in use.
    ///   - context: Time, chance, and a transport.
    /// - Returns: The session to go on with; `nil` to authenticate anew.
    /// - Throws: As ``authenticate(replacing:in:)`` does.
    func answer(_ challenges: [Challenge], in session: Session, context: RefreshContext) async throws -> Session?

    /// Puts an end to a session: tells the server, forgets what was kept. By default there is nothing to do.
    ///
    /// Called for each session that has ended, before the next is opened, and for one that was opened while the
    /// application ended the one before.
    ///
    /// - Parameters:
    ///   - session: The session; the server may know no more of it.
    ///   - context: Time, chance, and a transport.
    /// - Throws: What keeps the server from knowing, and `CancellationError` when the task is cancelled. The client does
    ///   not use the session again in any case; ``SessionAuthMiddleware/endSession(in:)`` hands the error on.
    func invalidate(_ session: Session, in context: RefreshContext) async throws

    /// The name and the settings of the authenticator, for ``/HTTPChainCore/Chain/explain()``; never a secret. Its
    /// type's name by default.
    var summary: String { get }
}

/// Whether a session is open.
public enum SessionStatus: Sendable, Hashable {
    /// It is.
    case open
    /// It has ended: the request is sent again in another one.
    case closed
}

extension SessionAuthenticator {
    /// It is.
    public func isSessionOpen(_ session: Session, at date: Date) -> Bool { true }

    /// Nothing to do.
    public func decorate(_ request: inout Request, with session: Session) async throws {}

    /// Closed by a 401.
    public func check(_ response: inout Response, in session: Session) async throws -> SessionStatus {
        response.status.code == 401 ? .closed : .open
    }

    /// No answer.
    public func answer(
        _ challenges: [Challenge],
        in session: Session,
        context: RefreshContext
    ) async throws -> Session? { nil }

    /// Nothing to do.
    public func invalidate(_ session: Session, in context: RefreshContext) async throws {}

    /// The type's name.
    public var summary: String { StageSummary.name(of: Self.self) }
}
