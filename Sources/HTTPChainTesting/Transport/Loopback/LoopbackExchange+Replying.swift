public import Foundation

extension LoopbackExchange {
    /// Writes a status line, the given header fields, and the blank line; no fields are added.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The names and values; a name may be repeated.
    public func writeHead(_ status: Int, _ fields: [(String, String)] = []) async throws {
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try await write("HTTP/1.1 \(status) \(Self.reason(status))\r\n\(lines)\r\n")
    }

    /// Sends a response with a body of known length; the connection may then serve another request.
    ///
    /// Adds `Content-Length`, unless the response must not have one (1xx and 204, RFC 9110 §8.6). Omits the body of
    /// 1xx, 204 and 304 responses and of responses to HEAD.
    public func reply(_ status: Int, fields: [(String, String)] = [], body: Data = Data()) async throws {
        let mayHaveLength = status >= 200 && status != 204
        let length = mayHaveLength ? [("Content-Length", "\(body.count)")] : []
        try await writeHead(status, fields + length)
        if request.method != "HEAD", mayHaveLength, status != 304 { try await write(body) }
        keepConnection()
    }

    /// Begins a chunked response; continue with ``writeChunk(_:)``, and end with ``finishChunks()``.
    package func beginChunks(_ status: Int = 200, fields: [(String, String)] = []) async throws {
        try await writeHead(status, fields + [("Transfer-Encoding", "chunked")])
    }

    /// Sends one chunk of a chunked body; does nothing if the data is empty, because an empty chunk would end the body.
    package func writeChunk(_ data: Data) async throws {
        guard !data.isEmpty else { return }
        var bytes = Data("\(String(data.count, radix: 16))\r\n".utf8)
        bytes.append(data)
        bytes.append(contentsOf: [0x0D, 0x0A])
        try await write(bytes)
    }

    /// Ends a chunked body; the connection may then serve another request.
    package func finishChunks() async throws {
        try await write("0\r\n\r\n")
        keepConnection()
    }

    /// Sends `chunk` repeatedly until the client ends the connection.
    ///
    /// - Returns: The number of bytes accepted by the system.
    /// - Throws: `CancellationError` if the server is stopped first.
    @discardableResult
    package func writeUntilPeerCloses(_ chunk: Data) async throws -> Int64 {
        var count: Int64 = 0
        while true {
            try Task.checkCancellation()
            do {
                try await write(chunk)
            } catch let error as LoopbackError where error.problem == .peerClosed {
                return count
            }
            count += Int64(chunk.count)
        }
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 103: "Early Hints"
        case 200: "OK"
        case 204: "No Content"
        case 302: "Found"
        case 304: "Not Modified"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 407: "Proxy Authentication Required"
        case 413: "Content Too Large"
        default: "Status"
        }
    }
}
