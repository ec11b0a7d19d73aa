import Foundation
import HTTPChainCore

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session whose automatic features are disabled, with its delegate.
final class SessionHandle: Sendable {
    let delegate: SessionDelegate
    let session: URLSession

    convenience init(_ settings: URLSessionTransport.Configuration, _ control: ConnectionControl) {
        let configuration = URLSessionConfiguration.ephemeral
        control.apply(to: configuration)
        settings.customize?(configuration)
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = max(1, settings.maximumConnectionsPerHost)
        PlatformBehaviour.apply(
            requestTimeout: settings.requestTimeout,
            resourceTimeout: settings.resourceTimeout,
            to: configuration
        )
        self.init(configuration, control)
    }

    /// Makes a session with a configuration whose automatic features are then disabled.
    init(_ configuration: URLSessionConfiguration, _ control: ConnectionControl) {
        delegate = SessionDelegate(control)
        session = URLSession(
            configuration: configuration,
            delegate: delegate,
            delegateQueue: PlatformBehaviour.makeDelegateQueue()
        )
    }

    /// Ends the session; no tasks may be running in it.
    func invalidate() {
        session.finishTasksAndInvalidate()
    }
}
