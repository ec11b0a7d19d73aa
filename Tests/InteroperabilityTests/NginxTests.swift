#if AllTests
import Foundation
import HTTPChain
import TestSupport
import Testing

@Suite("Against nginx", .heavy, .timeLimit(.minutes(10)))
struct NginxTests {
    @Test("A file that nginx compresses on the way comes back as it was stored", arguments: Carrier.allCases)
    func compressedByNginx(carrier: Carrier) async throws {
        guard let base = Server.nginx.base() else { return }
        let chain = try carrier.chain(to: base)
        let path = "stored/\(UUID().uuidString).txt"
        #expect(try await chain.send(.put(path, body: HTTPBody(longText))).status == .created)
        let response = try await chain.send(.get(path))
        #expect(response.options[OriginalContentFieldsFact.self][.contentEncoding] == "gzip")
        #expect(response.headers[.contentEncoding] == nil)
        #expect(response.headers[.contentLength] == nil)
        #expect(try await response.body.text() == longText)
    }

    @Test("nginx decompresses what the chain compressed", arguments: Carrier.allCases)
    func decompressedByNginx(carrier: Carrier) async throws {
        guard let base = Server.nginx.base() else { return }
        let chain = try carrier.chain(to: base, compressing: .standard)
        let path = "compressed/\(UUID().uuidString).txt"
        #expect(try await chain.send(.put("\(path).gz", body: HTTPBody(longText))).status == .created)
        // Stored as it came: nginx itself must undo the coding for a client that takes none.
        let plain = try await chain.send(.get(path, headers: [.acceptEncoding: "identity"]))
        #expect(plain.options[OriginalContentFieldsFact.self][.contentEncoding] == nil)
        #expect(try await plain.body.text() == longText)
        let encoded = try await chain.send(.get(path))
        #expect(encoded.options[OriginalContentFieldsFact.self][.contentEncoding] == "gzip")
        #expect(try await encoded.body.text() == longText)
    }

    @Test("A file that is not there is a StatusError", arguments: Carrier.allCases)
    func missing(carrier: Carrier) async throws {
        guard let base = Server.nginx.base() else { return }
        let error = await #expect(throws: StatusError.self) {
            try await carrier.chain(to: base).send(.get("stored/none.txt"))
        }
        #expect(error?.status == .notFound)
        #expect(try await error?.response.body.text().contains("404 Not Found") == true)
    }

    @Test("Basic opens a folder with the right password alone, as with curl", arguments: Carrier.allCases)
    func basic(carrier: Carrier) async throws {
        guard let base = Server.nginx.base() else { return }
        for user in [User.ada, User.doe] {
            for (credential, expected) in [(user, 200), (User.mistaken(user), 401)] {
                let calls = try AuthenticatedCalls(base, carrier, credential)
                for _ in 0..<2 { #expect(try await calls.status("basic/file.txt") == expected, "\(credential)") }
                if expected == 200 { #expect(calls.statuses == [401, 200, 200]) }
                if let curl = try await Curl.status("\(base)/basic/file.txt", credential) { #expect(curl == expected) }
            }
        }
    }
}
#endif
