import Foundation
public import HTTPChainCore

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A Standard Webhooks secret, shared by sender and receiver.
public struct WebhookKey: Sendable {
    let key: SymmetricKey

    /// Parses a key in its usual form: `whsec_` and base64.
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
