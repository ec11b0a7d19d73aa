import Foundation
import HTTPChainCore
import HTTPTypes

/// Checks of cancelled and abandoned exchanges.
extension ConformanceRun {
    /// The time within which cancellation must take effect; it is a part of the check's limit.
    var promptly: Duration { suite.limit / 3 }

    func cancellingEndsWaiting() async throws {
        let arrived = Rendezvous()
        let ended = Rendezvous()
        let body = { @Sendable (transport: any Transport, url: String) async throws -> Void in
            let task = Task { try await transport.send(.get(url)) }
            try await arrived.wait()
            task.cancel()
            let result = try await within(promptly, "send to end after cancellation") { await task.result }
            _ = try await expectError(CancellationError.self, "from send") { try result.get() }
            try await within(promptly, "the server to see the end of the exchange") { try await ended.wait() }
        }
        if hasNetwork {
            let script: LoopbackServer.Script = { exchange in
                arrived.reach()
                try await exchange.waitForPeerToClose()
                ended.reach()
            }
            try await withServer(script) { try await body($0, $1.url("/")) }
        } else {
            let peer: TransportConformance.Handler = { _ in
                arrived.reach()
                defer { ended.reach() }
                try await Rendezvous().wait()
                return Response(.ok)
            }
            try await withPeer(peer) { try await body($0, $1 + "/") }
        }
    }

    func cancellingEndsReading() async throws {
        let ended = Rendezvous()
        let body = { @Sendable (transport: any Transport, url: String) async throws -> Void in
            let response = try await transport.send(.get(url))
            let begun = Rendezvous()
            let task = Task {
                var count = 0
                for try await chunk in response.body {
                    count += chunk.count
                    begun.reach()
                }
                return count
            }
            try await begun.wait()
            task.cancel()
            let result = try await within(promptly, "reading to end after cancellation") { await task.result }
            _ = try await expectError(CancellationError.self, "from the body") { try result.get() }
        }
        if hasNetwork {
            let script: LoopbackServer.Script = { exchange in
                try await exchange.beginChunks()
                try await exchange.writeChunk(Data("and then".utf8))
                try await exchange.waitForPeerToClose()
                ended.reach()
            }
            try await withServer(script) { transport, server in
                try await body(transport, server.url("/"))
                try await within(promptly, "the server to see the connection end") { try await ended.wait() }
            }
        } else {
            let peer: TransportConformance.Handler = { _ in Response(.ok, body: .once { StallingReader() }) }
            try await withPeer(peer) { try await body($0, $1 + "/") }
        }
    }

    func cancellingEndsUpload() async throws {
        let begun = Rendezvous()
        let gone = Rendezvous()
        let peer: TransportConformance.Handler = { request in
            for try await _ in request.body {}
            return Response(.ok)
        }
        try await withPeer(peer) { transport, base in
            let request = Request.post("\(base)/", body: .once { StallingReader(waiting: begun, gone: gone) })
            let task = Task { try await transport.send(request) }
            try await begun.wait()
            task.cancel()
            let result = try await within(promptly, "send to end after cancellation") { await task.result }
            _ = try await expectError(CancellationError.self, "from send") { try result.get() }
            try await within(promptly, "the reader of the body to be cancelled") { try await gone.wait() }
        }
    }

    func cancelledTaskSendsNothing() async throws {
        let arrived = Locked(0)
        let peer: TransportConformance.Handler = { _ in
            arrived.withLock { $0 += 1 }
            return Response(.ok)
        }
        try await withPeer(peer) { transport, base in
            let task = Task {
                // The task cancels itself, so that `send` is certainly called afterwards.
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(.get("\(base)/"))
            }
            let result = try await within(promptly, "send to end at once") { await task.result }
            _ = try await expectError(CancellationError.self, "from send") { try result.get() }
            try expect(arrived.withLock { $0 }, is: 0, "requests at the server")
        }
    }

    func droppingEnds(afterReading: Bool) async throws {
        let ended = Rendezvous()
        let script: LoopbackServer.Script = { exchange in
            try await exchange.beginChunks()
            let piece = Pattern.data(16_384)
            var chunk = Data("4000\r\n".utf8)
            chunk.append(piece)
            chunk.append(contentsOf: [0x0D, 0x0A])
            try await exchange.writeUntilPeerCloses(chunk)
            ended.reach()
        }
        try await withServer(script) { transport, server in
            let read = { (url: String) async throws -> Int in
                let response = try await transport.send(.get(url))
                guard afterReading else { return response.status.code }
                for try await chunk in response.body where !chunk.isEmpty { break }
                return response.status.code
            }
            try expect(try await read(server.url("/")), is: 200, "status")
            try await within(promptly, "the server to see the connection end") { try await ended.wait() }
        }
    }
}

/// Returns one chunk and then stalls until it is cancelled.
private struct StallingReader: BodyReader {
    var waiting: Rendezvous?
    var gone: Rendezvous?
    var isFirst = true

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if isFirst {
            isFirst = false
            return Data("and then".utf8)
        }
        waiting?.reach()
        defer { gone?.reach() }
        try await Rendezvous().wait()
        return nil
    }
}
