#if AllTests
import Foundation
import HTTPChain
import HTTPChainAuthDigest
import TestSupport
import Testing

@Suite("Against lighttpd", .heavy, .timeLimit(.minutes(10)))
struct LighttpdTests {
    private static let folders = [
        "md5", "sha256", "sha512256", "choice", "userhash-md5", "userhash-sha256", "userhash-sha512256", "basic",
    ]

    /// Where curl answers: until 8.8 it computed SHA-512-256 with SHA-256, and was refused.
    private static let foldersOfCurl: Set = ["md5", "sha256", "userhash-md5", "userhash-sha256", "basic"]

    @Test("Right credentials open each folder and wrong ones none, as with curl", arguments: Carrier.allCases, folders)
    func folder(carrier: Carrier, folder: String) async throws {
        guard let base = Server.lighttpd.base() else { return }
        try await AuthenticatedCalls.checkPasswords(
            for: "\(folder)/file.txt",
            at: base,
            over: carrier,
            withCurl: Self.foldersOfCurl.contains(folder)
        )
    }

    @Test("lighttpd asks once", arguments: Carrier.allCases, folders)
    func asksOnce(carrier: Carrier, folder: String) async throws {
        guard let base = Server.lighttpd.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada)
        for index in 0..<4 { #expect(try await calls.status("\(folder)/file.txt?\(index)") == 200) }
        #expect(calls.statuses == [401, 200, 200, 200, 200])
        #expect(calls.askedCount == 1)
    }

    @Test("Of several algorithms the strongest is chosen", arguments: Carrier.allCases)
    func strongest(carrier: Carrier) async throws {
        guard let base = Server.lighttpd.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada)
        let response = try await calls.send(.get("choice/file.txt").authentication(false))
        let offered = response.challenges(.origin).compactMap { DigestChallenge($0)?.algorithm }
        #expect(Set(offered) == [.md5, .sha256, .sha512256])
        let answered = try await calls.send(.get("choice/file.txt"))
        let field = try #require(answered.request?.headerFields[.authorization])
        #expect(Challenge.parse([field]).first?["algorithm"] == "SHA-512-256")
    }

    @Test("Many calls at the same time ask once for the password", arguments: Carrier.allCases)
    func concurrent(carrier: Carrier) async throws {
        guard let base = Server.lighttpd.base() else { return }
        let calls = try AuthenticatedCalls(base, carrier, User.ada)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<64 {
                group.addTask { try await calls.status("sha512256/file.txt?\(index)") }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(calls.askedCount == 1)
    }
}
#endif
