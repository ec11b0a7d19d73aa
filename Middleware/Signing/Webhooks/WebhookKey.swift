import Foundation
public import HTTPChainCore

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A secret of Standard Webhooks, which sender and receiver share.
public struct WebhookKey: Sendable {
    let key: SymmetricKey

    /// Reads a key as it is handed out: `whsec_` and base64.
    ///
    /// - Parameter text: The key in base64, with or without `whsec_` before it.
    /// - Throws: ``SigningError/Problem/invalidKey(_:)`` when it is no base64, or has less than 24 bytes or more than
    ///   64.
    public init(_ text: Secret) throws(SigningError) {
        let base64 = text.revealed.without(prefix: "whsec_") ?? text.revealed[...]
        guard let bytes = Data(base64Encoded: String(base64)), (24...64).contains(bytes.count) else {
            throw SigningError(.invalidKey("a webhook's secret: whsec_ and 24 to 64 bytes in base64"))
        }
        key = SymmetricKey(data: bytes)
    }
}

extension WebhookKey: CustomStringConvertible, CustomReflectable {
    /// Always `<secret>`.
    public var description: String { "<secret>" }
    /// Shows nothing inside.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
