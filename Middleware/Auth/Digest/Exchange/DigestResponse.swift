import HTTPChainSupport

/// The value of an `Authorization` field that answers a Digest challenge, RFC 7616 §3.4.
package struct DigestResponse: Sendable, Hashable {
    /// The challenge that is answered; the nonce is the computation's, which may be a later one.
    package let challenge: DigestChallenge
    /// The user's name, not hashed.
    package let username: String
    /// The values that the proof was computed from.
    package let computation: DigestComputation
    /// The proof.
    package let response: String

    /// Makes the answer to a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - username: The user's name. It is hashed here if the server requires it.
    ///   - computation: The values for the proof.
    ///   - key: The user's key, or the session's for session algorithms.
    package init(_ challenge: DigestChallenge, username: String, computation: DigestComputation, key: DigestKey) {
        self.challenge = challenge
        self.username = username
        self.computation = computation
        response = computation.response(key)
    }

    /// The bytes of the field; texts from the challenge have the server's encoding.
    ///
    /// As RFC 7616 §3.4 requires, only some of the values are quoted.
    package var fieldBytes: [UInt8] {
        // Built from bytes, which costs a third of concatenating strings.
        var text: [UInt8] = []
        text.reserveCapacity(512)
        text += "Digest ".utf8
        appendUsername(to: &text)
        text.append(", realm=", quoting: challenge.bytes(challenge.realm))
        text.append(", nonce=", quoting: computation.nonce)
        text.append(", uri=", quoting: computation.uri)
        text.append(", response=", quoting: response)
        if let token = challenge.algorithmToken {
            text += ", algorithm=".utf8
            text += token.utf8
        }
        if let qop = computation.qop {
            text += qop == .auth ? ", qop=auth, nc=".utf8 : ", qop=auth-int, nc=".utf8
            text += DigestComputation.digits(of: computation.nonceCount)
        }
        if computation.qop != nil || challenge.algorithm.isSession {
            text.append(", cnonce=", quoting: computation.cnonce)
        }
        if let opaque = challenge.opaque { text.append(", opaque=", quoting: challenge.bytes(opaque)) }
        if challenge.hashesUsername { text += ", userhash=true".utf8 }
        return text
    }

    /// Appends the user's name: hashed if the server requires it, in quotes if possible, otherwise encoded as in RFC
    /// 8187 (formerly RFC 5987).
    ///
    /// A server that doesn't send `charset=UTF-8` predates `username*`. It gets UTF-8 bytes in quotes, as other clients
    /// send them.
    private func appendUsername(to text: inout [UInt8]) {
        if challenge.hashesUsername {
            let hash = DigestComputation.userhash(
                username,
                realm: challenge.bytes(challenge.realm),
                challenge.algorithm,
                isUTF8: challenge.isUTF8
            )
            return text.append("username=", quoting: hash)
        }
        let name = username.normalized(challenge.isUTF8)
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 >= 0x80 && challenge.isUTF8 }) {
            text += "username*=UTF-8''".utf8
            // RFC 8187 §3.2.1: characters other than attr-char are percent-encoded.
            text += String(percentEncoding: name.utf8, keeping: Self.isAttributeCharacter).utf8
        } else {
            text.append("username=", quoting: name)
        }
    }

    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "!#$&+-.^_`|~".utf8.contains(byte)
    }
}

extension [UInt8] {
    /// Appends a parameter whose value is a quoted string, RFC 9110 §5.6.4.
    fileprivate mutating func append(_ name: String, quoting value: String) {
        append(name, quoting: Array(value.utf8))
    }

    /// Appends a parameter whose value is a quoted string.
    fileprivate mutating func append(_ name: String, quoting value: [UInt8]) {
        self += name.utf8
        append(UInt8(ascii: "\""))
        for byte in value {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
            append(byte)
        }
        append(UInt8(ascii: "\""))
    }
}
