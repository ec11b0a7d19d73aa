import HTTPChainSupport

/// Computes the proofs of one answer: the client's, and the one that the server returns.
package struct DigestComputation: Sendable, Hashable {
    /// The request's method.
    package var method: String
    /// The request target, exactly as in the answer.
    package var uri: String
    /// The server's nonce.
    package var nonce: String
    /// The quality of protection, or `nil` for a server of RFC 2069, which has none.
    package var qop: QualityOfProtection?
    /// The number of uses of the nonce, including this one; needed only with a quality of protection.
    package var nonceCount: UInt32
    /// The client's nonce; needed only with a quality of protection.
    package var cnonce: String
    /// H(content) in lower-case hexadecimal digits, for ``QualityOfProtection/authInt``, or `nil` for no content.
    package var contentHash: String?

    /// Makes a computation from its values.
    package init(
        method: String,
        uri: String,
        nonce: String,
        qop: QualityOfProtection? = nil,
        nonceCount: UInt32 = 1,
        cnonce: String = "",
        contentHash: String? = nil
    ) {
        self.method = method
        self.uri = uri
        self.nonce = nonce
        self.qop = qop
        self.nonceCount = nonceCount
        self.cnonce = cnonce
        self.contentHash = contentHash
    }

    /// Returns the `response` parameter, RFC 7616 §3.4.1, or that of RFC 2069 without a quality of protection.
    package func response(_ key: DigestKey) -> String {
        proof(key, method: method, qop: qop, contentHash: contentHash)
    }

    /// Returns the server's proof, the `rspauth` parameter, RFC 7616 §3.5.
    ///
    /// - Parameters:
    ///   - key: The key of the answer.
    ///   - qop: The response's `qop`. Defaults to the answer's own.
    ///   - contentHash: H(content of the response), for ``QualityOfProtection/authInt``.
    package func serverResponse(
        _ key: DigestKey,
        qop: QualityOfProtection? = nil,
        contentHash: String? = nil
    ) -> String {
        // RFC 7616 §3.5: A2 is the request's, with an empty method.
        proof(key, method: "", qop: qop ?? self.qop, contentHash: contentHash)
    }

    private func proof(
        _ key: DigestKey,
        method: String,
        qop: QualityOfProtection?,
        contentHash: String?
    ) -> String {
        var request = Array(method.utf8)
        request.append(colon: uri)
        if qop == .authInt {
            request.append(colon: contentHash.map { Array($0.utf8) } ?? DigestHash.hex([], key.algorithm))
        }
        var bytes = key.digits
        bytes.append(colon: nonce)
        if let qop {
            bytes.append(colon: Self.digits(of: nonceCount))
            bytes.append(colon: cnonce)
            bytes.append(colon: qop.rawValue)
        }
        bytes.append(colon: DigestHash.hex(request, key.algorithm))
        return String(decoding: DigestHash.hex(bytes, key.algorithm), as: UTF8.self)
    }

    /// A nonce count as eight hexadecimal digits.
    static func digits(of count: UInt32) -> [UInt8] {
        withUnsafeBytes(of: count.bigEndian) { $0.hexadecimal }
    }

    /// Returns H(username:realm), which replaces the user's name if the server requires it (RFC 7616 §3.4.4).
    ///
    /// - Parameters:
    ///   - username: The name.
    ///   - realm: The realm of the challenge, as the server wrote it.
    ///   - algorithm: The algorithm of the challenge.
    ///   - isUTF8: The same as for ``DigestKey``.
    package static func userhash(
        _ username: String,
        realm: [UInt8],
        _ algorithm: DigestAlgorithm,
        isUTF8: Bool = true
    ) -> String {
        var bytes = Array(username.normalized(isUTF8).utf8)
        bytes.append(colon: realm)
        return String(decoding: DigestHash.hex(bytes, algorithm), as: UTF8.self)
    }
}
