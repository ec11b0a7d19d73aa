public import Foundation
public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A webhook according to the Standard Webhooks specification, with the fields `webhook-id`, `webhook-timestamp` and
/// `webhook-signature`.
///
/// The sender signs with `.webhook`, and the receiver calls ``verify(_:content:keys:at:tolerance:)``.
public struct StandardWebhook: Sendable, Hashable {
    /// The identifier of the message, identical in all retries, so that the receiver handles each message once.
    public let id: String
    /// The time of this attempt, to the second.
    public let timestamp: Date

    /// Verifies a received webhook.
    ///
    /// ```swift
    /// let webhook = try StandardWebhook.verify(request.headers, content: body, keys: [current, previous], at: .now)
    /// guard try await inbox.isNew(webhook.id) else { return }
    /// ```
    ///
    /// - Parameters:
    ///   - fields: The fields of the request.
    ///   - content: The content, exactly as received.
    ///   - keys: The accepted keys. During a rotation, these are the new and the old key.
    ///   - now: The current time.
    ///   - tolerance: The maximum difference between the attempt's time and the current time. Defaults to 5 minutes.
    /// - Returns: The webhook's identifier and time.
    /// - Throws: ``SigningError`` if a field is missing or malformed, if the time isn't within the tolerance, or if no
    ///   signature matches a key.
    public static func verify(
        _ fields: HTTPFields,
        content: Data,
        keys: [WebhookKey],
        at now: Date,
        tolerance: Duration = .seconds(300)
    ) throws(SigningError) -> StandardWebhook {
        let id = try value(.webhookID, in: fields)
        let signatures = try value(.webhookSignature, in: fields)
        let time = try value(.webhookTimestamp, in: fields)
        guard !time.isEmpty, time.utf8.count <= 15, time.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(time)
        else {
            throw SigningError(.malformedField(HTTPField.Name.webhookTimestamp.rawName, reason: "it is not a time"))
        }
        let webhook = StandardWebhook(id: id, timestamp: Date(timeIntervalSince1970: Double(seconds)))
        let age = now.timeIntervalSince(webhook.timestamp)
        let limit = tolerance / .seconds(1)
        guard age <= limit else { throw SigningError(.tooOld(age: .clamped(seconds: age))) }
        guard age >= -limit else { throw SigningError(.createdInFuture(by: .clamped(seconds: -age))) }
        let declared = signatures.pieces(at: " ").prefix(SignatureLimits.signatures).compactMap { signature in
            signature.without(prefix: "v1,").flatMap { Data(base64Encoded: String($0)) }
        }
        for key in keys {
            var mac = HMAC<SHA256>(key: key.key)
            mac.update(data: Data(webhook.prefix(time: time).utf8))
            mac.update(data: content)
            let expected = Data(mac.finalize())
            // All signatures are compared, each in constant time.
            if declared.reduce(false, { ConstantTime.isEqual($1, expected) || $0 }) { return webhook }
        }
        throw SigningError(.wrongSignature)
    }

    /// Returns the signed text that precedes the content.
    func prefix(time: String) -> String { "\(id).\(time)." }

    private static func value(_ name: HTTPField.Name, in fields: HTTPFields) throws(SigningError) -> String {
        guard let value = fields[name], !value.isEmpty else { throw SigningError(.missingParameter(name.rawName)) }
        guard value.utf8.count <= SignatureLimits.fieldLength else {
            throw SigningError(.malformedField(name.rawName, reason: "it is too long"))
        }
        return value
    }
}

extension HTTPField.Name {
    static let webhookID = Self(constant: "webhook-id")
    static let webhookTimestamp = Self(constant: "webhook-timestamp")
    static let webhookSignature = Self(constant: "webhook-signature")
}

/// A Standard Webhooks secret, shared by sender and receiver.
public struct WebhookKey: Sendable {
    let key: SymmetricKey

    /// Parses a key in its usual form: `whsec_` followed by base64.
    ///
    /// - Parameter text: The key in base64, with or without the prefix `whsec_`.
    /// - Throws: ``SigningError/Problem/invalidKey(_:)`` if it isn't base64, or doesn't have 24 to 64 bytes.
    public init(_ text: Secret) throws(SigningError) {
        let base64 = text.revealed.without(prefix: "whsec_") ?? text.revealed[...]
        guard let bytes = Data(base64Encoded: String(base64)), (24...64).contains(bytes.count) else {
            throw SigningError(.invalidKey("a webhook's secret: whsec_ and 24 to 64 bytes in base64"))
        }
        key = SymmetricKey(data: bytes)
    }
}

extension WebhookKey: RedactedDisplay, DescribedValue {
    /// Always `<secret>`.
    package var words: String { "<secret>" }
}
