// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

import Foundation

// https://developer.apple.com/documentation/authenticationservices/nswindow
@MainActor open class NSWindow: NSObject {}
// https://developer.apple.com/documentation/authenticationservices/aspresentationanchor
public typealias ASPresentationAnchor = NSWindow
// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationpresentationcontextproviding
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}
// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsessionerror
public struct ASWebAuthenticationSessionError: Error {
    public enum Code: Int, Sendable {
        case canceledLogin = 1, presentationContextNotProvided, presentationContextInvalid
    }
    public var code: Code { .canceledLogin }
}
// https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void
    // https://developer.apple.com/documentation/authenticationservices/aswebauthenticationsession/callback
    @available(macOS 14.4, iOS 17.4, visionOS 1.1, *)
    public struct Callback: Sendable {
        @available(macOS 14.4, iOS 17.4, visionOS 1.1, *)
        public static func customScheme(_ customScheme: String) -> Callback { Callback() }
        @available(macOS 14.4, iOS 17.4, visionOS 1.1, *)
        public static func https(host: String, path: String) -> Callback { Callback() }
    }
    @available(macOS 14.4, iOS 17.4, visionOS 1.1, *)
    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}
    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
    weak open var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false
    open var canStart: Bool { true }
    @discardableResult open func start() -> Bool { true }
    open func cancel() {}
}
