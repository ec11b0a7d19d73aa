#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPTypes
import Testing

@testable import HTTPChainAuthDigest

private let origin = Origin("https://plants.example")
private let key = DigestKey(.sha256, username: "ada", realm: "r", password: "lovelace")

/// A challenge; what is not named is left out.
private func challenge(_ parameters: String = "realm=r, nonce=n") throws -> DigestChallenge {
    try #require(Challenge.parse(["Digest \(parameters)"]).first.flatMap { DigestChallenge($0) })
}

private func space(
    _ realm: String = "r",
    at place: Origin? = origin,
    of target: AuthenticationTarget = .origin
) throws -> ProtectionSpace {
    ProtectionSpace(origin: try #require(place), realm: realm, target: target, scheme: "Digest")
}

@Suite("The rules of a server's proof")
struct ServerProofRuleTests {
    private let computation = DigestComputation(
        method: "GET",
        uri: "/a",
        nonce: "n",
        qop: .auth,
        nonceCount: 1,
        cnonce: "c"
    )

    private func verify(
        _ response: inout Response,
        _ policy: ServerProofPolicy = .whenPresent,
        info: String?
    ) throws -> Bool {
        let verifier = ServerProofVerifier(
            policy: policy,
            computation: computation,
            key: key,
            request: Request.get("https://plants.example/a").head,
            redaction: .standard
        )
        return try verifier.verify(&response, info.flatMap { DigestAuthenticationInfo([$0]) })
    }

    @Test("A server is proven at once by a right proof of what is no content, and by nothing else")
    func verdicts() throws {
        let right = computation.serverResponse(key)
        let ofContent = computation.serverResponse(key, qop: .authInt, contentHash: String(repeating: "0", count: 64))
        let rows: [(ServerProofPolicy, String?, isDecoded: Bool, isProven: Bool, ServerProof)] = [
            (.whenPresent, "rspauth=\"\(right)\"", false, true, .verified),
            (.required, "rspauth=\"\(right.uppercased())\"", false, true, .verified),
            (.ignored, "rspauth=\"\(right)\"", false, false, .none),
            (.whenPresent, nil, false, false, .none),
            (.whenPresent, "nextnonce=m", false, false, .none),
            (.whenPresent, "rspauth=\"\(ofContent)\", qop=auth-int", false, false, .verifiedWhileRead),
            (.whenPresent, "rspauth=\"\(ofContent)\", qop=auth-int", true, false, .notVerifiable),
        ]
        for (policy, info, isDecoded, isProven, status) in rows {
            var response = Response(.ok, headers: [.contentEncoding: "gzip"], body: "content")
            if isDecoded { response.options[OriginalContentFieldsFact.self] = [.contentEncoding: "gzip"] }
            #expect(try verify(&response, policy, info: info) == isProven, "\(policy), \(info ?? "none")")
            #expect(response.options[ServerProofFact.self] == status, "\(policy), \(info ?? "none")")
        }
    }

    @Test("A proof that is wrong, cut, too long or another one's is an error, and so is none where one is required")
    func errors() throws {
        let right = computation.serverResponse(key)
        let wrong = [String(right.dropLast()), right + "0", String(right.reversed()), computation.response(key)]
        var response = Response(.ok)
        for proof in wrong {
            #expect(throws: AuthenticationError.self, "\(proof)") {
                try verify(&response, info: "rspauth=\"\(proof)\"")
            }
        }
        #expect(throws: AuthenticationError.self) { try verify(&response, .required, info: nil) }
        #expect(response.options[ServerProofFact.self] == .none)
    }
}

@Suite("The rules of protection spaces")
struct SpaceRuleTests {
    private let ada = Credential(user: "ada", password: "lovelace")

    private func spaces(_ capacity: Int = 8) -> DigestSpaces { DigestSpaces(capacity: capacity) }

