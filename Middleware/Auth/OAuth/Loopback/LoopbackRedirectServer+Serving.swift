import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// The loop that runs on the server's thread.
extension LoopbackRedirectServer {
    /// The maximum number of open connections.
    ///
    /// Browsers open connections in advance. Beyond the limit, the oldest connection is closed, so that the browser can
    /// always connect.
    private static let maximumConnections = 16
    /// The number of unrelated callbacks after which the sign-in fails.
    private static let maximumTries = 1000

    private struct Connection {
        let descriptor: Int32
        var head = Data()
        /// Whether the response was sent.
        ///
        /// The connection is then read to its end, because closing it with unread bytes would reset it before the
        /// response arrives.
        var isAnswered = false
        let end: Date
    }

    /// Reads and answers requests until the browser's callback arrives, or until the thread is woken.
    ///
    /// - Parameters:
    ///   - listener: The listening socket.
    ///   - wake: The reading end of the pipe that wakes the thread.
    ///   - isExpected: Whether a path and query belong to the sign-in.
    func serve(
        on listener: Int32,
        wokenBy wake: Int32,
        until isExpected: (String) -> Bool
    ) -> Result<String, any Error> {
        var connections: [Connection] = []
        var tries = 0
        defer { for connection in connections { LoopbackSocket.closeDescriptor(connection.descriptor) } }
        while true {
            var polled = [wake, listener].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let first = polled.count
            polled += connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            let count = poll(&polled, nfds_t(polled.count), connections.isEmpty ? -1 : 1000)
            if count < 0, errno != EINTR { return .failure(SignInError(.cannotListen(LoopbackSocket.lastError))) }
            guard count >= 0 else { continue }
            if polled[0].revents != 0 { return .failure(CancellationError()) }
            for index in connections.indices.reversed() {
                let isReadable = polled[first + index].revents != 0
                switch isReadable ? read(&connections[index], isExpected) : .waits {
                case .waits where connections[index].end > Date(): continue
                case .callback(let target): return .success(target)
                case .stray:
                    tries += 1
                    if tries == Self.maximumTries { return .failure(SignInError(.wrongState)) }
                case .waits, .ended:
                    LoopbackSocket.closeDescriptor(connections[index].descriptor)
                    connections.remove(at: index)
                }
            }
            guard polled[1].revents != 0 else { continue }
            guard let descriptor = LoopbackSocket.acceptConnection(listener) else {
                // If the process has no free descriptors, the connection stays in the queue and is reported at once.
                if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { _ = poll(&polled, 1, 1000) }
                continue
            }
            if connections.count == Self.maximumConnections {
                LoopbackSocket.closeDescriptor(connections.removeFirst().descriptor)
            }
            connections.append(Connection(descriptor: descriptor, end: Date(timeIntervalSinceNow: patience)))
        }
    }

    private enum Outcome {
        case waits
        case ended
        case callback(String)
        /// The request was a callback that doesn't belong to the sign-in.
        case stray
    }

    private func read(_ connection: inout Connection, _ isExpected: (String) -> Bool) -> Outcome {
        guard let bytes = LoopbackSocket.readBytes(connection.descriptor) else { return .waits }
        if connection.isAnswered { return bytes.isEmpty ? .ended : .waits }
        connection.head += bytes
        guard !bytes.isEmpty, connection.head.count <= LoopbackRequest.limit else { return .ended }
        guard LoopbackRequest.isWhole(connection.head) else { return .waits }
        guard let request = LoopbackRequest(head: connection.head) else {
            let response = LoopbackRequest.response("400 Bad Request", "This is not a request.")
            return answer(response, to: &connection)
        }
        let (response, isCallback) = request.answer(path: path, port: port, page: page)
        guard isCallback else { return answer(response, to: &connection) }
        if isExpected(request.target) {
            _ = answer(response, to: &connection)
            return .callback(request.target)
        }
        let page = "This is not the sign-in that the program waits for."
        _ = answer(LoopbackRequest.response("400 Bad Request", page), to: &connection)
        return .stray
    }

    private func answer(_ response: Data, to connection: inout Connection) -> Outcome {
        LoopbackSocket.writeBytes(response, to: connection.descriptor)
        LoopbackSocket.endWriting(connection.descriptor)
        connection.isAnswered = true
        return .waits
    }
}
