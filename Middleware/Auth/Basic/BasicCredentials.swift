import Foundation
import HTTPChainCore

/// The encoding of user and password if the server doesn't name one, RFC 7617 §2.1.
public enum BasicCharset: Sendable, Hashable {
    /// UTF-8, in normalization form C, as sent by browsers.
    case utf8
    /// ISO 8859-1, for old servers. Other characters cause an error.
    case isoLatin1
}

/// The credentials after `Basic` in the field: user and password in Base64, RFC 7617 §2.
package enum BasicCredentials {
    /// A credential that the scheme cannot carry.
    package struct Invalid: Error, Hashable {
        let why: String
    }

    /// The field's value.
    package static func encode(_ credential: Credential, _ charset: BasicCharset) throws(Invalid) -> String {
        let password = credential.password.revealed
        guard !credential.user.utf8.contains(UInt8(ascii: ":")) else {
            throw Invalid(why: "the user's name contains a colon, which separates it from the password (RFC 7617 §2)")
        }
        guard !hasControl(credential.user), !hasControl(password) else {
            throw Invalid(why: "the user's name or the password contains a control character (RFC 7617 §2)")
        }
        let text = "\(credential.user):\(password)"
        switch charset {
        case .utf8:
            return "Basic " + Data(text.precomposedStringWithCanonicalMapping.utf8).base64EncodedString()
        case .isoLatin1:
            guard let bytes = text.precomposedStringWithCanonicalMapping.data(using: .isoLatin1) else {
                throw Invalid(why: "the user's name or the password contains characters that are not in ISO 8859-1")
            }
            return "Basic " + bytes.base64EncodedString()
        }
    }

    /// Decodes the credential in a field's value; returns `nil` if it isn't a Basic credential.
    package static func decode(_ value: String) -> Credential? {
        let parts = value.pieces(at: " ", maxSplits: 1)
        guard parts.count == 2, ASCII.equalFolded(String(parts[0]), "Basic"),
            let bytes = Data(base64Encoded: String(parts[1])),
            let text = String(data: bytes, encoding: .utf8) ?? String(data: bytes, encoding: .isoLatin1),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let password = String(Substring(text.utf8[text.utf8.index(after: colon)...]))
        return Credential(user: String(Substring(text.utf8[..<colon])), password: Secret(password))
    }

    /// Returns UTF-8 if the challenge names it, otherwise the given charset.
    ///
    /// RFC 7617 §2.1 allows challenges to name only UTF-8.
    static func charset(of challenge: Challenge, else charset: BasicCharset) -> BasicCharset {
        challenge["charset"].map { ASCII.equalFolded($0, "UTF-8") } == true ? .utf8 : charset
    }

    private static func hasControl(_ text: String) -> Bool {
        text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}
