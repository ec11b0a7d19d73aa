public import Foundation

extension LoopbackExchange {
    /// Writes a status line and header fields, and the blank line after them; nothing is added.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: Names and values; a name may come again.
    public func writeHead(_ status: Int, _ fields: [(String, String)] = []) async throws {
        let lines = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        try await write("HTTP/1.1 \(status) \(Self.reason(status))\r\n\(lines)\r\n")
    }

    /// Answers with a body of known length; the connection may then serve another request.
    ///
    /// `Content-Length` is added, except where no response may have one (1xx and 204, RFC 9110 §8.6). The body of an
    /// answer to HEAD is left out.
    public func reply(_ status: Int, fields: [(String, String)] = [], body: Data = Data()) async throws {
        let mayHaveLength = status >= 200 && status != 204
        let length = mayHaveLength ? [("Content-Length", "\(body.count)")] : []
        try await writeHead(status, fields + length)
        if request.method != "HEAD", mayHaveLength, status != 304 { try await write(body) }
        keepConnection()
    }

    /// Begins an answer of which ``writeChunk(_:)`` sends the pieces and ``finishChunks()`` the end.
    public func beginChunks(_ status: Int = 200, fields: [(String, String)] = []) async throws {
        try await writeHead(status, fields + [("Transfer-Encoding", "chunked")])
    }

    /// Sends one chunk of a chunked body; empty data sends nothing, as an empty chunk would be the end.
    public func writeChunk(_ data: Data) async throws {
        guard !data.isEmpty else { return }
        var bytes = Data("\(String(data.count, radix: 16))\r\n".utf8)
        bytes.append(data)
        bytes.append(contentsOf: [0x0D, 0x0A])
        try await write(bytes)
    }

    /// Ends a chunked body; the connection may then serve another request.
    public func finishChunks() async throws {
        try await write("0\r\n\r\n")
        keepConnection()
    }

    /// Sends `chunk` again and again until the client ends the connection.
    ///
    /// - Returns: The number of bytes the system took.
    /// - Throws: `CancellationError` when the server is stopped first.
    @discardableResult
    public func writeUntilPeerCloses(_ chunk: Data) async throws -> Int64 {
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
