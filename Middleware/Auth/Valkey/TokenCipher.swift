#if Valkey
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainSupport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The cipher of one application key, for tokens and their names.
///
/// Each purpose has a separate key, derived from the application's (HKDF, RFC 5869). A token is encrypted with a random
/// nonce. The encryption also authenticates the token's name on the server, so that it can't be moved to another name.
struct TokenCipher: Sendable {
    private let names: SymmetricKey
    private let tokens: SymmetricKey

    init(_ key: EncryptionKey) {
        let secret = SymmetricKey(data: key.bytes)
        func derived(_ use: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: secret,
                info: Data("HTTPChain token 1 \(use)".utf8),
                outputByteCount: 32
            )
        }
        names = derived("names")
        tokens = derived("tokens")
    }

    /// Returns the one-way name of a token on the server.
    func name(_ name: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data(name.utf8), using: names)
        return String(decoding: Data(code).prefix(16).hexadecimal, as: UTF8.self)
    }

    func seal(_ token: AccessToken, as name: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            JSONEncoder().encode(token),
            using: tokens,
            authenticating: Data(name.utf8)
        )
        return Array(box.nonce) + box.ciphertext + box.tag
    }

    /// Returns the token, or `nil` if it was sealed with another key or under another name, or was changed.
    func open(_ sealed: [UInt8], as name: String) -> AccessToken? {
        guard let box = try? AES.GCM.SealedBox(combined: Data(sealed)),
            let bytes = try? AES.GCM.open(box, using: tokens, authenticating: Data(name.utf8))
        else { return nil }
        return try? JSONDecoder().decode(AccessToken.self, received: bytes)
    }
}
#endif
