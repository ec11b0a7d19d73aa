import Foundation
import HTTPChainCore
import Testing

@Suite("Pins of public keys")
struct ServerTrustTests {
    private let one = "sha256/" + Data(repeating: 1, count: 32).base64EncodedString()
    private let two = "sha256/" + Data(repeating: 2, count: 32).base64EncodedString()

    @Test(
        "Pins are read as RFC 7469 writes them, and anything else is refused",
        arguments: ["sha256/abc", "sha1/", "", "x"]
    )
    func malformed(text: String) throws {
        #expect(try PublicKeyPin(one).description == one)
        let error = #expect(throws: ConnectionSettingsError.self) { try PublicKeyPin(text) }
        #expect(error?.description.contains("not sha256/ followed by 32 bytes") == true)
    }

    @Test("Pins need at least one key")
    func empty() {
        #expect(throws: ConnectionSettingsError.self) { try ServerTrust.system.pinning("example.com", []) }
    }

    @Test(
        "Pins belong to one host, or to the names one level below it",
        arguments: [
            ("example.com", "example.com", true), ("example.com", "EXAMPLE.com", true),
            ("Example.com", "example.com", true), ("example.com", "a.example.com", false),
            ("*.example.com", "a.example.com", true), ("*.example.com", "example.com", false),
            ("*.example.com", "a.b.example.com", false), ("*.example.com", "badexample.com", false),
            ("*.example.com", ".example.com", false), ("localhost", "localhost.", true),
            ("localhost.", "localhost", true), ("*.example.com", "a.example.com.", true),
            ("bücher.example", "xn--bcher-kva.example.", true), ("127.0.0.1", "0x7f.1", true),
            ("::1", "[::1]", true), ("[::1]", "0:0:0:0:0:0:0:1", true), ("10.0.0.1", "10.0.0.2", false),
        ]
    )
    func hosts(pattern: String, host: String, matches: Bool) throws {
        let trust = try ServerTrust.system.pinning(pattern, [one])
        #expect(trust.pinned.first?.matches(host) == matches)
    }

    @Test(
        "Pins are for hosts alone",
        arguments: ["", "https://example.com", "example.com:443", "a b", "*.", "1.2.3.4.5"]
    )
    func noHosts(host: String) {
        let error = #expect(throws: ConnectionSettingsError.self) { try ServerTrust.system.pinning(host, [one]) }
        #expect(error?.description.contains("is not a host name") == true)
    }

    @Test("Pins are kept by any key in common, and a mismatch is reported whether it is enforced or not")
    func verdict() throws {
        let reports = Locked<[PinMismatch]>([])
        for isEnforced in [true, false] {
            let trust = try ServerTrust.system.pinning("example.com", [one], isEnforced: isEnforced) { mismatch in
                reports.withLock { $0.append(mismatch) }
            }
            let keys = try #require(trust.pinned.first)
            #expect(try keys.mismatch(of: "example.com", showing: [PublicKeyPin(two), PublicKeyPin(one)]) == nil)
            #expect(try (keys.mismatch(of: "example.com", showing: [PublicKeyPin(two)]) != nil) == isEnforced)
        }
        #expect(reports.withLock { $0.map(\.isEnforced) } == [true, false])
        #expect(reports.withLock { $0.first?.description.contains(two) } == true)
    }
}
