import FlyingSocks
import Foundation
import HTTPChainCore

/// A scripted HTTP/1.1 server on 127.0.0.1, which can misbehave like a real server.
///
/// Each request is passed to a script, which reads it at its own speed and answers byte by byte. Requests are recorded
/// as sent on the wire.
///
/// ```swift
/// let server = try await LoopbackServer.start { exchange in
///     try await exchange.writeHead(200, [("Content-Length", "10")])
///     try await exchange.write("half")
///     await exchange.reset()
/// }
/// ```
///
/// If a script throws, or returns without a complete response, its connection is closed.
public final class LoopbackServer: Sendable {
    /// A script that answers one request.
    package typealias Script = @Sendable (LoopbackExchange) async throws -> Void

    /// The port that the server listens on.
    package let port: UInt16

    private let log: Locked<LoopbackLog>
    private let task: Task<Void, Never>

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port to listen on, such as the port of a stopped server; by default one chosen by the system.
    ///   - bufferSize: The size of the socket buffers in bytes, for triggering backpressure early; the system's default
    ///     if `nil`.
    ///   - script: The script that answers each request.
    /// - Throws: An error if the system can't provide the socket.
    public static func start(
        port: UInt16 = 0,
        bufferSize: Int32? = nil,
        script: @escaping @Sendable (LoopbackExchange) async throws -> Void
    ) async throws -> LoopbackServer {
        do {
            let pool: any AsyncSocketPool = try await SocketPool<Poll>.client
            let socket = try Socket(domain: AF_INET, type: .stream)
            try socket.setFlags(.nonBlocking)
            if let bufferSize {
                try socket.setValue(bufferSize, for: .sendBufferSize)
                try socket.setValue(bufferSize, for: .receiveBufferSize)
            }
            do {
                // Allows another server to use the port while this server's connections are still closing.
                try socket.setValue(true, for: .localAddressReuse)
                try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
                try socket.listen()
                guard case .ip4(_, let port) = try socket.sockname() else {
                    throw LoopbackError(.socket("the server's socket has no IPv4 address"))
                }
                return LoopbackServer(socket, port: port, pool: pool, script: script)
            } catch {
                try? socket.close()
                throw error
            }
        } catch let error as SocketError {
            throw LoopbackError(.socket("\(error)"))
        }
    }

    private init(_ socket: Socket, port: UInt16, pool: any AsyncSocketPool, script: @escaping Script) {
        self.port = port
        let log = Locked(LoopbackLog())
        self.log = log
        task = Task { await LoopbackAcceptor(socket: socket, pool: pool, log: log, script: script).run() }
    }

    deinit {
        task.cancel()
    }

    /// The scheme, host and port, such as `http://127.0.0.1:49152`.
    public var origin: String { "http://127.0.0.1:\(port)" }

    /// Returns the URL of a path on this server.
    public func url(_ path: String = "/") -> String { origin + path }

    /// The records of all requests, in the order in which the heads arrived.
    package var records: [LoopbackRecord] { log.withLock { $0.records } }

    /// The number of accepted connections.
    package var connectionCount: Int { log.withLock { $0.connectionCount } }

    /// The errors of scripts and of malformed requests, except those caused by a client that ends the connection.
    package var failures: [any Error] { log.withLock { $0.failures } }

    /// Closes all connections and the port, and returns when all tasks of the server have ended.
    public func stop() async {
        task.cancel()
        await task.value
    }
}

/// The records of all connections of a server.
struct LoopbackLog: Sendable {
    var records: [LoopbackRecord] = []
    var failures: [any Error] = []
    var connectionCount = 0
}

/// Accepts connections and serves each in a child task, until cancelled.
private struct LoopbackAcceptor: Sendable {
    let socket: Socket
    let pool: any AsyncSocketPool
    let log: Locked<LoopbackLog>
    let script: LoopbackServer.Script

    func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    let file = try socket.accept().file
                    guard let connection = try? LoopbackConnection(file, pool: pool) else {
                        try? Socket(file: file).close()
                        continue
                    }
                    let number = log.withLock { log in
                        log.connectionCount += 1
                        return log.connectionCount
                    }
                    group.addTask { await serve(connection, number) }
                } catch SocketError.blocked {
                    do { try await pool.suspendSocket(socket, untilReadyFor: .connection) } catch { break }
                } catch SocketError.failed(_, let code, _) where code == ECONNABORTED || code == EINTR {
                    continue
                } catch {
                    log.withLock { $0.failures.append(error) }
                    break
                }
            }
            group.cancelAll()
        }
        if let pool = pool as? any Actor { await Self.visit(pool) }
        try? socket.close()
    }

    /// Runs on the pool, which removes a descriptor just after waking the task that waits for it.
    ///
    /// The descriptor may be closed only after that.
    private static func visit(_ actor: isolated any Actor) {}

    private func serve(_ connection: LoopbackConnection, _ number: Int) async {
        do {
            while let bytes = try await connection.readHead(limit: 1 << 20) {
                let request = try LoopbackRequest(parsing: bytes)
                let index = log.withLock { log in
                    log.records.append(LoopbackRecord(request: request, connection: number))
                    return log.records.count - 1
                }
                let exchange = LoopbackExchange(request, on: connection, log: log, index: index)
                try await script(exchange)
                guard exchange.mayServeAnother else { break }
            }
        } catch is CancellationError {
            // The server was stopped.
        } catch let error as LoopbackError where error.problem == .peerClosed || error.problem == .closed {
            // The client or the script ended the exchange deliberately.
        } catch {
            log.withLock { $0.failures.append(error) }
        }
        await connection.close()
    }
}
