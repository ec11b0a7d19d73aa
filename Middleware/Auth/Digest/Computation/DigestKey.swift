import Foundation
package import HTTPChainCore

/// H(A1), the key of a user and password in a realm (RFC 7616 §3.4.2).
///
/// It is enough to answer challenges of that realm, so it is redacted when printed.
package struct DigestKey: Sendable, Hashable {
    /// The algorithm that the key was made with.
    package let algorithm: DigestAlgorithm
    /// The key in lower-case hexadecimal digits.
    package private(set) var digits: [UInt8]

    /// Makes the key of a user.
    ///
    /// - Parameters:
    ///   - algorithm: The challenge's algorithm. For a session algorithm, this is the key without the session's nonces;
    ///     see ``session(nonce:cnonce:)``.
    ///   - username: The name.
    ///   - realm: The realm of the challenge, without quotes and backslashes.
    ///   - password: The password.
    ///   - isUTF8: Whether the challenge has `charset=UTF-8`. If so, name and password are converted to Unicode
    ///     normalization form C (RFC 7616 §4). They are encoded in UTF-8 in any case.
    package init(
        _ algorithm: DigestAlgorithm,
        username: String,
        realm: String,
        password: Secret,
        isUTF8: Bool = true
    ) {
        self.init(algorithm, username: username, realm: Array(realm.utf8), password: password, isUTF8: isUTF8)
    }

    /// Makes the key with the bytes of the realm.
    init(_ algorithm: DigestAlgorithm, username: String, realm: [UInt8], password: Secret, isUTF8: Bool) {
        self.algorithm = algorithm
        var bytes = Array(username.normalized(isUTF8).utf8)
        bytes.append(colon: realm)
        bytes.append(colon: password.revealed.normalized(isUTF8))
        digits = DigestHash.hex(bytes, algorithm)
    }

    /// Returns the session key: H(A1) of the `-sess` algorithms.
    ///
    /// - Parameters:
    ///   - nonce: The nonce of the challenge that started the session.
    ///   - cnonce: The client's nonce in the first answer to that challenge.
    package func session(nonce: String, cnonce: String) -> DigestKey {
        var bytes = digits
        bytes.append(colon: nonce)
        bytes.append(colon: cnonce)
        var key = self
        key.digits = DigestHash.hex(bytes, algorithm)
        return key
    }
}

extension DigestKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm, without the key.
    package var description: String { "\(algorithm.rawValue) <secret>" }
    /// An empty mirror, which hides the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    /// Returns the name for hashing, in normalization form C if the server expects that.
    func normalized(_ isUTF8: Bool) -> String {
        isUTF8 && utf8.contains { $0 >= 0x80 } ? precomposedStringWithCanonicalMapping : self
    }
}

extension [UInt8] {
    mutating func append(colon text: String) {
        append(UInt8(ascii: ":"))
        append(contentsOf: text.utf8)
    }

    mutating func append(colon digits: [UInt8]) {
        append(UInt8(ascii: ":"))
        append(contentsOf: digits)
    }
}
