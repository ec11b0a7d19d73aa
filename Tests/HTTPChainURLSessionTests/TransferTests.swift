#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainURLSession

@Suite("Transfers over URLSession", .heavy, .timeLimit(.minutes(10)))
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
        try await withServer(Self.silence(events)) { base async throws in
            let task = Task { try await transport.send(.get(base + "/")) }
            #expect(try await events.next() == "request")
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await events.next() == "closed")
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
        } _: { base async throws in
            let response = try await transport.send(.get(base + "/"))
            let read = Events<String>()
            let task = Task {
                for try await chunk in response.body { read.add(String(decoding: chunk, as: UTF8.self)) }
            }
            // Whether it waits for the rest by then, or is about to, its end is the same.
            var text = ""
            while text != "ok" { text += try await read.next() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await events.next() == "closed")
        }
    }

    @Test("Dropping a body that was not read stops the server's sending")
    func dropBody() async throws {
        let closed = Events<String>()
        try await withServer(Self.flood(closed)) { base async throws in
            _ = try await transport.send(.get(base + "/"))
            #expect(try await closed.next() == "closed")
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
            #expect(try await closed.next() == "closed")
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
            for _ in stalled { #expect(try await started.next() == "reading") }
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
        } _: { base async throws in
            let transport = URLSessionTransport(configuration: .init(memoryWatermark: .kibibytes(64)))
            let response = try await transport.send(.get(base + "/"))
            #expect(try await sent.next() == "all")
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
            #expect(try await closed.next() == "closed")
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
            try await passed.next()
            try Task.checkCancellation()
        }
    }

    #if canImport(FoundationNetworking)
    @Test("The resource timeout is a transport error, before and after the head")
    func resourceTimeout() async throws {
        let transport = URLSessionTransport(configuration: .init(resourceTimeout: .seconds(100)))
        let events = Events<String>()
        try await withServer(Self.silence(events)) { base async throws in
            let time = ManualTime()
            var request = Request.get(base + "/")
            request.environment.time = time
            let call = Task { [request] in try await transport.send(request) }
            #expect(try await events.next() == "request")
            time.passed.add(())
            let error = await #expect(throws: TransportError.self) { try await call.value }
            #expect(error?.kind == .timedOut)
            #expect(error?.sent == .maybe)
            #expect(try await events.next() == "closed")
        }
        try await withServer { connection in
            _ = try await connection.readRequest()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nok")
            while try await connection.readSome() != nil {}
        } _: { base async throws in
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

    #if canImport(FoundationNetworking)
    @Test("A redirect whose body never ends is ended by the deadline of its call")
    func endlessRedirect() async throws {
        let events = Events<String>()
        try await withServer { connection in
            _ = try await connection.readRequest()
            do {
                let head = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nTransfer-Encoding: chunked\r\n\r\n"
                try await connection.send(head)
                let chunk = Data("10000\r\n".utf8) + Data(count: 65_536) + Data("\r\n".utf8)
                for _ in 0..<64 { try await connection.send(chunk) }
                events.add("4 MiB")
                while try await connection.readSome() != nil {}
            } catch {}
            events.add("closed")
        } _: { base async throws in
            let clock = VirtualClock()
            var request = Request.get(base + "/")
            request.environment.time = clock
            request.options[DeadlineNote.self] = DeadlineNote.Mark(clock.elapsed + .seconds(30))
            let call = Task { [request] in try await transport.send(request) }
            #expect(try await events.next() == "4 MiB")
            clock.advance(by: .seconds(30))
            let error = await #expect(throws: TimeoutError.self) { try await call.value }
            #expect(error?.scope == .call)
            #expect(try await events.next() == "closed")
        }
    }

    @Test("A call that is cancelled while its redirect arrives ends alone, and not the process")
    func cancelledRedirects() async throws {
        let sent = Locked<Set<String>>([])
        let redirect = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 5\r\n\r\nmoved"
        try await withServer { connection in
            while let request = try await connection.readRequest() {
                try await connection.send(redirect)
                sent.withLock { _ = $0.insert(request.line) }
            }
        } _: { base async throws in
            await withDiscardingTaskGroup { group in
                for caller in 0..<16 {
                    group.addTask {
                        for number in 0..<250 {
                            let path = "/\(caller)/\(number)"
                            let call = Task { try await transport.send(.get(base + path)).status }
                            // Cancelled as soon as the redirect was sent; the test's time limit ends the wait.
                            while !Task.isCancelled, !sent.withLock({ $0.contains("GET \(path) HTTP/1.1") }) {
                                await Task.yield()
                            }
                            call.cancel()
                            switch await call.result {
                            case .success(let status): #expect(status == .found)
                            case .failure(let error): #expect(error is CancellationError)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("The deadline of a call holds while the queue on which transfers start is busy")
    func busyQueue() async throws {
        let gate = DispatchSemaphore(value: 0)
        PlatformBehaviour.onControlQueue { gate.wait() }
        defer { gate.signal() }
        let clock = VirtualClock()
        var request = Request.get("http://127.0.0.1:9/")
        request.environment.time = clock
        request.options[DeadlineNote.self] = DeadlineNote.Mark(clock.elapsed + .seconds(5))
        let call = Task { [request] in try await transport.send(request) }
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: TimeoutError.self) { try await call.value }
        #expect(error?.scope == .call)
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

    @Test("Shutting down ends calls in flight and refuses later ones")
    func shutdown() async throws {
        let events = Events<String>()
        try await withServer(Self.silence(events)) { base async throws in
            let transport = URLSessionTransport(configuration: .init())
            let call = Task { try await transport.send(.get(base + "/")) }
            #expect(try await events.next() == "request")
            await transport.shutdown()
            let ended = await #expect(throws: TransportError.self) { try await call.value }
            #expect(ended?.kind == .shutDown)
            let refused = await #expect(throws: TransportError.self) { try await transport.send(.get(base + "/")) }
            #expect(refused?.kind == .shutDown)
            #expect(refused?.sent == .nothing)
            await transport.shutdown()
        }
    }

    @Test("Shutting down ends a call that is still reading its request body")
    func shutdownWhileStoring() async throws {
        let transport = URLSessionTransport(configuration: .init())
        let events = Events<String>()
        let body = HTTPBody.once { StuckReader { events.add("reading") } }
        let call = Task { try await transport.send(.post("http://127.0.0.1:9/", body: body)) }
        #expect(try await events.next() == "reading")
        await transport.shutdown()
        let ended = await #expect(throws: TransportError.self) { try await call.value }
        #expect(ended?.kind == .shutDown)
        #expect(ended?.sent == .nothing)
    }

    @Test("The limits of an attempt and of a call include the time to store a body", arguments: [true, false])
    func storingIsLimited(isAttempt: Bool) async throws {
        let clock = VirtualClock()
        let events = Events<String>()
        var request = Request.post(
            "http://127.0.0.1:9/",
            headers: PlatformBehaviour.storesStreamedUploads ? [:] : [.contentLength: "10"],
            body: .once { StuckReader { events.add("reading") } }
        )
        request.environment.time = clock
        if isAttempt {
            request.options[TransferLimitsNote.self] = TransferLimits(write: .seconds(1), total: .seconds(5))
        } else {
            request.options[DeadlineNote.self] = DeadlineNote.Mark(clock.elapsed + .seconds(5))
        }
        let call = Task { [request] in try await transport.send(request) }
        #expect(try await events.next() == "reading")
        // The limit of the steps has no effect while nothing is sent.
        clock.advance(by: .seconds(2))
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: TimeoutError.self) { try await call.value }
        #expect(error?.scope == (isAttempt ? .attempt : .call))
        #expect(error?.elapsed == .seconds(5))
        #expect(error?.progress == .storing && error?.sent == .nothing)
        #expect(error?.reason.contains("reading the request body") == true)
    }

    @Test("One call in thirty cancelled under load ends neither the process nor the others")
    func cancelledUnderLoad() async throws {
        let answer = answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" }
        let counts = try await withServer(answer) { base in
            try await withThrowingTaskGroup(of: (answered: Int, cancelled: Int).self) { group in
                for worker in 0..<16 {
                    group.addTask {
                        var (answered, cancelled) = (0, 0)
                        for number in 0..<90 {
                            let call = Task { try await transport.send(.get(base + "/")).body.text() }
                            let isCancelled = (number + worker).isMultiple(of: 30)
                            if isCancelled {
                                for _ in 0..<(number % 7) { await Task.yield() }
                                call.cancel()
                            }
                            do {
                                let text = try await call.value
                                #expect(text == "ok")
                                answered += 1
                            } catch is CancellationError {
                                #expect(isCancelled)
                                cancelled += 1
                            } catch {
                                Issue.record(error)
                            }
                        }
                        return (answered, cancelled)
                    }
                }
                return try await group.reduce(into: (0, 0)) { $0 = ($0.0 + $1.answered, $0.1 + $1.cancelled) }
            }
        }
        #expect(counts.0 + counts.1 == 16 * 90)
        #expect(counts.0 >= 16 * 87)
    }
}

/// Tells that it is read, and then gives nothing until it is cancelled.
private struct StuckReader: BodyReader {
    let onRead: @Sendable () -> Void

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        onRead()
        try await Task.sleep(for: .seconds(86_400))
        return nil
    }
}

extension HTTPBody {
    /// Reads to the end and forgets.
    fileprivate func drainAll() async throws {
        for try await _ in self {}
    }
}
#endif
