public import Foundation
import HTTPChainAuth
public import HTTPChainCore
import HTTPChainSupport

/// The code for a sign-in on another device, RFC 8628 §3.2.
public struct DeviceCode: Sendable, Hashable {
    /// The code that the user enters.
    public let userCode: String
    /// The page where the user enters it.
    public let verificationURI: String
    /// The page's URL including the code, for a QR code, or `nil` if the server sends none.
    public let completeVerificationURI: String?
    /// The date when the code expires.
    public let expiration: Date
    /// The minimum interval between requests to the token endpoint.
    package let interval: Duration
    /// The code for the token endpoint.
    let deviceCode: Secret

    /// Parses the response of a device authorization endpoint, or returns `nil` if something is missing.
    package init?(_ content: Data, now: Date) {
        guard let reply = try? JSONDecoder().decode(Reply.self, received: content), let deviceCode = reply.deviceCode,
            let userCode = reply.userCode, let uri = reply.verificationURI, Origin(uri) != nil
        else { return nil }
        self.userCode = userCode
        verificationURI = uri
        // Must be a URL, because the user is sent to it.
        completeVerificationURI = reply.completeVerificationURI.flatMap { Origin($0) == nil ? nil : $0 }
        self.deviceCode = Secret(deviceCode)
        // Longer than anyone needs, and short enough to be added to a date.
        expiration = now.addingTimeInterval(min(max(0, reply.lifetime ?? 600), 86_400))
        interval = .seconds(min(max(1, reply.interval ?? 5), 300))
    }

    private struct Reply: Decodable {
        let deviceCode: String?
        let userCode: String?
        let verificationURI: String?
        let completeVerificationURI: String?
        let lifetime: Double?
        let interval: Double?

        private enum CodingKeys: String, CodingKey {
            case deviceCode = "device_code"
            case userCode = "user_code"
            case verificationURI = "verification_uri"
            /// The name used by servers before the RFC.
            case verificationURL = "verification_url"
            case completeVerificationURI = "verification_uri_complete"
            case lifetime = "expires_in"
            case interval
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            deviceCode = container.text(.deviceCode)
            userCode = container.text(.userCode)
            verificationURI = container.text(.verificationURI) ?? container.text(.verificationURL)
            completeVerificationURI = container.text(.completeVerificationURI)
            lifetime = container.number(.lifetime)
            interval = container.number(.interval)
        }
    }
}

extension DeviceCode: CustomStringConvertible, DescribedValue {
    /// The page for entering the code, without the code.
    package var words: String { "device code for \(verificationURI)" }
}
