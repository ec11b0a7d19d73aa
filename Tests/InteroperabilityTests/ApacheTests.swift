#if AllTests
import Foundation
import HTTPChain
import HTTPChainAuthDigest
import TestSupport
import Testing

@Suite("Against Apache", .heavy, .timeLimit(.minutes(10)))
struct ApacheTests {
    private static let folders = ["digest", "onetime", "next", "domain", "basic"]

    @Test("Right credentials open each folder and wrong ones none, as with curl", arguments: Carrier.allCases, folders)
    func folder(carrier: Carrier, folder: String) async throws {
        guard let base = Server.apache.base() else { return }
        try await AuthenticatedCalls.checkPasswords(for: "\(folder)/file.txt", at: base, over: carrier)
    }

    @Test("Apache proves that it knows the password", arguments: Carrier.allCases, folders.dropLast())
    func proof(carrier: Carrier, folder: String) async throws {
        guard let base = Server.apache.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada, proof: .required)
        for _ in 0..<3 {
            let response = try await calls.send(.get("\(folder)/file.txt"))
            #expect(response.serverProof == .verified)
            #expect(try await response.body.text() == "\(folder) content\n")
        }
    }

    @Test(
        "Apache asks once, whether its nonces are good for long or once",
        arguments: Carrier.allCases,
        ["digest", "onetime", "next"]
    )
    func asksOnce(carrier: Carrier, folder: String) async throws {
        guard let base = Server.apache.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada)
        for _ in 0..<5 { #expect(try await calls.status("\(folder)/file.txt") == 200) }
        #expect(calls.statuses == [401, 200, 200, 200, 200, 200])
        #expect(calls.askedCount == 1)
    }

    @Test("A nonce that Apache calls stale is replaced without asking for the password", arguments: Carrier.allCases)
    func stale(carrier: Carrier) async throws {
        guard let base = Server.apache.base() else { return }
        // Not told the next nonce, the chain uses again what was good once.
        let calls = try AuthenticatedCalls(base, carrier, User.ada, hidingInfo: true)
        for _ in 0..<3 { #expect(try await calls.status("onetime/file.txt") == 200) }
        #expect(calls.statuses == [401, 200, 401, 200, 401, 200])
        #expect(calls.askedCount == 1)
    }

    @Test("Answers are sent preemptively inside the domain alone", arguments: Carrier.allCases)
    func domain(carrier: Carrier) async throws {
        guard let base = Server.apache.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada)
        for path in ["domain/file.txt", "domain/file.txt?again", "digest/file.txt", "digest/file.txt?again"] {
            #expect(try await calls.status(path) == 200)
        }
        // The two folders have the same realm: the second one's challenge widens the space to all of the server.
        #expect(calls.statuses == [401, 200, 200, 401, 200, 200])
        #expect(calls.askedCount == 1)
    }

    @Test(
        "The target in the answer is the one on the request line, or Apache would refuse it",
        arguments: Carrier.allCases,
        [
            "digest/file.txt?x=1&y=%20&z", "digest/file.txt?", "digest/file.txt?a=%2Fb%3f&c=(d)'!*;,@:$",
            "digest/file.txt?[x]=1", "digest/%66ile.txt", "digest//file.txt",
            "digest/file%2etxt?q=%C3%A4", "digest/none%20here", "digest/file.txt?q=\"",
        ]
    )
    func target(carrier: Carrier, path: String) async throws {
        guard let base = Server.apache.base() else { return }
        let path = path.replacing("\"", with: "%22")
        let status = path.contains("none") ? 404 : 200
        try await AuthenticatedCalls.checkPasswords(for: path, at: base, over: carrier, of: [User.ada], opening: status)
    }

    @Test("Bodies are sent again with the answer", arguments: Carrier.allCases)
    func upload(carrier: Carrier) async throws {
        guard let base = Server.apache.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada)
        let path = "writable/\(UUID().uuidString).txt"
        #expect(try await calls.send(.put(path, body: HTTPBody(longText))).status == .created)
        #expect(try await calls.send(.get(path)).body.text() == longText)
        #expect(try await calls.send(.delete(path)).status == .noContent)
        #expect(calls.statuses == [401, 201, 200, 204])
        let mistaken = try AuthenticatedCalls(base, carrier, User.mistaken(User.ada))
        #expect(try await mistaken.send(.put(path, body: HTTPBody(longText))).status == .unauthorized)
    }

    @Test(
        "The methods are proven with the rest, as with curl",
        arguments: Carrier.allCases,
        ["POST", "OPTIONS", "DELETE"]
    )
    func methods(carrier: Carrier, method: String) async throws {
        guard let base = Server.apache.base() else { return }
        let verb = try #require(HTTPRequest.Method(rawValue: method))
        for credential in [User.ada, User.mistaken(User.ada)] {
            let calls = try AuthenticatedCalls(base, carrier, credential)
            let response = try await calls.send(Request(verb, "digest/file.txt"))
            _ = try await response.body.collect()
            // A file is served to POST as to GET, and nothing removes it.
            let allowed = method == "DELETE" ? 405 : 200
            #expect(response.status.code == (credential == User.ada ? allowed : 401))
            #expect(calls.statuses == [401, response.status.code])
            if let curl = try await Curl.status("\(base)/digest/file.txt", credential, method: method) {
                #expect(response.status.code == curl)
            }
        }
    }

    @Test("Many calls at the same time ask once for the password", arguments: Carrier.allCases, ["digest", "onetime"])
    func concurrent(carrier: Carrier, folder: String) async throws {
        guard let base = Server.apache.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<32 {
                group.addTask { try await calls.status("\(folder)/file.txt?\(index)") }
            }
            let statuses = try await group.reduce(into: []) { $0.append($1) }
            let opened = statuses.count { $0 == 200 }
            if folder == "digest" {
                #expect(opened == 32)
                #expect(calls.askedCount == 1)
            } else {
                // A nonce that is good once cannot be shared: those who come second may be rejected twice.
                #expect(opened >= 1)
                #expect(statuses.allSatisfy { $0 == 200 || $0 == 401 })
                let wire = calls.statuses
                #expect(wire.count { $0 == 200 } == opened, "an answer that opened was not sent again")
                #expect(wire.count { $0 == 401 } >= 2 * (32 - opened), "nobody gave up at the first rejection")
                #expect(wire.allSatisfy { $0 == 200 || $0 == 401 })
                #expect(calls.askedCount <= 32)
            }
        }
        // Whatever happened among them, the next one is let in.
        #expect(try await calls.status("\(folder)/file.txt?after") == 200)
    }
}
#endif
