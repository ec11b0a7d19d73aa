#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainCore
import HTTPChainTesting
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import HTTPChainAsyncHTTPClient

/// How connections are made, against openssl's own server on loopback.
@Suite(
    "Connection control",
    .serialized,
    .heavy,
    .enabled(if: TLSFixture.isAvailable || Programs.areRequired, "openssl is not installed"),
    .timeLimit(.minutes(10))
)
struct ConnectionControlTests {
    private func get(
        _ port: Int,
        _ settings: ConnectionSettings,
        _ prepare: (inout Request) -> Void = { _ in }
    ) async throws -> String {
        let transport = try AsyncHTTPClientTransport(connection: settings)
        var request = Request.get("https://localhost:\(port)/")
        prepare(&request)
        do {
            let text = try await transport.send(request).body.text()
            try await transport.shutdown()
            return text
        } catch {
            try await transport.shutdown()
            throw error
        }
    }

    private func failure(_ port: Int, _ settings: ConnectionSettings) async throws -> TransportError {
        try #require(await #expect(throws: TransportError.self) { _ = try await get(port, settings) })
    }

    @Test("A server is trusted when its certificate leads to a root of the settings, and not otherwise")
    func roots() async throws {
        let fixture = try await TLSFixture()
        try await fixture.withServer { port in
            let refused = try await failure(port, ConnectionSettings())
            #expect(refused.kind == .untrustedServer)
            #expect(refused.sent == .nothing)
            var settings = ConnectionSettings()
            settings.trust = try .roots(pem: fixture.authority)
            #expect(try await get(port, settings).contains("TLS"))
        }
    }

    @Test("A host that shows the pinned key is connected to, by each transport's own protocol report")
    func pinned() async throws {
        let fixture = try await TLSFixture()
        let reports = Events<ConnectionMetrics>()
        try await fixture.withServer { port in
            var settings = ConnectionSettings()
            settings.trust = try await ServerTrust.roots(pem: fixture.authority)
                .pinning("localhost", [fixture.pin(of: "client"), fixture.pin(of: "server")])
            let text = try await get(port, settings) { $0.options[ConnectionReportNote.self] = { reports.add($0) } }
            #expect(text.contains("TLS"))
        }
        #expect(reports.all.map(\.protocolName) == ["http/1.0"])
    }

    @Test("A host that shows another key is refused before anything is sent, and reported")
    func mismatch() async throws {
        let fixture = try await TLSFixture()
        let reports = Events<PinMismatch>()
        let (reserve, own) = (try await fixture.pin(of: "client"), try await fixture.pin(of: "server"))
        try await fixture.withServer { port in
            var settings = ConnectionSettings()
            settings.trust = try .roots(pem: fixture.authority).pinning("localhost", [reserve]) { reports.add($0) }
            let refused = try await failure(port, settings)
            #expect(refused.kind == .untrustedServer)
            #expect(refused.sent == .nothing)
            #expect(refused.reason.contains(own))
            // Reported only, the call goes on; a host that is not named needs no pin.
            settings.trust = try .roots(pem: fixture.authority)
                .pinning("localhost", [reserve], isEnforced: false) { reports.add($0) }
            #expect(try await get(port, settings).contains("TLS"))
            settings.trust = try .roots(pem: fixture.authority).pinning("example.com", [reserve])
            #expect(try await get(port, settings).contains("TLS"))
        }
        #expect(reports.all.map(\.isEnforced) == [true, false])
        #expect(try reports.all.allSatisfy { try $0.shown == [PublicKeyPin(own)] && $0.host == "localhost" })
    }

    @Test("The report of a key that is pinned for a pattern names the host, and so does the error")
    func mismatchOfPattern() async throws {
        let fixture = try await TLSFixture()
        let reserve = try PublicKeyPin(try await fixture.pin(of: "client"))
        let own = try PublicKeyPin(try await fixture.pin(of: "server"))
        let reports = Events<PinMismatch>()
        let trust = try ServerTrust.system.pinning("*.example.com", [reserve.description]) { reports.add($0) }
        let keys = try #require(trust.pinned.first)
        let request = try Request.get("https://plants.example.com/").forWire()
        let translation = ErrorTranslation(request: request, upload: Upload(request, progress: nil))
        let error = translation.translate(PinMismatchError(pinned: keys, shown: own), response: nil) as? TransportError
        #expect(error?.kind == .untrustedServer)
        #expect(error?.sent == .nothing)
        #expect(error?.detail.hasPrefix("plants.example.com presented \(own)") == true, "\(String(describing: error))")
        #expect(reports.all.map(\.host) == ["plants.example.com"])
        let bare = translation.translate(PinMismatchError(pinned: keys, shown: nil), response: nil) as? TransportError
        #expect(bare?.detail == "plants.example.com presented no certificate")
    }

    @Test("An error of a request that no connection began to send says that nothing was sent, and keeps its cause")
    func unsent() throws {
        let request = try Request.post("https://plants.example.com/", body: "fern").forWire()
        let translation = ErrorTranslation(request: request, upload: Upload(request, progress: nil))
        for (error, sent) in [
            (HTTPClientError.remoteConnectionClosed as any Error, TransportError.Sent.maybe),
            (UnsentError(cause: HTTPClientError.remoteConnectionClosed), .nothing),
        ] {
            let translated = try #require(translation.translate(error, response: nil) as? TransportError)
            #expect(translated.kind == .connectionLost && translated.sent == sent)
            #expect(translated.underlyingError as? HTTPClientError == .remoteConnectionClosed)
        }
    }

