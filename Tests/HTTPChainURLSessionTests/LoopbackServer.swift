#if AllTests
import FlyingSocks
import Foundation
import HTTPChainCore

/// What a test's server does with one connection.
struct ServerConnection: Sendable {
    /// The number of the connection, from 1.
    let number: Int
    fileprivate let socket: AsyncSocket
    fileprivate let listener: Socket
    fileprivate let unread = Locked<[UInt8]>([])

    struct Received: Sendable {
        let line: String
        /// The fields by lower-case name, in order.
        let fields: [(name: String, value: String)]
        var body: [UInt8] = []

        subscript(_ name: String) -> String? {
            fields.first { $0.name == name }?.value
        }
    }

    /// The head of the next request, or `nil` when the client closes first.
    func readHead() async throws -> Received? {
        var bytes = take()
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let index = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) {
                unread.withLock { $0 = Array(bytes[(index + 4)...]) }
                let lines = String(decoding: bytes[..<index], as: UTF8.self).components(separatedBy: "\r\n")
                let fields = lines.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return (
                        name: parts[0].lowercased(),
                        value: (parts.last ?? "").trimmingCharacters(in: .whitespaces)
                    )
                }
                return Received(line: lines[0], fields: fields)
            }
            guard let more = try await readSome() else { return nil }
            bytes += more
        }
    }

    /// The next request with its body, or `nil` when the client closes first.
    func readRequest() async throws -> Received? {
        guard var request = try await readHead() else { return nil }
        guard let length = request["content-length"].flatMap(Int.init) else { return request }
        var body = take()
        while body.count < length {
            guard let more = try await readSome() else { return nil }
            body += more
        }
        request.body = Array(body.prefix(length))
        unread.withLock { $0 = Array(body.dropFirst(length)) }
        return request
    }

    func send(_ text: String) async throws {
        try await socket.write(Data(text.utf8))
    }

    func send(_ data: Data) async throws {
        try await socket.write(data)
    }

    /// Some more bytes, or `nil` when the client has closed.
    func readSome() async throws -> [UInt8]? {
        do {
            return try await socket.read(atMost: 4096)
        } catch SocketError.disconnected {
            return nil
        }
    }

    #if canImport(FoundationNetworking)
    /// Refuses every further connection, as a server does that is gone; this one and others stay open.
    func stopListening() throws {
        guard shutdown(listener.file.rawValue, Int32(SHUT_RDWR)) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }
    #endif

    private func take() -> [UInt8] {
        unread.withLock { unread in
            defer { unread = [] }
            return unread
        }
    }
}

extension String {
    /// A response with a body and its length.
    static func reply(_ status: String, _ fields: [String] = [], body: String = "") -> String {
        (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n")
            + "\r\n\r\n" + body
    }
}

/// Runs a server on a loopback port while `body` runs, and gives it the server's base URL.
@discardableResult
func withServer<Result: Sendable>(
    _ serve: @escaping @Sendable (ServerConnection) async throws -> Void,
    _ body: (String) async throws -> Result
) async throws -> Result {
    let pool = try await SocketPoolLoader.pool
    let listener = try Socket(domain: AF_INET)
    try listener.setValue(true, for: .localAddressReuse)
    try listener.bind(to: .inet(ip4: "127.0.0.1", port: 0))
    try listener.listen()
    guard case .ip4(_, let port) = try listener.sockname() else { throw SocketError.disconnected }
    let accepting = try AsyncSocket(socket: listener, pool: pool)
    let server = Task {
        await withDiscardingTaskGroup { group in
            var number = 0
            while let socket = try? await accepting.accept() {
                number += 1
                let connection = ServerConnection(number: number, socket: socket, listener: listener)
                group.addTask {
                    try? await serve(connection)
                    try? socket.close()
                }
            }
        }
    }
    let result: Swift.Result<Result, any Error>
    do {
        result = .success(try await body("http://127.0.0.1:\(port)"))
    } catch {
        result = .failure(error)
    }
    server.cancel()
    await server.value
    try? accepting.close()
    return try result.get()
}

/// Answers each request of a connection in turn.
func answering(
    _ answer: @escaping @Sendable (ServerConnection.Received) -> String
) -> @Sendable (ServerConnection) async throws -> Void {
    { connection in
        while let request = try await connection.readRequest() {
            try await connection.send(answer(request))
        }
    }
}

private enum SocketPoolLoader {
    static var pool: some AsyncSocketPool {
        get async throws { try await .client }
    }
}

/// Gives chunks of zeros.
struct ZeroReader: BodyReader {
    var left: Int
    var failure: (any Error)?

    mutating func read() async throws -> Data? {
        try Task.checkCancellation()
        guard left > 0 else {
            if let failure { throw failure }
            return nil
        }
        let count = min(left, HTTPBody.chunkSize)
        left -= count
        return Data(count: count)
    }
}
#endif
