import HTTPChainSupport

/// The value of an `Authorization` field that answers a Digest challenge, RFC 7616 §3.4.
public struct DigestResponse: Sendable, Hashable {
    /// The challenge that is answered; of its nonce, that of the computation takes the place.
    public let challenge: DigestChallenge
    /// The user's name, as it is.
    public let username: String
    /// The values that the proof was computed from.
    public let computation: DigestComputation
    /// The proof.
    public let response: String

    /// Makes the answer to a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - username: The user's name, as it is: where the server wants it hashed, that is done here.
    ///   - computation: What enters the proof.
    ///   - key: The user's key; that of the session where the algorithm has one.
    public init(_ challenge: DigestChallenge, username: String, computation: DigestComputation, key: DigestKey) {
        self.challenge = challenge
        self.username = username
        self.computation = computation
        response = computation.response(key)
    }

    /// The field's value.
    ///
    /// What servers compare as text stands in quotes and the rest does not, as RFC 7616 §3.4 wants it.
    public var fieldValue: String {
        // Put together as bytes, which costs a third of what putting strings together does.
        var text: [UInt8] = []
        text.reserveCapacity(512)
        text += "Digest ".utf8
        appendUsername(to: &text)
        text.append(", realm=", quoting: challenge.realm)
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
        if let opaque = challenge.opaque { text.append(", opaque=", quoting: opaque) }
        if challenge.hashesUsername { text += ", userhash=true".utf8 }
        return String(decoding: text, as: UTF8.self)
    }

    /// The name: hashed where the server wants it so, in quotes where they can hold it, else as RFC 8187 (RFC 5987
    /// before) encodes it.
    ///
    /// A server that does not say `charset=UTF-8` is older than `username*`, and gets the bytes of UTF-8 in quotes, as
    /// other clients send them.
    private func appendUsername(to text: inout [UInt8]) {
        if challenge.hashesUsername {
            let hash = DigestComputation.userhash(
                username,
                realm: challenge.realm,
                challenge.algorithm,
                isUTF8: challenge.isUTF8
            )
            return text.append("username=", quoting: hash)
        }
        let name = username.normalized(challenge.isUTF8)
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 >= 0x80 && challenge.isUTF8 }) {
            text += "username*=UTF-8''".utf8
            // RFC 8187 §3.2.1: what is no attr-char is percent-encoded.
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
    /// A parameter whose value is a quoted string, RFC 9110 §5.6.4.
    fileprivate mutating func append(_ name: String, quoting value: String) {
        self += name.utf8
        append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
            append(byte)
        }
        append(UInt8(ascii: "\""))
    }
}
