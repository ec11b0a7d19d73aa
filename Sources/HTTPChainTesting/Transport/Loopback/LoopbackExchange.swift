public import Foundation
public import HTTPChainCore

/// A request on a connection of a ``LoopbackServer``; a script reads and answers it byte by byte.
///
/// Two tasks may call the methods concurrently, one reading and one writing.
public final class LoopbackExchange: Sendable {
    private enum BodyState: Sendable {
        case fixed(remaining: Int64)
        case chunked
        case insideChunk(remaining: Int64)
        case finished
    }

    /// The head of the request.
    public let request: LoopbackRequest

    let connection: LoopbackConnection
    private let log: Locked<LoopbackLog>
    private let index: Int
    private let body: Locked<BodyState>
    private let keepsAlive = Locked(false)

    init(_ request: LoopbackRequest, on connection: LoopbackConnection, log: Locked<LoopbackLog>, index: Int) {
        self.request = request
        self.connection = connection
        self.log = log
        self.index = index
        let state: BodyState =
            switch request.framing {
            case .none, .contentLength(0): .finished
            case .contentLength(let length): .fixed(remaining: length)
            case .chunked: .chunked
            }
        body = Locked(state)
    }

    /// The record of the request as read so far.
    package var record: LoopbackRecord { log.withLock { $0.records[index] } }

    private func updateRecord(_ change: (inout LoopbackRecord) -> Void) {
        log.withLock { change(&$0.records[index]) }
    }

    // MARK: The request's body

    /// Returns the next bytes of the request body, without its framing; `nil` at the end.
    ///
    /// Reads from the socket only when called, so that a script that waits makes the client wait.
    ///
    /// - Throws: An error if the client ends the connection first or breaks the framing.
    package func readChunk() async throws -> Data? {
        do {
            let chunk = try await nextChunk()
            updateRecord { record in
                guard let chunk else {
                    record.bodyIsComplete = true
                    return
                }
                record.bodyLength += Int64(chunk.count)
                record.body.append(chunk.prefix(LoopbackRecord.bodyLimit - record.body.count))
            }
            return chunk
        } catch let error as LoopbackError where error.problem == .peerClosed {
            updateRecord { $0.peerClosed = true }
            throw error
        }
    }

    /// Returns the rest of the request body.
    ///
    /// - Parameter limit: The maximum size; 16 MiB by default.
    /// - Throws: An error if the body is larger or malformed, or the client ends the connection.
    @discardableResult
    public func readBody(upTo limit: ByteCount = .mebibytes(16)) async throws -> Data {
        var result = Data()
        while let chunk = try await readChunk() {
            result.append(chunk)
            guard Int64(result.count) <= limit.bytes else {
                throw LoopbackError(.tooLarge(limit: Int(clamping: limit.bytes)))
            }
        }
        return result
    }

    private func nextChunk() async throws -> Data? {
        while true {
            switch body.withLock({ $0 }) {
            case .finished:
                return nil
            case .fixed(let remaining):
                let data = try await connection.read(upTo: remaining)
                let rest = remaining - Int64(data.count)
                body.withLock { $0 = rest == 0 ? .finished : .fixed(remaining: rest) }
                return data
            case .insideChunk(let remaining):
                let data = try await connection.read(upTo: remaining)
                let rest = remaining - Int64(data.count)
                if rest == 0 {
                    guard try await line().isEmpty else { throw LoopbackError(.malformed("a chunk is too long")) }
                }
                body.withLock { $0 = rest == 0 ? .chunked : .insideChunk(remaining: rest) }
                return data
            case .chunked:
                let text = String(decoding: try await line().prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
                guard let size = Int64(text, radix: 16), size >= 0 else {
                    throw LoopbackError(.malformed("the chunk size is \"\(text)\""))
                }
                if size == 0 { while !(try await line().isEmpty) {} }
                body.withLock { $0 = size == 0 ? .finished : .insideChunk(remaining: size) }
            }
        }
    }

    private func line() async throws -> Data {
        guard let line = try await connection.readLine(limit: 8192) else { throw LoopbackError(.peerClosed) }
        return line
    }

    // MARK: The answer, byte by byte

    /// Writes bytes unchanged; returns when the system has accepted all of them.
    ///
    /// - Throws: An error if the client has ended the connection.
    public func write(_ bytes: Data) async throws {
        do {
            try await connection.write(bytes)
        } catch let error as LoopbackError where error.problem == .peerClosed {
            updateRecord { $0.peerClosed = true }
            throw error
        }
    }

    /// Writes text as UTF-8; lines of a head must end with `\r\n`.
    public func write(_ text: String) async throws {
        try await write(Data(text.utf8))
    }

    /// Allows the connection to serve another request when the script returns, if the request body has been read.
    ///
    /// ``reply(_:fields:body:)`` and ``finishChunks()`` call this.
    package func keepConnection() {
        keepsAlive.withLock { $0 = true }
    }

    /// Closes the connection normally.
    public func close() async {
        await connection.close()
    }

    /// Ends the connection with a TCP reset.
    public func reset() async {
        await connection.close(reset: true)
    }

    /// Waits until the client has ended the connection, and discards anything that it still sends.
    ///
    /// - Throws: `CancellationError` if the server is stopped first.
    public func waitForPeerToClose() async throws {
        try await connection.waitForPeerToClose()
        updateRecord { $0.peerClosed = true }
    }

    var mayServeAnother: Bool {
        guard keepsAlive.withLock({ $0 }), case .finished = body.withLock({ $0 }) else { return false }
        return !request.values("Connection").contains { $0.lowercased() == "close" }
    }
}
