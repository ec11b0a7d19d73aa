#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
public import AuthenticationServices
import Foundation
import HTTPChainCore

/// Signs in with the system's browser sheet, `ASWebAuthenticationSession`, on Apple platforms.
///
/// The redirect URI has a custom scheme of the application, such as `com.example.garden:/signed-in`, or is an `https`
/// URL of an associated domain (`webcredentials`), from iOS 17.4, macOS 14.4 and visionOS 1.1 on.
public struct WebAuthenticationAgent: AuthorizationAgent {
    private let redirectURI: String
    private let isEphemeral: Bool
    private let anchor: @Sendable @MainActor () -> ASPresentationAnchor

    /// Makes the agent.
    ///
    /// - Parameters:
    ///   - redirectURI: The URI of the browser's callback, with a custom scheme or `https`.
    ///   - isEphemeral: Whether the browser forgets the sign-in and shares no cookies. Defaults to `false`.
    ///   - anchor: The sheet's window.
    public init(
        redirectURI: String,
        isEphemeral: Bool = false,
        anchor: @escaping @Sendable @MainActor () -> ASPresentationAnchor
    ) {
        self.redirectURI = redirectURI
        self.isEphemeral = isEphemeral
        self.anchor = anchor
    }

    /// Shows the sheet and waits for the browser's callback.
    ///
    /// - Throws: ``SignInError``: ``SignInError/Problem/dismissed`` if the user closes the sheet or the session fails,
    ///   and ``SignInError/Problem/cannotListen(_:)`` if it can't be shown; `CancellationError` if the task is
    ///   cancelled.
    public func authorize(
        _ begin: @Sendable (_ redirectURI: String) throws -> AuthorizationRequest
    ) async throws -> (request: AuthorizationRequest, callback: String) {
        let request = try begin(redirectURI)
        guard let url = URL(string: request.url), let redirect = URL(string: redirectURI), redirect.scheme != nil
        else { throw SignInError(.malformedCallback("the redirect URI has no scheme")) }
        do {
            let run = await WebAuthenticationRun(anchor: anchor)
            return (request, try await run.run(url, redirect: redirect, isEphemeral: isEphemeral))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw error
        }
    }
}

/// Waits for the sheet; it resumes when the session completes, fails to start or is cancelled, whichever comes first.
private final class WebAuthenticationWaiter: Sendable {
    private let continuation: Locked<CheckedContinuation<String, any Error>?>

    init(_ continuation: CheckedContinuation<String, any Error>) {
        self.continuation = Locked(continuation)
    }

    func resume(with result: Result<String, any Error>) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(with: result)
    }
}

/// A single presentation of the sheet.
@MainActor
private final class WebAuthenticationRun: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?
    private var waiter: WebAuthenticationWaiter?

    init(anchor: @escaping @Sendable @MainActor () -> ASPresentationAnchor) {
        self.anchor = anchor
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

    func run(_ url: URL, redirect: URL, isEphemeral: Bool) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = WebAuthenticationWaiter(continuation)
                if Task.isCancelled {
                    waiter.resume(with: .failure(CancellationError()))
                    return
                }
                // The system may call this on any queue. Without @Sendable it would be isolated to the main actor, and
                // Swift would stop the process if it ran on another queue.
                let completion: @Sendable (URL?, (any Error)?) -> Void = { callback, error in
                    if let callback {
                        waiter.resume(with: .success(callback.absoluteString))
                    } else if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
                        waiter.resume(with: .failure(SignInError(.dismissed)))
                    } else {
                        waiter.resume(with: .failure(SignInError(.dismissed, underlyingError: error)))
                    }
                }
                let session: ASWebAuthenticationSession
                do {
                    session = try Self.session(for: url, redirect: redirect, completion)
                } catch {
                    waiter.resume(with: .failure(error))
                    return
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                (self.session, self.waiter) = (session, waiter)
                // A session that fails to start may not call its completion handler.
                if !session.start() {
                    waiter.resume(with: .failure(SignInError(.cannotListen("the system does not show the sign-in"))))
                }
            }
        } onCancel: {
            Task { @MainActor in
                self.session?.cancel()
                self.waiter?.resume(with: .failure(CancellationError()))
            }
        }
    }

    private static func session(
        for url: URL,
        redirect: URL,
        _ completion: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) throws(SignInError) -> ASWebAuthenticationSession {
        let scheme = redirect.scheme ?? ""
        guard scheme.lowercased() == "https" else {
            return ASWebAuthenticationSession(url: url, callbackURLScheme: scheme, completionHandler: completion)
        }
        guard #available(macOS 14.4, iOS 17.4, visionOS 1.1, *) else {
            throw SignInError(.cannotListen("https redirect URIs need iOS 17.4, macOS 14.4 or visionOS 1.1"))
        }
        guard let host = redirect.host(percentEncoded: false) else {
            throw SignInError(.malformedCallback("the redirect URI has no host"))
        }
        return ASWebAuthenticationSession(
            url: url,
            callback: .https(host: host, path: redirect.path(percentEncoded: false)),
            completionHandler: completion
        )
    }
}
#endif
