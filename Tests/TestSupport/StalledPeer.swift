import Foundation
package import HTTPChainCore
import HTTPChainTesting

#if canImport(Glibc)
import Glibc
#endif

/// A peer on the loopback interface that doesn't end one step of an exchange, for the limit on that step.
///
/// The raw values are the names of the scopes.
package enum StalledPeer: String, Sendable, CaseIterable {
    /// Sends a head and no body, for the limit on the whole call.
    case call
    /// Sends nothing, for the limit on the attempt.
    case attempt
    /// Accepts no connection.
    case connect
    /// Reads nothing of the request's body.
    case write
    /// Sends its head a byte at a time, or nothing.
    case response
    /// Stops in the middle of the response's body.
    case read

    /// Sends a request to such a peer until a limit ends the exchange.
    ///
    /// - Parameters:
    ///   - limit: The limit on this step.
    ///   - others: The limits on all other steps.
    ///   - trickles: Whether a head comes a byte at a time; otherwise it doesn't come. A head that is cut off ends the
    ///     process inside Foundation on Linux.
    /// - Returns: The error, and the time from the beginning of the exchange, or of the read for ``read``.
    package func exceed(
        _ limit: Duration,
        others: TransferLimits,
        trickles: Bool = true,
        over transport: any Transport
    ) async throws -> (error: TimeoutError, elapsed: Duration) {
        if self == .connect {
            let host = try FullHost()
            defer { host.close() }
            return try await timeout(of: request(to: host.url, limit, others), over: transport)
        }
        let server = try await LoopbackServer.start { try await script($0, trickles: trickles) }
        do {
            let result = try await timeout(of: request(to: server.url(), limit, others), over: transport)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Whether a limit was met within a fifth, with room for a busy machine.
    package static func meets(
        _ limit: Duration,
        _ elapsed: Duration,
        slack: Duration = .milliseconds(500)
    ) -> Bool {
        elapsed > limit * 0.95 && elapsed < limit * 1.2 + slack
    }

    private func request(to url: String, _ limit: Duration, _ others: TransferLimits) -> Request {
        var limits = others
        var request = Request.get(url)
        switch self {
        case .call: request.options[DeadlineNote.self] = DeadlineNote.Mark(request.environment.time.elapsed + limit)
        case .attempt: limits.total = limit
        case .connect: limits.connect = limit
        case .write:
            // More than the buffers of both systems.
            request = .post(url, body: HTTPBody(Data(count: 32 << 20)))
            limits.write = limit
        case .response: limits.response = limit
        case .read: limits.read = limit
        }
        request.options[TransferLimitsNote.self] = limits
        return request
    }

    private func script(_ exchange: LoopbackExchange, trickles: Bool) async throws {
        switch self {
        case .call, .read:
            try await exchange.writeHead(200, [("Content-Length", "100")])
            try await exchange.write("begun")
            try await Rendezvous().wait()
        case .response where trickles:
            try await exchange.write("HTTP/1.1 200 OK\r\nX-Slow: ")
            while true {
                try await exchange.write("a")
                try await Task.sleep(for: .milliseconds(20))
            }
        case .attempt, .connect, .write, .response:
            try await Rendezvous().wait()
        }
    }

    private func timeout(
        of request: Request,
        over transport: any Transport
    ) async throws -> (error: TimeoutError, elapsed: Duration) {
        var start = ContinuousClock.now
        do {
            let response = try await transport.send(request)
            if self == .read { start = .now }
            _ = try await response.body.collect()
            throw NoTimeout()
        } catch let error as TimeoutError {
            return (error, start.duration(to: .now))
        }
    }
}

/// The exchange ended without a timeout.
private struct NoTimeout: Error {}

/// A host on the loopback interface that ignores requests for a connection, because its queue is full.
package struct FullHost: Sendable {
    package let port: Int
    private let sockets: [Int32]

    package init() throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // More than the shortest queue has room for.
        let fillers = (0..<4).map { _ in socket(AF_INET, kind, 0) }
        let isFull = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, address, &length) == 0
                else { return false }
                for filler in fillers {
                    _ = fcntl(filler, F_SETFL, O_NONBLOCK)
                    _ = connect(filler, address, length)
                }
                return true
            }
        }
        sockets = [listener] + fillers
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isFull else {
            close()
            throw POSIXError(.EADDRNOTAVAIL)
        }
    }

    package var url: String { "http://127.0.0.1:\(port)/" }

    package func close() {
        for socket in sockets {
            #if canImport(Glibc)
            _ = Glibc.close(socket)
            #else
            _ = Darwin.close(socket)
            #endif
        }
    }
}
