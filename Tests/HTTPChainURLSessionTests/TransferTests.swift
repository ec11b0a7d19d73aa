import Foundation
import HTTPChainCore
import HTTPChainURLSession
import HTTPTypes
import Testing

@Suite("Transfers over URLSession", .timeLimit(.minutes(1)))
struct TransferTests {
    private let transport = URLSessionTransport()

    /// Sends the beginning of a body that would never end, and tells when the client closes.
    private static func flood(_ closed: Events<String>) -> @Sendable (ServerConnection) async throws -> Void {
        { connection in
            _ = try await connection.readRequest()
            let chunk = Data(count: 65_536)
            do {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
                for _ in 0..<100 { try await connection.send(chunk) }
                while try await connection.readSome() != nil {}
            } catch {}
            closed.add("closed")
        }
    }

    /// Never answers, and tells when a request is there and when the client closes.
    private static func silence(_ events: Events<String>) -> @Sendable (ServerConnection) async throws -> Void {
        { connection in
            _ = try await connection.readRequest()
            events.add("request")
            while try await connection.readSome() != nil {}
            events.add("closed")
        }
    }

    @Test("Cancelling the task that waits for the head cancels the transfer")
    func cancelHead() async throws {
        let events = Events<String>()
        try await withServer(Self.silence(events)) { base in
            let task = Task { try await transport.send(.get(base + "/")) }
            #expect(await events.next() == "request")
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await events.next() == "closed")
        }
    }

    @Test("Cancelling the task that reads the body cancels the transfer")
    func cancelBody() async throws {
        let events = Events<String>()
        try await withServer { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok")
            while try await connection.readSome() != nil {}
            events.add("closed")
        } _: { base in
            let response = try await transport.send(.get(base + "/"))
            let task = Task { try await response.body.collect() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(await events.next() == "closed")
        }
    }

    @Test("Dropping a body that was not read stops the server's sending")
    func dropBody() async throws {
        let closed = Events<String>()
        try await withServer(Self.flood(closed)) { base in
            _ = try await transport.send(.get(base + "/"))
            #expect(await closed.next() == "closed")
        }
    }

    @Test("Dropping a reader halfway stops the server's sending")
    func dropReader() async throws {
        let closed = Events<String>()
        try await withServer(Self.flood(closed)) { base in
            do {
                var reader = try await transport.send(.get(base + "/")).body.makeReader()
                #expect(try await reader.read() != nil)
            }
            #expect(await closed.next() == "closed")
        }
    }

    @Test("A task cancelled before it sends throws CancellationError and sends nothing")
    func cancelledBefore() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(.get("http://127.0.0.1:1/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A body that never gives a byte stops nobody, and is cancelled with its call")
    func stalledUploads() async throws {
        struct Stalled: BodyReader {
            let started: Events<String>
            mutating func read() async throws -> Data? {
                started.add("reading")
                var never = AsyncStream<Data> { _ in }.makeAsyncIterator()
                let chunk = await never.next()
                try Task.checkCancellation()
                return chunk
            }
        }
        try await withServer(answering { _ in .reply("200 OK", body: "ok") }) { base in
            let started = Events<String>()
            let stalled = (0..<20).map { _ in
                Task { try await transport.send(.post(base + "/", body: .once { Stalled(started: started) })) }
            }
            for _ in stalled { #expect(await started.next() == "reading") }
            let text = try await transport.send(.get(base + "/")).body.text()
            #expect(text == "ok")
            for task in stalled { task.cancel() }
            for task in stalled {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    @Test("A second read of a body is an error")
    func secondRead() async throws {
        try await withServer(answering { _ in .reply("200 OK", body: "ok") }) { base in
            let response = try await transport.send(.get(base + "/"))
            #expect(try await response.body.text() == "ok")
            let error = await #expect(throws: BodyError.self) { try await response.body.text() }
            #expect(error?.problem == .alreadyRead)
        }
    }

    @Test("A large body that is read late comes whole and in order, from memory and disk")
    func spill() async throws {
        let size = 8_000_000
        let bytes = (0..<size / 1_000).reduce(into: Data()) { bytes, index in
            bytes.append(Data(repeating: UInt8(truncatingIfNeeded: index % 251), count: 1_000))
        }
        let sent = Events<String>()
        try await withServer { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            try await connection.send(bytes)
            sent.add("all")
        } _: { base in
            let transport = URLSessionTransport(configuration: .init(memoryWatermark: .kibibytes(64)))
            let response = try await transport.send(.get(base + "/"))
            #expect(await sent.next() == "all")
            #expect(try await response.body.collect() == bytes)
            await transport.shutdown()
        }
    }

    @Test("More unread than may be stored ends the transfer with an error that says what to do")
    func spillLimit() async throws {
        let closed = Events<String>()
        try await withServer(Self.flood(closed)) { base in
            let transport = URLSessionTransport(
                configuration: .init(memoryWatermark: .kibibytes(64), spillLimit: .mebibytes(1))
            )
            let response = try await transport.send(.get(base + "/"))
            #expect(await closed.next() == "closed")
            let error = await #expect(throws: SpillLimitError.self) { try await response.body.drainAll() }
            #expect(error?.exchange?.response?.status == .ok)
            await transport.shutdown()
        }
    }

    /// Time that passes when a test says so.
    private struct ManualTime: TimeSource {
        let passed = Events<Void>()
        var elapsed: Duration { .zero }
        var date: Date { Date(timeIntervalSince1970: 0) }

        func sleep(for duration: Duration) async throws {
            #expect(duration == .seconds(100))
            await passed.next()
            try Task.checkCancellation()
        }
    }

    #if canImport(FoundationNetworking)
    @Test("The resource timeout is a transport error, before and after the head")
    func resourceTimeout() async throws {
        let transport = URLSessionTransport(configuration: .init(resourceTimeout: .seconds(100)))
        let events = Events<String>()
        try await withServer(Self.silence(events)) { base in
            let time = ManualTime()
            var request = Request.get(base + "/")
            request.environment.time = time
            let call = Task { [request] in try await transport.send(request) }
            #expect(await events.next() == "request")
            time.passed.add(())
            let error = await #expect(throws: TransportError.self) { try await call.value }
            #expect(error?.kind == .timedOut)
            #expect(error?.sent == .maybe)
            #expect(await events.next() == "closed")
        }
        try await withServer { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok")
            while try await connection.readSome() != nil {}
        } _: { base in
            let time = ManualTime()
            var request = Request.get(base + "/")
            request.environment.time = time
            let response = try await transport.send(request)
            time.passed.add(())
            let error = await #expect(throws: TransportError.self) { try await response.body.collect() }
            #expect(error?.kind == .timedOut)
            #expect(error?.sent == .answered)
        }
        await transport.shutdown()
    }
    #endif

    @Test("Nothing for the request timeout ends the transfer")
    func idle() async throws {
        let transport = URLSessionTransport(configuration: .init(requestTimeout: .milliseconds(200)))
        try await withServer(Self.silence(Events())) { base in
            let error = await #expect(throws: TransportError.self) { try await transport.send(.get(base + "/")) }
            #expect(error?.kind == .timedOut)
        }
        await transport.shutdown()
    }

    @Test("Shutting down ends calls under way and refuses later ones")
    func shutdown() async throws {
        let events = Events<String>()
        try await withServer(Self.silence(events)) { base in
            let transport = URLSessionTransport(configuration: .init())
            let call = Task { try await transport.send(.get(base + "/")) }
            #expect(await events.next() == "request")
            await transport.shutdown()
            let ended = await #expect(throws: TransportError.self) { try await call.value }
            #expect(ended?.kind == .shutDown)
            let refused = await #expect(throws: TransportError.self) { try await transport.send(.get(base + "/")) }
            #expect(refused?.kind == .shutDown)
            #expect(refused?.sent == .nothing)
            await transport.shutdown()
        }
    }
}

extension HTTPBody {
    /// Reads to the end and forgets.
    fileprivate func drainAll() async throws {
        for try await _ in self {}
    }
}
