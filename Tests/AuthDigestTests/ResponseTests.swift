#if AllTests
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("The Authorization field of an answer")
struct ResponseTests {
    private func field(
        _ challenge: String,
        user: String = "Mufasa",
        uri: String = "/dir/index.html",
        qop: QualityOfProtection? = .auth,
        count: UInt32 = 1,
        cnonce: String = "f2/w"
    ) throws -> String {
        let challenge = try #require(Challenge.parse([challenge]).first.flatMap { DigestChallenge($0) })
        let key = DigestKey(challenge.algorithm, username: user, realm: challenge.realm, password: "Circle of Life")
        let computation = DigestComputation(
            method: "GET",
            uri: uri,
            nonce: challenge.nonce,
            qop: qop,
            nonceCount: count,
            cnonce: cnonce
        )
        let response = DigestResponse(challenge, username: user, computation: computation, key: key)
        return String(decoding: response.fieldBytes, as: UTF8.self)
    }

    private func shape(_ field: String) -> String {
        field.replacing(#/response="[0-9a-f]+"/#, with: "response=…")
    }

    @Test("Texts stand in quotes, and qop, nc, algorithm and userhash do not")
    func quoting() throws {
        let challenge =
            #"Digest realm="http-auth@example.org", nonce="7ypf", opaque="FQhe/", algorithm=MD5, qop="auth""#
        #expect(
            try shape(field(challenge))
                == #"Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf", uri="/dir/index.html", "#
                + #"response=…, algorithm=MD5, qop=auth, nc=00000001, cnonce="f2/w", opaque="FQhe/""#
        )
    }

    @Test("The value of the example in RFC 7616 §3.9.1 comes out")
    func example() throws {
        let challenge = """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        let value = try field(challenge, cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        let parsed = try #require(Challenge.parse([value]).first)
        let expected = [
            "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html", "algorithm": "SHA-256",
            "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001", "qop": "auth",
            "cnonce": "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            "response": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
            "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
        ]
        #expect(Dictionary(uniqueKeysWithValues: parsed.parameters.map { ($0.name, $0.value) }) == expected)
    }

    @Test("A server of RFC 2069 gets neither qop, nc nor cnonce, nor an algorithm that it did not name")
    func old() throws {
        #expect(
            try shape(field(#"Digest realm="r", nonce="n""#, qop: nil))
                == #"Digest username="Mufasa", realm="r", nonce="n", uri="/dir/index.html", response=…"#
        )
        let session = try field(#"Digest realm="r", nonce="n", algorithm=MD5-sess"#, qop: nil)
        #expect(session.hasSuffix(#"algorithm=MD5-sess, cnonce="f2/w""#))
    }

    @Test("Quotes and backslashes are escaped, and the algorithm goes back as the server spelled it")
    func escapes() throws {
        let value = try field(
            #"Digest realm="a\"b\\c", nonce="n\"", opaque="\\", algorithm="sha-256", qop=auth"#,
            user: #"M"\"#,
            count: 0xFEDC
        )
        #expect(
            shape(value)
                == #"Digest username="M\"\\", realm="a\"b\\c", nonce="n\"", uri="/dir/index.html", response=…, "#
                + #"algorithm=sha-256, qop=auth, nc=0000fedc, cnonce="f2/w", opaque="\\""#
        )
    }

    @Test(
        "A name beyond ASCII is encoded where the server says UTF-8, and stands in quotes where it does not",
        arguments: [
            ("charset=UTF-8", "Mufasa", #"username="Mufasa""#),
            ("charset=UTF-8", "J\u{E4}s\u{F8}n Doe", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"),
            ("charset=UTF-8", "Ja\u{308}s\u{F8}n Doe", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe"),
            ("charset=UTF-8", "a'(*)%\u{1F600}~", "username*=UTF-8''a%27%28%2A%29%25%F0%9F%98%80~"),
            ("stale=false", "J\u{E4}s\u{F8}n Doe", "username=\"J\u{E4}s\u{F8}n Doe\""),
            ("stale=false", "a\r\nb", "username*=UTF-8''a%0D%0Ab"),
            ("stale=false", "a\u{7F}~", "username*=UTF-8''a%7F~"),
            ("charset=UTF-8", "a b~", #"username="a b~""#),
        ]
    )
    func names(parameter: String, user: String, expected: String) throws {
        let value = try field("Digest realm=\"r\", nonce=\"n\", qop=auth, \(parameter)", user: user)
        #expect(value.hasPrefix("Digest \(expected), realm="), "\(value)")
    }

    @Test("A hash stands in the place of the name where the server wants it")
    func userhash() throws {
        let challenge = """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQ", charset=UTF-8, userhash=true
            """
        let value = try field(challenge, user: "J\u{E4}s\u{F8}n Doe")
        let hash = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
        #expect(value.hasPrefix("Digest username=\"\(hash)\", "))
        #expect(value.hasSuffix(", userhash=true"))
    }

    @Test("The hash of a name is made with the realm in the bytes in which it came")
    func userhashOfLatin1() throws {
        let before = [UInt8]("Digest realm=\"caf".utf8) + [0xE9]
        let after = [UInt8]("\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256, userhash=true".utf8)
        var refusal = Response(.unauthorized)
        refusal.headers.append(HTTPField(name: .wwwAuthenticate, value: before + after))
        let challenge = try #require(refusal.challenges(.origin).first.flatMap { DigestChallenge($0) })
        let key = DigestKey(.sha256, username: "ada", realm: "r", password: "p")
        let computation = DigestComputation(
            method: "GET",
            uri: "/",
            nonce: "n",
            qop: .auth,
            nonceCount: 1,
            cnonce: "c"
        )
        let response = DigestResponse(challenge, username: "ada", computation: computation, key: key)
        let hash = String(decoding: DigestHash.hex([UInt8]("ada:caf".utf8) + [0xE9], .sha256), as: UTF8.self)
        #expect(String(decoding: response.fieldBytes, as: UTF8.self).contains("username=\"\(hash)\""))
    }
}
#endif
