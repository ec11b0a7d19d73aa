#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
public import AuthenticationServices
import Foundation
import HTTPChainCore

/// Signs in with the system's browser sheet, `ASWebAuthenticationSession`, on Apple platforms.
///
/// The redirect URI has a scheme of the application's own, such as `com.example.garden:/signed-in`.
public struct WebAuthenticationAgent: AuthorizationAgent {
    private let redirectURI: String
    private let isEphemeral: Bool
    private let anchor: @Sendable @MainActor () -> ASPresentationAnchor

    /// Makes the agent.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the browser comes back to, with the application's own scheme.
    ///   - isEphemeral: Whether the browser forgets the sign-in, and shares no cookies; `false` by default.
    ///   - anchor: The window that the sheet belongs to.
    public init(
        redirectURI: String,
        isEphemeral: Bool = false,
        anchor: @escaping @Sendable @MainActor () -> ASPresentationAnchor
    ) {
        self.redirectURI = redirectURI
        self.isEphemeral = isEphemeral
        self.anchor = anchor
    }

    /// Shows the sheet until the browser comes back.
    ///
    /// - Throws: ``SignInError``, which is ``SignInError/Problem/dismissed`` when the user closes the sheet;
    ///   `CancellationError` when the task is cancelled.
    public func authorize(
        _ begin: @Sendable (_ redirectURI: String) throws -> AuthorizationRequest
    ) async throws -> (request: AuthorizationRequest, callback: String) {
        let request = try begin(redirectURI)
        guard let url = URL(string: request.url), let scheme = redirectURI.pieces(at: ":").first.map(String.init)
        else { throw SignInError(.malformedCallback("the redirect URI has no scheme")) }
        do {
            let run = await WebAuthenticationRun(anchor: anchor)
            return (request, try await run.run(url, scheme: scheme, isEphemeral: isEphemeral))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw error
        }
    }
}

/// One sheet.
@MainActor
private final class WebAuthenticationRun: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor () -> ASPresentationAnchor
    private var session: ASWebAuthenticationSession?

    init(anchor: @escaping @Sendable @MainActor () -> ASPresentationAnchor) {
        self.anchor = anchor
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

    func run(_ url: URL, scheme: String, isEphemeral: Bool) async throws -> String {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                // The system calls it on a queue of its own choice: without @Sendable it would belong to the main actor,
                // and Swift would stop the process on any other.
                let completion: @Sendable (URL?, (any Error)?) -> Void = { callback, error in
                    if let callback {
                        continuation.resume(returning: callback.absoluteString)
                    } else if (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin {
                        continuation.resume(throwing: SignInError(.dismissed))
                    } else {
                        continuation.resume(throwing: SignInError(.dismissed, underlyingError: error))
                    }
                }
                let session = ASWebAuthenticationSession(
                    url: url,
                    callbackURLScheme: scheme,
                    completionHandler: completion
                )
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                self.session = session
                // When it cannot start it calls its completion handler.
                session.start()
            }
        } onCancel: {
            Task { @MainActor in self.session?.cancel() }
        }
    }
}
#endif
