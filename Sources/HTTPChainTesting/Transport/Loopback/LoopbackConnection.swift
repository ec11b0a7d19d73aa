import FlyingSocks
import Foundation
import HTTPChainCore

/// An accepted connection.
actor LoopbackConnection {
    private enum State { case open, closing, closed }

    private let socket: Socket
    private let pool: any AsyncSocketPool
    private var buffer = Data()
    private var operations = 0
    private var state = State.open
    private(set) var peerHasClosed = false

    init(_ file: Socket.FileDescriptor, pool: any AsyncSocketPool) throws {
        socket = Socket(file: file)
        self.pool = pool
        try socket.setFlags(.nonBlocking)
        #if canImport(Darwin)
        try socket.setValue(true, for: .noSIGPIPE)
        #endif
    }

    // MARK: Reading

    /// Waits for bytes and adds them to the buffer; returns `false` if the client has closed the connection.
    private func fill() async throws -> Bool {
        while true {
            guard state == .open else { throw LoopbackError(.closed) }
            if peerHasClosed { return false }
            do {
                buffer.append(contentsOf: try socket.read(atMost: HTTPBody.chunkSize))
                return true
            } catch SocketError.blocked {
                try await suspend(untilReadyFor: .read)
            } catch {
                // After the end of the file or a reset, the client is gone.
                peerHasClosed = true
                return false
            }
        }
    }

    /// Reads a line without its CRLF; returns `nil` if the client closed the connection before the first byte.
    func readLine(limit: Int) async throws -> Data? {
        guard let line = try await read(through: "\n", limit: limit) else { return nil }
        return Data(line.dropLast(line.dropLast().last == 0x0D ? 2 : 1))
    }

    /// Reads through the first blank line; returns `nil` if the client closed the connection before the first byte.
    func readHead(limit: Int) async throws -> Data? { try await read(through: "\r\n\r\n", limit: limit) }

    private func read(through end: String, limit: Int) async throws -> Data? {
        while true {
            if let range = buffer.range(of: Data(end.utf8)) {
                let read = Data(buffer[buffer.startIndex..<range.upperBound])
                buffer = Data(buffer[range.upperBound...])
                return read
            }
            guard buffer.count <= limit else { throw LoopbackError(.tooLarge(limit: limit)) }
            guard try await fill() else {
                if buffer.isEmpty { return nil }
                throw LoopbackError(.peerClosed)
            }
        }
    }

    /// Reads at least one byte and at most `count`.
    func read(upTo count: Int64) async throws -> Data {
        while buffer.isEmpty {
            guard try await fill() else { throw LoopbackError(.peerClosed) }
        }
        let taken = Data(buffer.prefix(Int(clamping: count)))
        buffer = buffer.count == taken.count ? Data() : Data(buffer.dropFirst(taken.count))
        return taken
    }

    /// Discards received bytes until the client ends the connection.
    func waitForPeerToClose() async throws {
        repeat { buffer = Data() } while try await fill()
    }

    // MARK: Writing

    func write(_ data: Data) async throws {
        var index = data.startIndex
        while index < data.endIndex {
            guard state == .open else { throw LoopbackError(.closed) }
            do {
                index = try socket.write(data, from: index)
            } catch SocketError.blocked {
                try await suspend(untilReadyFor: .write)
            } catch {
                peerHasClosed = true
                throw LoopbackError(.peerClosed)
            }
        }
    }

    // MARK: Ending

    /// Ends the connection; with `reset`, the client sees ECONNRESET.
    func close(reset: Bool = false) async {
        guard state == .open else { return }
        if reset { try? socket.setValue(linger(l_onoff: 1, l_linger: 0), for: LingerOption()) }
        state = .closing
        if operations > 0 {
            // A task that waits for the socket must release it before its descriptor may be reused.
            _ = shutdown(socket.file.rawValue, Int32(SHUT_RDWR))
        } else {
            await finishClosing()
        }
    }

    private func finishClosing() async {
        guard state == .closing else { return }
        state = .closed
        // The pool removes a descriptor just after waking the task that waits for it. The descriptor may be closed only
        // after that.
        if let pool = pool as? any Actor { await Self.visit(pool) }
        try? socket.close()
    }

    private static func visit(_ actor: isolated any Actor) {}

    private func suspend(untilReadyFor events: Socket.Events) async throws {
        operations += 1
        var failure: (any Error)?
        do {
            try await pool.suspendSocket(socket, untilReadyFor: events)
        } catch is CancellationError {
            failure = CancellationError()
        } catch SocketError.disconnected {
            // The next read or write reports the cause.
        } catch {
            failure = LoopbackError(.socket("\(error)"))
        }
        operations -= 1
        if state == .closing, operations == 0 { await finishClosing() }
        if let failure { throw failure }
    }
}

private struct LingerOption: SocketOption {
    var name: Int32 { SO_LINGER }

    func makeValue(from socketValue: linger) -> linger { socketValue }
    func makeSocketValue(from value: linger) -> linger { value }
}
