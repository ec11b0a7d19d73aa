import HTTPChainCore

@testable import HTTPChainAuth
@testable import HTTPChainAuthDigest

/// Digest challenges, and what servers say after an answer.
///
/// Of the lines of the input, the first stands for a challenge, the second for an `Authentication-Info` field, and the
/// third for a user's name.
func checkDigest(_ input: Input) -> Int32 {
    let lines = input.lines
    for challenge in Challenge.parse([lines[0], "Digest \(lines[0])"]) {
        if let digest = DigestChallenge(challenge) { checkAnswer(digest, lines.dropFirst(2).first ?? "user") }
    }
    if let info = DigestAuthenticationInfo([lines.dropFirst().first ?? lines[0]]) { checkInfo(info) }
    return 0
}

/// A challenge that can be answered has an answer that reads as what was meant.
private func checkAnswer(_ digest: DigestChallenge, _ user: String) {
    let key = DigestKey(digest.algorithm, username: user, realm: digest.realm, password: "p", isUTF8: digest.isUTF8)
    let computation = DigestComputation(
        method: "GET",
        uri: "/",
        nonce: digest.nonce,
        qop: digest.qop.first,
        nonceCount: .max,
        cnonce: "c"
    )
    let response = DigestResponse(digest, username: user, computation: computation, key: key)
    let value = String(decoding: response.fieldBytes, as: UTF8.self)
    require(
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 },
        "a control character: \(value.debugDescription)"
    )
    let answers = Challenge.parse([value])
    require(answers.count == 1, "\(answers.count) answers in \(value)")
    let answer = answers[0]
    require(answer["realm"] == digest.realm, "another realm in \(value)")
    require(answer["nonce"] == digest.nonce, "another nonce in \(value)")
    require(answer["opaque"] == digest.opaque, "another opaque in \(value)")
    require(answer["qop"] == digest.qop.first?.rawValue, "another qop in \(value)")
    require(answer["nc"] == (digest.qop.isEmpty ? nil : "ffffffff"), "another count in \(value)")
    require((answer["username"] == nil) != (answer["username*"] == nil), "no name, or two, in \(value)")
    require(answer["response"] == computation.response(key), "another response in \(value)")
    require(digest.realm.utf8.count <= 2048 && digest.nonce.utf8.count <= 2048, "longer than the limit")
    require(digest.domain.count <= 64, "\(digest.domain.count) URLs in the domain")
}

private func checkInfo(_ info: DigestAuthenticationInfo) {
    for text in [info.nextNonce, info.serverResponse].compactMap({ $0 }) {
        require(!text.isEmpty && text.utf8.count <= 2048, "\(text.utf8.count) bytes")
        require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character: \(text.debugDescription)")
    }
}
