#if AllTests
import Foundation
import HTTPChain
import HTTPChainAuthDigest
import TestSupport
import Testing

@Suite("Against httpbin, authenticated", .heavy, .timeLimit(.minutes(10)))
struct HTTPBinAuthTests {
    private static let ada = Credential(user: "ada", password: "lovelace")

    /// SHA-512 is in no RFC: httpbin, Python's requests and this package speak it, and curl does not.
    @Test(
        "Digest with each protection and algorithm accepts the right password alone, as with curl",
        arguments: ["auth", "auth-int", "both"],
        ["MD5", "SHA-256", "SHA-512"]
    )
    func digest(qop: String, algorithm: String) async throws {
        guard let base = Server.httpbin.base() else { return }
        for carrier in Carrier.allCases {
            let path = "digest-auth/\(qop)/ada/lovelace/\(algorithm)"
            try await AuthenticatedCalls.checkPasswords(
                for: path,
                at: base,
                over: carrier,
                of: [Self.ada],
                withCurl: algorithm != "SHA-512"
            )
        }
    }

    @Test("A nonce that httpbin calls stale is replaced without asking for the password", arguments: Carrier.allCases)
    func stale(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, Self.ada, cookies: true)
        for _ in 0..<4 { #expect(try await calls.status("digest-auth/auth/ada/lovelace/MD5/2") == 200) }
        #expect(calls.statuses.filter { $0 == 200 }.count == 4)
        #expect(calls.statuses.filter { $0 == 401 }.count >= 2)
        #expect(calls.askedCount == 1)
    }

    @Test("Basic accepts the right password alone, as with curl", arguments: Carrier.allCases)
    func basic(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let path = "basic-auth/ada/lovelace"
        try await AuthenticatedCalls.checkPasswords(for: path, at: base, over: carrier, of: [Self.ada])
    }

    @Test("A place that hides without Basic is opened by sending it preemptively", arguments: Carrier.allCases)
    func hidden(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let url = "\(base)/hidden-basic-auth/ada/lovelace"
        for (password, expected) in [("lovelace", 200), ("love", 404)] as [(Secret, Int)] {
            let chain = try Chain(transport: carrier.transport) {
                BasicAuthMiddleware(
                    user: "ada",
                    password: password,
                    for: OriginSet(urls: [base]),
                    sending: .preemptively
                )
            }
            #expect(try await chain.send(.get(url)).status.code == expected)
        }
    }

    @Test("A token set by hand passes", arguments: Carrier.allCases)
    func bearer(carrier: Carrier) async throws {
        guard let base = Server.httpbin.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, Self.ada)
        #expect(try await calls.status("bearer") == 401)
        #expect(try await calls.send(.get("bearer", headers: [.authorization: "Bearer abc"])).status == .ok)
    }
}
#endif