    @Test("A server with an older version of TLS than the settings accept is refused")
    func oldTLS() async throws {
        let fixture = try await TLSFixture()
        try await fixture.withServer(["-tls1_2"]) { port in
            var settings = ConnectionSettings()
            settings.trust = try .roots(pem: fixture.authority)
            settings.minimumTLSVersion = .tls12
            #expect(try await get(port, settings).contains("TLSv1.2"))
            settings.minimumTLSVersion = .tls13
            #expect(try await failure(port, settings).kind == .secureConnectionFailed)
        }
    }

    @Test("A server that demands a client certificate is shown the one of the settings")
    func clientCertificate() async throws {
        let fixture = try await TLSFixture()
        try await fixture.withServer(["-Verify", "1", "-CAfile", "ca.pem", "-verify_return_error"]) { port in
            var settings = ConnectionSettings()
            settings.trust = try .roots(pem: fixture.authority)
            _ = try await failure(port, settings)
            settings.clientIdentity = .init(
                pkcs12: try fixture.directory.content(of: "client.p12"),
                passphrase: "hunter2"
            )
            #expect(try await get(port, settings).contains("Client certificate"))
            settings.clientIdentity = .init(pkcs12: try fixture.directory.content(of: "client.p12"), passphrase: "x")
            let error = #expect(throws: ConnectionSettingsError.self) {
                try AsyncHTTPClientTransport(connection: settings)
            }
            #expect(error?.description.contains("clientIdentity is invalid") == true)
        }
    }

    @Test("A server that accepts the connection and says nothing ends the call at the connect timeout")
    func connectTimeout() async throws {
        // Accepts, and never answers the client's first message of TLS.
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        var settings = ConnectionSettings()
        settings.connectTimeout = .milliseconds(200)
        let error = try await failure(try #require(silent.localAddress?.port), settings)
        #expect(error.kind == .timedOut)
        #expect(error.sent == .nothing)
        try await silent.close()
    }

    @Test(
        "A connect timeout beyond a year is a year, and one below zero is zero",
        arguments: [
            (Duration.seconds(10_000_000_000), TimeAmount.seconds(31_536_000)),
            (.seconds(Int64.max), .seconds(31_536_000)),
            (.seconds(Int64.min), .zero),
            (.milliseconds(1500), .milliseconds(1500)),
        ]
    )
    func boundedConnectTimeout(_ timeout: Duration, _ expected: TimeAmount) throws {
        var settings = ConnectionSettings()
        settings.connectTimeout = timeout
        var configuration = HTTPClient.Configuration()
        try ClientSettings(settings).apply(to: &configuration)
        #expect(configuration.timeout.connect == expected)
    }

    @Test("Requests go to the proxy, with its user and password")
    func proxy() async throws {
        let server = try await LoopbackServer.start { try await $0.reply(200) }
        var settings = ConnectionSettings()
        settings.proxy = .http(host: "127.0.0.1", port: Int(server.port), user: "ada", password: "lovelace")
        let transport = try AsyncHTTPClientTransport(connection: settings)
        _ = try await transport.send(.get("http://plants.example/a")).body.text()
        try await transport.shutdown()
        await server.stop()
        let credentials = Data("ada:lovelace".utf8).base64EncodedString()
        let request = try #require(server.records.first?.request)
        #expect("\(request.method) \(request.target)" == "CONNECT plants.example:80")
        #expect(request.values("Proxy-Authorization") == ["Basic \(credentials)"])
    }

    @Test(
        "A proxy whose port is none is refused when the transport is made",
        arguments: [Int.min, -1, 0, 65_536, 65_536 + 3128, .max]
    )
    func proxyPort(port: Int) {
        for proxy in [
            ConnectionSettings.Proxy.http(host: "127.0.0.1", port: port, user: "ada", password: "lovelace"),
            .socks(host: "127.0.0.1", port: port),
        ] {
            var settings = ConnectionSettings()
            settings.proxy = proxy
            let error = #expect(throws: ConnectionSettingsError.self) {
                try AsyncHTTPClientTransport(connection: settings)
            }
            #expect(error?.problem == .invalid(setting: "proxy", why: "\(port) is not a port; ports are 1 to 65535"))
        }
    }

    @Test("A setting that the client cannot keep is refused when the transport is made")
    func unsupported() {
        var settings = ConnectionSettings()
        settings.waitsForConnectivity = true
        let error = #expect(throws: ConnectionSettingsError.self) {
            try AsyncHTTPClientTransport(connection: settings)
        }
        #expect(error?.recoverySuggestion?.contains("URLSessionTransport") == true)
        #expect(error?.description.contains("waitsForConnectivity") == true)
    }

    @Test("Public keys are put into the form that is pinned as openssl does it")
    func subjectPublicKeyInfo() async throws {
        let fixture = try await TLSFixture()
        for (curve, size) in [("prime256v1", 65), ("secp384r1", 97), ("secp521r1", 133)] {
            _ = try await fixture.run("ecparam", "-name", curve, "-genkey", "-noout", "-out", "\(curve).key")
            let der = try await fixture.run("pkey", "-in", "\(curve).key", "-pubout", "-outform", "der")
            #expect(SubjectPublicKeyInfo.der(ecPoint: Array(der.suffix(size))) == Array(der))
        }
        for bits in ["2048", "3072"] {
            _ = try await fixture.run("genrsa", "-out", "rsa\(bits).key", bits)
            let der = try await fixture.run("rsa", "-in", "rsa\(bits).key", "-pubout", "-outform", "der")
            let key = try await fixture.run("rsa", "-in", "rsa\(bits).key", "-RSAPublicKey_out", "-outform", "der")
            #expect(SubjectPublicKeyInfo.der(rsa: Array(key)) == Array(der))
        }
        #expect(SubjectPublicKeyInfo.der(ecPoint: [4]) == nil)
    }
}
#endif
