#if AllTests
import FlyingSocks
import Foundation
import HTTPChainCore

/// A client that writes and reads bytes, for testing the server.
final class RawClient: Sendable {
    private let socket: AsyncSocket
    private let isOpen = Locked(true)

    private init(_ socket: AsyncSocket) {
        self.socket = socket
    }

    static func connect(to port: UInt16) async throws -> RawClient {
        RawClient(try await AsyncSocket.connected(to: .inet(ip4: "127.0.0.1", port: port), timeout: 60))
    }

    func write(_ text: String) async throws {
        try await socket.write(Data(text.utf8))
    }

    /// Reads until the answer ends with `suffix`.
    func read(until suffix: String) async throws -> String {
        var text = ""
        while !text.hasSuffix(suffix) {
            text += String(decoding: try await socket.read(atMost: 4096), as: UTF8.self)
        }
        return text
    }

    /// Reads until the server ends the connection: everything, and how it ended.
    func readToEnd() async -> (text: String, end: SocketError?) {
        var text = ""
        while true {
            do {
                text += String(decoding: try await socket.read(atMost: 4096), as: UTF8.self)
            } catch SocketError.disconnected {
                // The pool says this of a reset too; the socket itself knows.
                do { _ = try socket.socket.read(atMost: 1) } catch { return (text, error as? SocketError) }
            } catch {
                return (text, error as? SocketError)
            }
        }
    }

    /// Closes the connection; a descriptor closed twice could be that of another test.
    func close() async {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        // The pool forgets a descriptor just after it has woken its waiter; only then may it be closed.
        if let pool = try? await SocketPool<Poll>.client as? any Actor { await Self.visit(pool) }
        try? socket.close()
    }

    private static func visit(_ actor: isolated any Actor) {}
}
#endif
