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

    /// Parses the response of a device authorization endpoint; returns `nil` if a required member is missing.
    package init?(_ content: Data, now: Date) {
        guard let members = try? JSONDecoder().decode(LenientMembers.self, received: content),
            let deviceCode = members.text("device_code"), let userCode = members.text("user_code"),
            // The second name was used by servers before the RFC.
            let uri = members.text("verification_uri") ?? members.text("verification_url"), Origin(uri) != nil
        else { return nil }
        self.userCode = userCode
        verificationURI = uri
        // Must be a URL, because the user is sent to it.
        completeVerificationURI = members.text("verification_uri_complete").flatMap { Origin($0) == nil ? nil : $0 }
        self.deviceCode = Secret(deviceCode)
        // The maximum is longer than anyone needs, and short enough to be added to a date.
        expiration = now.addingTimeInterval(min(max(0, members.number("expires_in") ?? 600), 86_400))
        interval = .seconds(min(max(1, members.number("interval") ?? 5), 300))
    }
}

extension DeviceCode: CustomStringConvertible, DescribedValue {
    /// The page for entering the code, without the code.
    package var words: String { "device code for \(verificationURI)" }
}
