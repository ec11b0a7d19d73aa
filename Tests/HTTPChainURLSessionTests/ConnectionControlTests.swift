#if AllTests
import HTTPChainCore
import HTTPChainURLSession
import TestSupport
import Testing

@Suite("URLSession's connections", .heavy)
struct URLSessionConnectionTests {
    #if canImport(FoundationNetworking)
    @Test("Connections take no setting on Linux: each is refused when the transport is made, with what to do instead")
    func refused() throws {
        let changes: [(String, (inout ConnectionSettings) -> Void)] = [
            ("connectTimeout", { $0.connectTimeout = .seconds(1) }),
            ("minimumTLSVersion", { $0.minimumTLSVersion = .tls13 }),
            ("trust", { $0.trust = .roots(pem: "x") }),
            ("clientIdentity", { $0.clientIdentity = .init(pkcs12: [], passphrase: "") }),
            ("proxy", { $0.proxy = .socks(host: "localhost") }),
            ("allowsExpensiveNetworks", { $0.allowsExpensiveNetworks = false }),
            ("allowsConstrainedNetworks", { $0.allowsConstrainedNetworks = false }),
            ("waitsForConnectivity", { $0.waitsForConnectivity = true }),
        ]
        for (name, change) in changes {
            var settings = ConnectionSettings()
            change(&settings)
            let error = #expect(throws: ConnectionSettingsError.self) { try URLSessionTransport(connection: settings) }
            #expect(error?.description.contains("the setting \(name) on this platform; use AsyncHTTP") == true)
        }
        let transport = try URLSessionTransport(connection: ConnectionSettings())
        let controls: TransportCapabilities = [
            .checksServerTrust, .showsClientIdentity, .choosesNetworks, .limitsConnecting, .usesProxies,
            .choosesTLSVersion,
        ]
        #expect(transport.capabilities.isDisjoint(with: controls))
    }
    #else
    @Test("Connections say on Apple platforms what they can keep, and refuse a connect timeout")
    func capabilities() throws {
        var settings = ConnectionSettings()
        settings.trust = try .system.pinning("example.com", ["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])
        let transport = try URLSessionTransport(connection: settings)
        #expect(transport.capabilities.isSuperset(of: [.checksServerTrust, .reportsConnections, .choosesNetworks]))
        #expect(transport.capabilities.isSuperset(of: [.usesProxies, .choosesTLSVersion]))
        #expect(!transport.capabilities.contains(.limitsConnecting))
        settings.connectTimeout = .seconds(1)
        #expect(throws: ConnectionSettingsError.self) { try URLSessionTransport(connection: settings) }
    }
    #endif

    @Test("Connections are reported with what is known of them, where the platform tells, and not at all elsewhere")
    func reports() async throws {
        let transport = URLSessionTransport()
        let connections = Counter()
        let reports = Events<ConnectionMetrics>()
        try await withServer { connection in
            connections.add()
            try await answering({ _ in .reply("200 OK", body: "plants") })(connection)
        } _: { base async throws in
            for _ in 0..<2 {
                var request = Request.get(base + "/")
                request.options[ConnectionReportNote.self] = { reports.add($0) }
                #expect(try await transport.send(request).body.text() == "plants")
            }
            guard transport.capabilities.contains(.reportsConnections) else {
                #expect(reports.all.isEmpty)
                return
            }
            let (first, second) = (try await reports.next(), try await reports.next())
            #expect(first.isReused == false)
            #expect(second.isReused == (connections.value == 1))
            #expect(first.isProxied == false)
            #expect(first.isExpensive != nil && first.isConstrained != nil)
        }
    }
}
#endif
