#if Valkey
package import Foundation
import HTTPChainCore
package import HTTPChainValkey
import TestSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A Valkey or Redis server of a test's own, on a free port of this machine; it keeps nothing on the disk.
package final class Server: Sendable {
    package static var program: URL? { Programs.find("valkey-server") ?? Programs.find("redis-server") }

    private struct DidNotStart: Error {}

    package let port: Int
    private let scratch: ScratchDirectory
    private let options: [String]
    private let roots: String?
    private let process = Locked<Process?>(nil)

    /// Starts a server, on another port where the first ones are taken.
    ///
    /// - Parameters:
    ///   - options: More of its options.
    ///   - roots: Over TLS, which the options have key and certificate for, a file with whom to trust.
    package static func started(_ options: [String] = [], trusting roots: String? = nil) async throws -> Server {
        for _ in 0..<5 {
            do { return try await Server(options, roots) } catch is DidNotStart {}
        }
        return try await Server(options, roots)
    }

    private init(_ options: [String], _ roots: String?) async throws {
        port = try Self.freePort()
        scratch = try ScratchDirectory.created()
        self.roots = roots
        self.options =
            roots == nil ? options : options + ["--port", "0", "--tls-port", "\(port)", "--tls-auth-clients", "no"]
        try await start()
    }

    deinit { kill() }

    package var settings: ValkeySettings {
        var settings = ValkeySettings(host: roots == nil ? "127.0.0.1" : "localhost", port: port)
        if let roots { settings.tls = .roots(file: roots) }
        settings.reconnection = .milliseconds(5)...(.milliseconds(50))
        // Enough for a machine that is busy.
        settings.commandTimeout = .seconds(20)
        settings.connectTimeout = .seconds(20)
        return settings
    }

    /// Starts it, empty, on the same port as before.
    package func start() async throws {
        let process = Process()
        process.executableURL = Self.program
        process.arguments =
            ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"]
            + ["--dir", scratch.url.path, "--logfile", "log"] + options
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process.withLock { $0 = process }
        let client = ValkeyClient(settings)
        try await until("the server to answer") {
            // Somebody else may have taken the port meanwhile.
            guard process.isRunning else { throw DidNotStart() }
            // An answer that is an error is one, too: it may want a password.
            do { _ = try await client.send(ValkeyCommand(["PING"])) } catch let error as ValkeyError {
                return error.kind == .server
            }
            return true
        }
        await client.shutdown()
    }

    package func kill() { signal(SIGKILL, waiting: true) }
    package func freeze() { signal(SIGSTOP, waiting: false) }
    package func thaw() { signal(SIGCONT, waiting: false) }

    private func signal(_ number: Int32, waiting: Bool) {
        guard let process = process.withLock({ $0 }), process.isRunning else { return }
        _ = sendSignal(process.processIdentifier, number)
        if waiting { process.waitUntilExit() }
    }

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, streamType, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw CocoaError(.featureUnsupported) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

private func sendSignal(_ process: Int32, _ number: Int32) -> Int32 { kill(process, number) }

#if canImport(Glibc)
private let streamType = Int32(SOCK_STREAM.rawValue)
#else
private let streamType = SOCK_STREAM
#endif
#endif
