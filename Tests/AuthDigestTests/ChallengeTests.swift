#if AllTests
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("Digest challenges")
struct ChallengeTests {
    private func digest(_ text: String) -> DigestChallenge? {
        Challenge.parse([text]).first.flatMap { DigestChallenge($0) }
    }

    @Test("All that RFC 7616 has in a challenge is read")
    func complete() throws {
        let challenge = try #require(
            digest(
                #"Digest realm="a \"b\" \\", domain="/x  https://b.example/y", nonce="n=", opaque="o", stale=TRUE, "#
                    + #"algorithm=sha-256, qop="auth-int, token ,auth", charset=utf-8, userhash=true, other=1"#
            )
        )
        #expect(challenge.realm == #"a "b" \"#)
        #expect(challenge.domain == ["/x", "https://b.example/y"])
        #expect(challenge.nonce == "n=")
        #expect(challenge.opaque == "o")
        #expect(challenge.isStale && challenge.isUTF8 && challenge.hashesUsername)
        #expect(challenge.algorithm == .sha256)
        #expect(challenge.algorithmToken == "sha-256")
        #expect(challenge.qop == [.authInt, .auth])
    }

    @Test("What is left out has its default")
    func defaults() throws {
        let challenge = try #require(digest(#"digest realm="", nonce="n""#))
        #expect(challenge.realm.isEmpty && challenge.opaque == nil && challenge.domain.isEmpty)
        #expect(challenge.algorithm == .md5 && challenge.algorithmToken == nil && challenge.qop.isEmpty)
        #expect(!challenge.isStale && !challenge.isUTF8 && !challenge.hashesUsername)
    }

    @Test(
        "Odd challenges of real servers are read",
        arguments: [
            #"Digest realm="r", nonce="n", qop=auth"#,
            #"Digest realm="r", nonce="n", qop="auth", stale=False"#,
            #"Digest realm="r",nonce="n",qop="AUTH",stale="false""#,
            #"Digest realm="r", nonce="n", qop="auth", algorithm="MD5", stale=nonsense, charset=latin1"#,
            #"Digest realm=r, nonce=n, qop="auth""#,
            #"Digest realm="r", realm="r", nonce="n", qop="auth""#,
            #"Digest qop="auth",  nonce="n" , realm = "r" , "#,
        ]
    )
    func odd(text: String) throws {
        let challenge = try #require(digest(text))
        #expect(challenge.realm == "r" && challenge.nonce == "n" && challenge.qop == [.auth])
        #expect(challenge.algorithm == .md5 && !challenge.isStale)
    }

    @Test(
        "A challenge that cannot be answered is none",
        arguments: [
            #"Basic realm="r""#, #"Basic realm="r", nonce="n""#, #"Digest realm="r""#, #"Digest nonce="n""#, "Digest",
            "Digest abcdef==",
            #"Digest realm="r", nonce="n", algorithm=SHA"#, #"Digest realm="r", nonce="n", algorithm=token"#,
            #"Digest realm="r", nonce="n", qop="auth-conf""#, #"Digest realm="r", nonce="n", nonce="m""#,
            #"Digest realm="r", nonce="n", algorithm=MD5, algorithm=SHA-256"#,
            "Digest realm=\"r\u{1}\", nonce=\"n\"", "Digest realm=\"r\", nonce=\"n\u{7F}\"",
            "Digest realm=\"r\", nonce=\"n\", opaque=\"\n\"",
        ]
    )
    func unanswerable(text: String) {
        #expect(digest(text) == nil)
    }

    @Test("A tab in a text is read, as RFC 9110 §5.6.4 lets a quoted string hold one")
    func tab() {
        #expect(digest("Digest realm=\"a\tb\", nonce=\"n\"")?.realm == "a\tb")
    }

    @Test("What servers make grow has limits", arguments: ["realm", "nonce", "opaque"])
    func limits(name: String) {
        for (count, isRead) in [(2048, true), (2049, false)] {
            let texts = ["realm", "nonce", "opaque"].map {
                "\($0)=\"\(String(repeating: "a", count: $0 == name ? count : 1))\""
            }
            #expect((digest("Digest " + texts.joined(separator: ", ")) != nil) == isRead, "\(count)")
        }
        let urls = String(repeating: "/a ", count: 1000)
        #expect(digest("Digest realm=r, nonce=n, domain=\"\(urls)\"")?.domain.count == 64)
    }

    private let authenticator = DigestAuthenticator(.fixed(user: "u", password: "p", for: "https://a.example"))

    private func selected(_ values: String..., by authenticator: DigestAuthenticator? = nil) -> String? {
        (authenticator ?? self.authenticator).select(from: Challenge.parse(values))?["nonce"]
    }

    @Test("The strongest algorithm is chosen, wherever it stands")
    func strongest() {
        let md5 = "Digest realm=r, nonce=md5, algorithm=MD5"
        let sha = "Digest realm=r, nonce=sha, algorithm=SHA-256"
        let long = "Digest realm=r, nonce=long, algorithm=SHA-512"
        let unknown = "Digest realm=r, nonce=unknown, algorithm=BLAKE3"
        #expect(selected(md5, sha) == "sha")
        #expect(selected("\(sha), \(md5)") == "sha")
        #expect(selected("Basic realm=r, \(md5), Negotiate, \(sha)", "Bearer realm=r") == "sha")
        #expect(selected(md5, long) == "long")
        #expect(selected(long, sha) == "sha")
        #expect(selected(unknown, md5) == "md5")
        #expect(selected(unknown, "Basic realm=r") == nil)
        #expect(selected("Digest realm=r, algorithm=SHA-256", md5) == "md5")
    }

    @Test("Of equally strong algorithms the server's order decides")
    func order() {
        let first = "Digest realm=r, nonce=256, algorithm=SHA-256"
        let second = "Digest realm=r, nonce=512-256, algorithm=SHA-512-256-sess"
        #expect(selected(first, second) == "256")
        #expect(selected(second, first) == "512-256")
    }

    @Test("An algorithm that is not allowed is not chosen")
    func notAllowed() {
        let strict = DigestAuthenticator(
            .fixed(user: "u", password: "p", for: "https://a.example"),
            algorithms: [.sha256]
        )
        #expect(selected("Digest realm=r, nonce=a", "Digest realm=r, nonce=b, algorithm=SHA-256", by: strict) == "b")
        #expect(selected("Digest realm=r, nonce=a", by: strict) == nil)
    }
}

