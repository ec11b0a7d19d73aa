#if AllTests && Valkey
import Foundation
import HTTPChainCore
import HTTPChainRateLimit
import HTTPChainRateLimitValkey
import HTTPChainValkey
import TestSupport
import Testing
import ValkeyServer

@Suite("A server that is none of ours", .heavy, .timeLimit(.minutes(10)))
struct HostileServerTests {
    private static let ping = ValkeyCommand(["PING"])

    @Test(
        "Bytes that nobody asked for close the connection, and are no reply to what is sent after them",
        arguments: ["*67108864\r\n:1\r\n", "+FORGED\r\n", "+FORGED\r\n+FORGED\r\n", "$20\r\n", "\r"]
    )
    func unasked(bytes: String) async throws {
        let commands = Counter()
        let server = try await FakeServer.started { _ in
            let pong = Array("+PONG\r\n".utf8)
            // The first command is that of the connection.
            return commands.add() == 1 ? pong + Array(bytes.utf8) : pong
        }
        let client = ValkeyClient(server.settings)
        try await until("a reply") {
            let reply = try? await client.send(Self.ping)
            #expect(reply != .text("FORGED"))
            return reply == .text("PONG")
        }
        #expect(commands.value >= 3, "one for each connection, and the one that was replied to")
        await client.shutdown()
    }

    @Test("A number beyond the ports is no other port")
    func port() async throws {
        let commands = Counter()
        let server = try await FakeServer.started { _ in
            commands.add()
            return Array("+PONG\r\n".utf8)
        }
        for port in [-1, 0, server.settings.port - 65_536, server.settings.port + 65_536] {
            var settings = server.settings
            settings.port = port
            let client = ValkeyClient(settings)
            let error = await #expect(throws: ValkeyError.self) { try await client.send(Self.ping) }
            #expect(error?.kind == .unavailable)
            #expect(error?.detail == "\(port) is not a port; ports are 1 to 65535")
            await client.shutdown()
        }
        #expect(commands.value == 0)
    }

    @Test("A reply beyond the limits ends its command at once as malformed")
    func endless() async throws {
        let server = try await FakeServer.started { command in
            Array((command == [Array("ENDLESS".utf8)] ? "*67108864\r\n:1\r\n" : "+PONG\r\n").utf8)
        }
        let client = ValkeyClient(server.settings)
        let error = await #expect(throws: ValkeyError.self) { try await client.send(ValkeyCommand(["ENDLESS"])) }
        #expect(error?.kind == .malformedReply)
        await client.shutdown()
    }

    @Test(
        "The text of a server's error is redacted, escaped and cut",
        arguments: [
            ("ERR \u{1B}[2J\u{9B}31m\n\u{202E}x", "ERR \\u{1B}[2J\\u{9B}31m\\u{A}\\u{202E}x"),
            ("ERR https://a.example/?token=hunter2hunter2", "ERR https://a.example/?token=<redacted>"),
            ("WRONGPASS tr0ub4dor&3 is wrong", "WRONGPASS <redacted> is wrong"),
        ]
    )
    func errorText(text: String, shown: String) async throws {
        let server = try await FakeServer.started { command in
            command.first == Array("AUTH".utf8) ? Array("+OK\r\n".utf8) : RESPValue.error(text).encoded
        }
        var settings = server.settings
        settings.password = Secret("tr0ub4dor&3")
        let client = ValkeyClient(settings)
        let error = await #expect(throws: ValkeyError.self) { try await client.send(Self.ping) }
        #expect(error?.detail == shown)
        await client.shutdown()
    }

    @Test("A long error text is cut, and so is one with which a connection is refused")
    func longText() async throws {
        let word = String(repeating: "a", count: 5000)
        let server = try await FakeServer.started { _ in RESPValue.error("\u{1B}" + word).encoded }
        let client = ValkeyClient(server.settings)
        let error = await #expect(throws: ValkeyError.self) { try await client.send(Self.ping) }
        #expect(error?.kind == .server)
        #expect(error?.detail == "\\u{1B}" + word.prefix(199))
        await client.shutdown()
    }

    @Test("A wait that no script returns is a malformed reply", arguments: [Int64.min, -1, .max])
    func waits(number: Int64) async throws {
        let server = try await FakeServer.started { command in
            FakeServer.script(command) == nil ? RESPValue.null.encoded : RESPValue.number(number).encoded
        }
        let client = ValkeyClient(server.settings)
        let store = ValkeyRateLimitStore(client, whenAway: .fail)
        let error = await #expect(throws: ValkeyError.self) {
            try await store.take(1, of: "a", limits: [RateLimit(1, per: .seconds(1))], at: .zero)
        }
        #expect(error?.kind == .malformedReply)
        await client.shutdown()
    }
}
#endif
