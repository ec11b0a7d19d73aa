#if AllTests
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import Testing

@Suite("The arithmetic of Digest")
struct ComputationTests {
    /// The example of RFC 2617 §3.5.
    @Test("MD5 with quality of protection gives the response of RFC 2617")
    func rfc2617() {
        let key = DigestKey(.md5, username: "Mufasa", realm: "testrealm@host.com", password: "Circle Of Life")
        let computation = DigestComputation(
            method: "GET",
            uri: "/dir/index.html",
            nonce: "dcd98b7102dd2f0e8b11d0f600bfb0c093",
            qop: .auth,
            nonceCount: 1,
            cnonce: "0a4f113b"
        )
        #expect(computation.response(key) == "6629fae49393a05397450978507c4ef1")
    }

    /// The example of RFC 2069 §2.4; the response printed there is wrong, erratum 749 has the right one.
    @Test("Without quality of protection it is the response of RFC 2069, as its erratum 749 corrects it")
    func rfc2069() {
        let key = DigestKey(.md5, username: "Mufasa", realm: "testrealm@host.com", password: "CircleOfLife")
        let nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c093"
        let computation = DigestComputation(method: "GET", uri: "/dir/index.html", nonce: nonce)
        #expect(computation.response(key) == "1949323746fe6a43ef61f9606e7febea")
    }

    /// The examples of RFC 7616 §3.9.1.
    @Test(
        "MD5 and SHA-256 give the responses of RFC 7616",
        arguments: [
            (DigestAlgorithm.md5, "8ca523f5e9506fed4657c9700eebdbec"),
            (.sha256, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func rfc7616(algorithm: DigestAlgorithm, response: String) {
        let key = DigestKey(
            algorithm,
            username: "Mufasa",
            realm: "http-auth@example.org",
            password: "Circle of Life"
        )
        let computation = DigestComputation(
            method: "GET",
            uri: "/dir/index.html",
            nonce: "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
            qop: .auth,
            nonceCount: 1,
            cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        #expect(computation.response(key) == response)
    }

    /// The example of RFC 7616 §3.9.2, as erratum 4897 corrects it.
    ///
    /// The RFC prints digests of SHA-512 cut to 256 bits (its userhash is 488869477bf2…), which is not the SHA-512-256
    /// that its §6.1 registers. The erratum has those of SHA-512/256; they are what servers compute.
    @Test("SHA-512-256 gives what erratum 4897 puts in the place of the digests in RFC 7616 §3.9.2")
    func erratum4897() {
        let realm = "api@example.org"
        for name in ["J\u{E4}s\u{F8}n Doe", "Ja\u{308}s\u{F8}n Doe"] {
            let key = DigestKey(.sha512256, username: name, realm: realm, password: "Secret, or not?")
            let computation = DigestComputation(
                method: "GET",
                uri: "/doe.json",
                nonce: "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
                qop: .auth,
                nonceCount: 1,
                cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"
            )
            let response = "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"
            #expect(computation.response(key) == response)
            let hash = "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"
            #expect(DigestComputation.userhash(name, realm: Array(realm.utf8), .sha512256) == hash)
        }
    }

    /// Computed with Python's hashlib.
    @Test("Sessions, content and the server's proof agree with another implementation")
    func others() {
        let base = DigestKey(.sha256Session, username: "u", realm: "r", password: "p")
        let key = base.session(nonce: "n", cnonce: "c")
        var computation = DigestComputation(
            method: "POST",
            uri: "/x?y=1",
            nonce: "n",
            qop: .authInt,
            nonceCount: 0xAB,
            cnonce: "c",
            contentHash: String(decoding: DigestHash.hex(Array("body".utf8), .sha256), as: UTF8.self)
        )
        #expect(computation.response(key) == "701ba8c1ec14c4fb41a77e2fb598870fc5b1f17d455440a34074fc111cdaa28e")
        #expect(
            computation.serverResponse(key, qop: .auth)
                == "af268c690bf0def2032323b383838a0798f2e700e82462a49c8c52b0ea9e6ecf"
        )
        #expect(
            computation.serverResponse(key, contentHash: computation.contentHash)
                == "0181938b4207fede014c0774d6283ce0fe1e42e76ddd9364bab631618f6e631e"
        )
        computation.contentHash = nil
        #expect(computation.response(key) == "f2b64264f7892bab31958937666c536781f59fd62b58f2dd24386f98d27bab32")
    }

    @Test("Without charset=UTF-8 names are hashed byte for byte, as they were given")
    func withoutCharset() {
        let composed = DigestKey(.md5, username: "\u{E4}", realm: "r", password: "\u{F8}", isUTF8: false)
        let decomposed = DigestKey(.md5, username: "a\u{308}", realm: "r", password: "\u{F8}", isUTF8: false)
        #expect(composed != decomposed)
        #expect(DigestKey(.md5, username: "\u{E4}", realm: "r", password: "\u{F8}") == composed)
    }

    @Test("A key does not show itself")
    func secret() {
        let key = DigestKey(.md5, username: "Mufasa", realm: "r", password: "Circle Of Life")
        var dumped = ""
        dump(key, to: &dumped)
        let digits = String(decoding: key.digits, as: UTF8.self)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(digits) && !text.contains("Mufasa"))
        }
    }

    @Test(
        "Algorithms are known by their names in any letter case",
        arguments: [
            ("MD5", DigestAlgorithm.md5), ("md5", .md5), ("MD5-sess", .md5Session), ("md5-SESS", .md5Session),
            ("SHA-256", .sha256), ("sha-256-sess", .sha256Session), ("SHA-512-256", .sha512256),
            ("SHA-512-256-sess", .sha512256Session), ("SHA-512", .sha512), ("SHA-512-sess", .sha512Session),
            ("SHA", nil), ("SHA-1", nil), ("SHA256", nil), ("", nil), ("MD5 ", nil),
        ]
    )
    func names(token: String, algorithm: DigestAlgorithm?) {
        #expect(DigestAlgorithm(token: token) == algorithm)
    }
}
#endif
