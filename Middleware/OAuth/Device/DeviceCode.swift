public import Foundation
import HTTPChainCore

/// The code with which a user signs in on another device, RFC 8628 §3.2.
public struct DeviceCode: Sendable, Hashable {
    /// The code that the user enters.
    public let userCode: String
    /// The page on which the user enters it.
    public let verificationURI: String
    /// The same with the code in it, for a QR code; `nil` when the server gives none.
    public let completeVerificationURI: String?
    /// The date when the code expires.
    public let expiration: Date
    /// The shortest time between two questions to the token endpoint.
    public let interval: Duration
    /// The code that the token endpoint is asked with.
    let deviceCode: Secret

    /// Reads the reply of a device authorization endpoint; `nil` when something is missing.
    init?(_ content: Data, now: Date) {
        guard let reply = try? JSONDecoder().decode(Reply.self, from: content), !reply.device_code.isEmpty,
            !reply.user_code.isEmpty,
            let uri = reply.verification_uri ?? reply.verification_url, Origin(uri) != nil
        else { return nil }
        userCode = reply.user_code
        verificationURI = uri
        // A URL that people are sent to has to be one.
        completeVerificationURI = reply.verification_uri_complete.flatMap { Origin($0) == nil ? nil : $0 }
        deviceCode = Secret(reply.device_code)
        // Longer than any person takes, and short enough to be added to a date.
        expiration = now.addingTimeInterval(min(max(0, reply.expires_in ?? 600), 86_400))
        interval = .seconds(min(max(1, reply.interval ?? 5), 300))
    }

    // As the server writes them.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private struct Reply: Decodable {
        let device_code: String
        let user_code: String
        let verification_uri: String?
        /// The name that servers sent before the RFC.
        let verification_url: String?
        let verification_uri_complete: String?
        let expires_in: Double?
        let interval: Double?
    }
}

extension DeviceCode: CustomStringConvertible, CustomDebugStringConvertible {
    /// The page on which to enter the code; without the code.
    public var description: String { "device code for \(verificationURI)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
}