    /// Has a server ask for a path, and accept the answer.
    private func prove(
        _ spaces: DigestSpaces,
        _ space: ProtectionSpace,
        path: String = "/",
        as credential: Credential? = nil,
        parameters: String = "realm=r, nonce=n"
    ) throws {
        _ = spaces.begin(
            try challenge(parameters),
            in: space,
            credential ?? ada,
            path: path,
            cnonce: "c",
            mayGoTo: { _ in false }
        )
        spaces.accept(credential ?? ada, in: space, with: .md5)
    }

    private func realm(_ spaces: DigestSpaces, _ path: String) throws -> String? {
        spaces.covering(path, at: try #require(origin), .origin)?.space.realm
    }

    @Test("The domain of a proxy's challenge means nothing, and a server's own origin needs no leave")
    func domain() throws {
        let place = try #require(origin)
        let narrow = try challenge("realm=r, nonce=n, domain=\"/a\"")
        #expect(DigestDomain(narrow, of: try space(), mayGoTo: { _ in false }).coverage(of: "/b", at: place) == nil)
        let ofProxy = DigestDomain(narrow, of: try space(of: .proxy), mayGoTo: { _ in false })
        #expect(ofProxy.coverage(of: "/b", at: place) == 0)
        let absolute = try challenge("realm=r, nonce=n, domain=\"https://plants.example/b https://trees.example/\"")
        let own = DigestDomain(absolute, of: try space(), mayGoTo: { _ in false })
        #expect(own.coverage(of: "/b/c", at: place) == 2)
        #expect(own.coverage(of: "/", at: try #require(Origin("https://trees.example"))) == nil)
    }

    @Test("Of spaces that cover a path alike the one that asked nearer answers, by segments, the query left out")
    func nearness() throws {
        let rows: [(asked: [String], path: String, expected: String)] = [
            (["/a/x", "/b/x"], "/a/y", "0"), (["/a/x", "/b/x"], "/b/y", "1"), (["/a/x", "/b/x"], "/c", "1"),
            (["/b/x", "/a/x"], "/c", "1"), (["/a/b", "/aaaa/x"], "/a/c", "0"), (["/a?x/y", "/a"], "/a?x/y", "1"),
            (["/a/b/c", "/a/b"], "/a/b/d", "0"),
        ]
        for (asked, path, expected) in rows {
            let spaces = spaces()
            for (index, place) in asked.enumerated() { try prove(spaces, space("\(index)"), path: place) }
            #expect(try realm(spaces, path) == expected, "\(asked), \(path)")
        }
    }

    @Test("The space with the longest path in its domain covers a request, however near the others asked")
    func longestDomain() throws {
        let spaces = spaces()
        try prove(spaces, space("long"), path: "/", parameters: "realm=r, nonce=n, domain=\"/a/b\"")
        try prove(spaces, space("short"), path: "/a/b/c", parameters: "realm=r, nonce=n, domain=\"/a\"")
        #expect(try realm(spaces, "/a/b/c") == "long")
        #expect(try realm(spaces, "/a/c") == "short")
        #expect(try realm(spaces, "/c") == nil)
    }

    @Test("What a proxy has accepted is not sent to a server of the same origin")
    func targets() throws {
        let spaces = spaces()
        try prove(spaces, space(of: .proxy))
        #expect(try realm(spaces, "/") == nil)
        #expect(spaces.covering("/", at: try #require(origin), .proxy) != nil)
    }

    @Test("A new password has to be accepted before it is sent preemptively; the same one stays accepted")
    func newPassword() throws {
        let spaces = spaces()
        try prove(spaces, space())
        func asked(_ credential: Credential) throws {
            let asked = try challenge()
            _ = spaces.begin(asked, in: try space(), credential, path: "/", cnonce: "d", mayGoTo: { _ in false })
        }
        try asked(ada)
        #expect(try realm(spaces, "/") == "r")
        let changed = Credential(user: "ada", password: "byron")
        try asked(changed)
        #expect(try realm(spaces, "/") == nil)
        spaces.accept(ada, in: try space(), with: .md5)
        #expect(try realm(spaces, "/") == nil, "another credential was accepted")
        spaces.accept(changed, in: try space(), with: .md5)
        #expect(try realm(spaces, "/") == "r")
        spaces.reject(changed, in: try space())
        #expect(try realm(spaces, "/") == nil)
    }

    @Test("One space is always remembered, and no more than are allowed", arguments: [(-1, 1), (0, 1), (1, 1), (2, 2)])
    func capacity(allowed: Int, remembered: Int) throws {
        let spaces = spaces(allowed)
        #expect(spaces.isEmpty)
        for realm in ["a", "b", "c"] { try prove(spaces, space(realm)) }
        #expect(spaces.known.withLock { $0.count } == remembered && !spaces.isEmpty)
        #expect(try realm(spaces, "/") == "c")
    }

    @Test("A use is for the algorithm and the protection that were made ready, and for no others")
    func ready() throws {
        let spaces = spaces()
        let asked = "realm=r, nonce=n, algorithm=SHA-256, qop=auth"
        try prove(spaces, space(), parameters: asked)
        #expect(spaces.next(in: try space(), as: try challenge(asked), cnonce: "c")?.use.count == 2)
        for other in ["realm=r, nonce=n, qop=auth", "realm=r, nonce=n, algorithm=SHA-256"] {
            #expect(spaces.next(in: try space(), as: try challenge(other), cnonce: "c") == nil, "\(other)")
        }
        #expect(spaces.next(in: try space("unknown"), as: try challenge(asked), cnonce: "c") == nil)
    }

    @Test(
        "A next nonce that goes with an older challenge is not used, because the request was made ready for another",
        arguments: [("algorithm=MD5", "algorithm=SHA-256"), ("qop=auth", "qop=auth-int")]
    )
    func olderNonce(old: String, new: String) throws {
        for asked in [old, new] {
            let spaces = spaces()
            try prove(spaces, space(), parameters: "realm=r, nonce=a, \(old)")
            try prove(spaces, space(), parameters: "realm=r, nonce=b, \(new)")
            spaces.replace("a", with: "c", of: ada, in: try space())
            let challenge = try challenge("realm=r, nonce=b, \(asked)")
            #expect(spaces.next(in: try space(), as: challenge, cnonce: "c") == nil, "\(asked)")
        }
    }

    @Test(
        "The key of an answer is that of its challenge, whatever the one before asked for",
        arguments: [
            "realm=r, nonce=n, algorithm=SHA-256", "realm=s, nonce=n, algorithm=MD5",
            "realm=r, nonce=n, algorithm=MD5, charset=UTF-8", "realm=r, nonce=m, algorithm=MD5",
        ]
    )
    func keys(parameters: String) throws {
        // Composed where the server reads UTF-8.
        let zoe = Credential(user: "Zoe\u{308}", password: "lovelace")
        let spaces = spaces()
        try prove(spaces, space(), as: zoe, parameters: "realm=r, nonce=n, algorithm=MD5")
        let asked = try challenge(parameters)
        let input = spaces.begin(asked, in: try space(), zoe, path: "/", cnonce: "c", mayGoTo: { _ in false })
        let expected = DigestKey(
            asked.algorithm,
            username: zoe.user,
            realm: asked.realm,
            password: zoe.password,
            isUTF8: asked.isUTF8
        )
        #expect(input?.use.key == expected)
    }

    @Test("Names are composed for a server that reads UTF-8, and as they are for others")
    func composed() {
        func key(_ name: String, _ isUTF8: Bool) -> DigestKey {
            DigestKey(.md5, username: name, realm: "r", password: "p", isUTF8: isUTF8)
        }
        // No letter of it is in ASCII.
        #expect(key("\u{435}\u{308}", true) == key("\u{451}", true))
        #expect(key("\u{435}\u{308}", false) != key("\u{451}", false))
        #expect(key("Zoe\u{308}", true) == key("Zo\u{EB}", true))
    }

    @Test("MD5 is MD5 in its sessions too, and a longer hash is stronger")
    func strength() {
        let weak = DigestAlgorithm.allCases.filter(\.isMD5)
        #expect(Set(weak) == [.md5, .md5Session])
    }

    @Test("An algorithm that is stronger than MD5 is remembered of a server, or of a proxy, once it was accepted")
    func algorithms() throws {
        let spaces = spaces()
        let place = try #require(origin)
        spaces.accept(ada, in: try space(), with: .md5)
        #expect(spaces.provenAlgorithm(at: place, .origin) == nil)
        spaces.accept(ada, in: try space(), with: .sha256)
        #expect(spaces.provenAlgorithm(at: place, .origin) == .sha256)
        #expect(spaces.provenAlgorithm(at: place, .proxy) == nil)
    }

    @Test("The algorithms of 1,024 servers are remembered, and those of others are not")
    func manyServers() throws {
        let spaces = spaces()
        func server(_ number: Int) throws -> Origin { try #require(Origin("https://\(number).example")) }
        for number in 0..<1025 { spaces.accept(ada, in: try space(at: server(number)), with: .sha256) }
        #expect(spaces.provenAlgorithm(at: try server(1023), .origin) == .sha256)
        #expect(spaces.provenAlgorithm(at: try server(1024), .origin) == nil)
        spaces.accept(ada, in: try space(at: server(0)), with: .sha512)
        #expect(spaces.provenAlgorithm(at: try server(0), .origin) == .sha512)
    }

    @Test("64 nonces of a server are remembered, and the client's first nonce stays that of its session")
    func nonces() throws {
        var known = DigestNonces()
        for index in 0..<64 { _ = known.begin(try challenge("realm=r, nonce=\(index)"), key: key, cnonce: "c") }
        #expect(known.begin(try challenge("realm=r, nonce=0"), key: key, cnonce: "c")?.count == 2)
        _ = known.begin(try challenge("realm=r, nonce=64"), key: key, cnonce: "c")
        #expect(known.begin(try challenge("realm=r, nonce=1"), key: key, cnonce: "c")?.count == 1)

        var session = DigestNonces()
        let sessionKey = DigestKey(.sha256Session, username: "ada", realm: "r", password: "lovelace")
        let first = session.begin(try challenge(), key: sessionKey, cnonce: "one")
        let second = session.begin(try challenge(), key: sessionKey, cnonce: "two")
        #expect(first?.cnonce == "one" && second?.cnonce == "one" && second?.key == first?.key)
        session.endSessions()
        #expect(session.begin(try challenge(), key: sessionKey, cnonce: "three")?.cnonce == "three")
    }

    @Test("Everything that RFC 8187 has in no attr-char is percent-encoded in a name")
    func names() throws {
        let ascii = String(decoding: 0x20...0x7E, as: UTF8.self)
        let asked = try challenge("realm=r, nonce=n, charset=UTF-8")
        let computation = DigestComputation(method: "GET", uri: "/", nonce: "n")
        let answer = DigestResponse(asked, username: "\u{E9}" + ascii, computation: computation, key: key)
        let expected =
            "%C3%A9%20!%22#$%25&%27%28%29%2A+%2C-.%2F0123456789%3A%3B%3C%3D%3E%3F%40ABCDEFGHIJKLMNOPQRSTUVWXYZ"
            + "%5B%5C%5D^_`abcdefghijklmnopqrstuvwxyz%7B|%7D~"
        let value = String(decoding: answer.fieldBytes, as: UTF8.self)
        #expect(value.hasPrefix("Digest username*=UTF-8''\(expected), realm="))
    }
}
#endif