@Suite("What a server says after it has accepted an answer")
struct AuthenticationInfoTests {
    @Test("Next nonce, proof and its protection are read")
    func complete() throws {
        let info = try #require(
            DigestAuthenticationInfo([#"rspauth="0a", cnonce="c", nc=00000001, qop=auth-int"#, #"nextnonce="n\"2""#])
        )
        #expect(info.serverResponse == "0a")
        #expect(info.nextNonce == "n\"2")
        #expect(info.qop == .authInt)
    }

    @Test("Values without quotes are read, and what is empty, unknown or too long is passed over")
    func odd() {
        #expect(DigestAuthenticationInfo(["nextnonce=abc, qop=\"auth\""])?.nextNonce == "abc")
        #expect(DigestAuthenticationInfo([]) == nil)
        #expect(DigestAuthenticationInfo([""]) == nil)
        #expect(DigestAuthenticationInfo(["other=1, qop=token"]) == nil)
        #expect(DigestAuthenticationInfo(["nextnonce=\"\", rspauth=\"\""]) == nil)
        #expect(DigestAuthenticationInfo(["nextnonce=\"\(String(repeating: "a", count: 2049))\""]) == nil)
        #expect(DigestAuthenticationInfo(["nextnonce=\"a\u{1}\""]) == nil)
        #expect(DigestAuthenticationInfo(["nextnonce=\"a\u{7F}\""]) == nil)
        #expect(DigestAuthenticationInfo(["nextnonce=\"a b~\""])?.nextNonce == "a b~")
        let longest = String(repeating: "a", count: 2048)
        #expect(DigestAuthenticationInfo(["nextnonce=\"\(longest)\""])?.nextNonce == longest)
    }

    @Test("Each of its parameters is enough")
    func alone() {
        #expect(DigestAuthenticationInfo(["nextnonce=n"])?.nextNonce == "n")
        #expect(DigestAuthenticationInfo(["rspauth=\"0a\""])?.serverResponse == "0a")
        #expect(DigestAuthenticationInfo(["qop=auth"])?.qop == .auth)
    }
}
#endif
