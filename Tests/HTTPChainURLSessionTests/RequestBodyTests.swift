#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

@Suite("Request bodies over URLSession", .heavy, .timeLimit(.minutes(10)))
struct RequestBodyTests {
    private let transport = URLSessionTransport()

    private struct Failure: Error, Equatable {}

    /// What the server received of one request.
    private func received(_ body: HTTPBody, headers: HTTPFields = [:]) async throws -> ServerConnection.Received {
        let requests = Events<ServerConnection.Received>()
        return try await withServer(
            answering { request in
                requests.add(request)
                return .reply("200 OK")
            }
        ) { base async throws in
            let response = try await transport.send(.post(base + "/", headers: headers, body: body))
            #expect(response.status == .ok)
            return try await requests.next()
        }
    }

    @Test("Bodies of known length are sent with exactly that Content-Length, not chunked")
    func exactLength() async throws {
        let file = try await HTTPBody(Data(count: 200_000)).saveToTemporaryFile()
        let bodies: [(HTTPBody, Int)] = [
            (HTTPBody(Data(count: 5)), 5),
            (.once(length: 300_000) { ZeroReader(left: 300_000) }, 300_000),
            (.replayable(length: 100) { ZeroReader(left: 100) }, 100),
            (.file(file.url), 200_000),
            (.file(file.url, range: 10..<150_000), 149_990),
            (.empty, 0),
            (.once(length: 0) { ZeroReader(left: 0) }, 0),
        ]
        for (body, length) in bodies {
            let request = try await received(body)
            #expect(request["content-length"] == "\(length)")
            #expect(request["transfer-encoding"] == nil)
            #expect(request.body == [UInt8](repeating: 0, count: length))
        }
    }

    #if canImport(FoundationNetworking)
    /// Each case: the body, whether the request has a key, and how often the server gets the request that it never answers.
    @Test(
        "A POST without a key isn't sent again by the platform when a reused connection is lost",
        arguments: [
            (0, false, 1), (1, false, 1), (2, false, 1), (1, true, 2), (3, false, 1), (4, false, 1), (3, true, 2),
        ]
    )
    func isNotResent(_ kind: Int, hasKey: Bool, times: Int) async throws {
        let file = try await HTTPBody(Data(count: 2000)).saveToTemporaryFile()
        let body = [
            HTTPBody("order 7"), .replayable(length: 2000) { ZeroReader(left: 2000) }, .file(file.url), .empty,
            .once(length: 0) { ZeroReader(left: 0) },
        ][kind]
        let received = Locked(0)
        let headers: HTTPFields = hasKey ? [.idempotencyKey: "k-7"] : [:]
        try await withServer { connection in
            var isReused = false
            while let request = try await connection.readRequest() {
                if request.line.hasPrefix("POST /order") {
                    let isLost = received.withLock { count in
                        // Only what is sent over a reused connection is sent again.
                        if hasKey, !isReused, count == 0 { return false }
                        count += 1
                        return count == 1
                    }
                    // The connection of the first one is lost; another one responds.
                    if isLost { return }
                }
                isReused = true
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        } _: { base async throws in
            var result: Result<HTTPResponse.Status, any Error>
            var tries = 0
            // The connection of the first request may not be free yet when the second is sent.
            repeat {
                _ = try await transport.send(.get(base + "/first")).body.collect(upTo: .kilobytes(1))
                do {
                    let order = Request.post(base + "/order", headers: headers, body: body)
                    result = .success(try await transport.send(order).status)
                } catch {
                    result = .failure(error)
                }
                tries += 1
            } while received.withLock({ $0 }) == 0 && tries < 100
            if times == 1 {
                let error = try #require(throws: TransportError.self) { try result.get() }
                #expect(error.kind == .connectionLost && error.sent == .maybe)
            } else {
                #expect(try result.get() == .ok)
            }
        }
        #expect(received.withLock { $0 } == times)
    }

    @Test("A POST without a body and without a key gets a separate connection, which is closed after the response")
    func separateConnection() async throws {
        let closed = Events<String>()
        let shared = Events<String>()
        try await withServer { connection in
            var lines: [String] = []
            while let request = try await connection.readRequest() {
                lines.append(request.line)
                if lines.count == 2 { shared.add(lines.joined(separator: ", ")) }
                try await connection.send(.reply("200 OK", body: "ok"))
            }
            closed.add(lines.joined(separator: ", "))
        } _: { base async throws in
            let transport = URLSessionTransport(configuration: .init())
            _ = try await transport.send(.get(base + "/first")).body.collect(upTo: .kilobytes(1))
            for path in ["/second", "/third"] {
                let response = try await transport.send(.post(base + path, body: .empty))
                #expect(try await response.body.text() == "ok")
                #expect(try await closed.next() == "POST \(path) HTTP/1.1")
            }
            let keyed = try await transport.send(.post(base + "/keyed", headers: [.idempotencyKey: "k"], body: .empty))
            #expect(try await keyed.body.text() == "ok")
            #expect(try await shared.next() == "GET /first HTTP/1.1, POST /keyed HTTP/1.1")
            await transport.shutdown()
        }
    }

    @Test("A POST without a body to a server that refuses connections was not sent")
    func separateConnectionRefused() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(.post("http://127.0.0.1:1/", body: .empty))
        }
        #expect(error?.kind == .cannotConnect && error?.sent == .nothing)
    }

    @Test("A shutdown ends a POST without a body that is in flight")
    func separateConnectionShutDown() async throws {
        let arrived = Events<Bool>()
        try await withServer { connection in
            _ = try await connection.readRequest()
            arrived.add(true)
            arrived.add(try await connection.readRequest() == nil)
        } _: { base async throws in
            let transport = URLSessionTransport(configuration: .init())
            let call = Task { try await transport.send(.post(base + "/", body: .empty)) }
            _ = try await arrived.next()
            await transport.shutdown()
            let error = await #expect(throws: TransportError.self) { try await call.value }
            #expect(error?.kind == .shutDown && error?.sent == .maybe)
            #expect(try await arrived.next() == true, "its connection is closed")
        }
    }
    #endif

    @Test("A stream of unknown length arrives whole")
    func unknownLength() async throws {
        #if canImport(FoundationNetworking)
        let request = try await received(.once { ZeroReader(left: 3_000_000) })
        #expect(request["content-length"] == "3000000")
        #expect(request.body.count == 3_000_000)
        #endif
        #expect(transport.capabilities.contains(.streamsUploads))
    }

    @Test("Only the caller's fields describe the body; repeated ones are joined")
    func fields() async throws {
        var headers: HTTPFields = [.contentType: "text/plain"]
        headers.append(HTTPField(name: .cookie, value: "a=1"))
        headers.append(HTTPField(name: .cookie, value: "b=2"))
        headers.append(HTTPField(name: .accept, value: "text/html"))
        headers.append(HTTPField(name: .accept, value: "text/plain"))
        let request = try await received("hello", headers: headers)
        #expect(request["content-type"] == "text/plain")
        #expect(request["cookie"] == "a=1; b=2")
        #expect(request["accept"] == "text/html, text/plain")
        #if canImport(FoundationNetworking)
        #expect(try await received("hello")["content-type"] == nil)
        #endif
    }

    @Test("What goes wrong with a body fails the call with that very error")
    func failing() async throws {
        let missing = URL(fileURLWithPath: "/nonexistent-file")
        let cases: [(HTTPBody, BodyError.Problem)] = [
            (.once(length: 100) { ZeroReader(left: 90) }, .shorterThanDeclared(declared: 100, actual: 90)),
            (
                .once(length: 100_000) { ZeroReader(left: 90_000) },
                .shorterThanDeclared(declared: 100_000, actual: 90_000)
            ),
            (.once(length: 65_536) { ZeroReader(left: 70_000) }, .longerThanDeclared(declared: 65_536)),
            (.once(length: 131_072) { ZeroReader(left: 131_073) }, .longerThanDeclared(declared: 131_072)),
            (
                .file(missing),
                .missingFile(path: missing.path)
            ),
        ]
        for (body, problem) in cases {
            try await withServer(answering { _ in .reply("200 OK") }) { base in
                let error = await #expect(throws: BodyError.self) {
                    try await transport.send(.post(base + "/", body: body))
                }
                #expect(error?.problem == problem)
            }
        }
        try await withServer(answering { _ in .reply("200 OK") }) { base in
            await #expect(throws: Failure.self) {
                try await transport.send(
                    .post(base + "/", body: .once { ZeroReader(left: 200_000, failure: Failure()) })
                )
            }
        }
    }

    @Test("A file that shrinks while it is sent fails the call, and the server never sees a whole request")
    func shrinkingFile() async throws {
        let file = try await HTTPBody(Data(count: 30_000_000)).saveToTemporaryFile()
        let ends = Events<Bool>()
        try await withServer { connection in
            _ = try await connection.readHead()
            let handle = try FileHandle(forWritingTo: file.url)
            try handle.truncate(atOffset: 10)
            var count = 0
            while let some = try await connection.readSome() { count += some.count }
            ends.add(count < 30_000_000)
        } _: { base async throws in
            let error = await #expect(throws: BodyError.self) {
                try await transport.send(.post(base + "/", body: .file(file.url)))
            }
            #expect(error?.problem == .fileChanged(path: file.url.path))
            #expect(try await ends.next() == true)
        }
    }

    @Test("A server that answers early is heard, and the upload stops")
    func earlyAnswer() async throws {
        let size = 50_000_000
        let counts = Events<Int>()
        try await withServer { connection in
            _ = try await connection.readHead()
            try await connection.send(.reply("413 Content Too Large", ["Connection: close"], body: "large"))
            var count = 0
            while let some = try await connection.readSome() { count += some.count }
            counts.add(count)
        } _: { base async throws in
            let response = try await transport.send(
                .post(base + "/", body: .once(length: Int64(size)) { ZeroReader(left: size) })
            )
            #expect(response.status == .contentTooLarge)
            #expect(try await response.body.text() == "large")
            let count = try await counts.next()
            #expect(count < size)
        }
    }

    @Test("A kept connection that turns out closed costs a body nothing")
    func staleConnection() async throws {
        let lengths = Events<Int>()
        try await withServer { connection in
            guard try await connection.readRequest() != nil else { return }
            if connection.number > 1 { return try await connection.send(.reply("200 OK", body: "again")) }
            try await connection.send(.reply("200 OK"))
            lengths.add(try await connection.readRequest()?.body.count ?? -1)
        } _: { base async throws in
            let transport = URLSessionTransport(configuration: .init())
            _ = try await transport.send(.get(base + "/"))
            let response = try await transport.send(.put(base + "/", body: HTTPBody(Data(count: 1_000))))
            #expect(try await response.body.text() == "again")
            #expect(try await lengths.next() == 1_000)
            await transport.shutdown()
        }
    }

    #if canImport(FoundationNetworking)
    @Test("A POST that was sent on a kept connection may have been sent, though no other connection can be made")
    func staleConnectionOfAServerThatIsGone() async throws {
        let lengths = Events<Int>()
        try await withServer { connection in
            guard try await connection.readRequest() != nil else { return }
            try connection.stopListening()
            try await connection.send(.reply("200 OK"))
            lengths.add(try await connection.readRequest()?.body.count ?? -1)
        } _: { base async throws in
            let transport = URLSessionTransport(configuration: .init())
            _ = try await transport.send(.get(base + "/")).body.collect()
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(.post(base + "/", body: HTTPBody(Data(count: 1_000))))
            }
            #expect(try await lengths.next() == 1_000, "the server has read all of it")
            #expect(error?.kind == .cannotConnect)
            #expect(error?.sent == .maybe)
            let refused = await #expect(throws: TransportError.self) {
                try await transport.send(.post(base + "/", body: HTTPBody(Data(count: 1_000))))
            }
            #expect(refused?.kind == .cannotConnect)
            #expect(refused?.sent == .nothing, "of a call that began after the connection was gone")
            await transport.shutdown()
        }
    }
    #endif

    @Test("Progress of an upload counts up to its length")
    func progress() async throws {
        let seen = Locked<[(Int64, Int64?)]>([])
        try await withServer(answering { _ in .reply("200 OK") }) { base in
            var request = Request.post(base + "/", body: .once(length: 500_000) { ZeroReader(left: 500_000) })
            request.options[UploadProgressNote.self] = { sent, expected in
                seen.withLock { $0.append((sent, expected)) }
            }
            _ = try await transport.send(request)
        }
        let steps = seen.withLock { $0 }
        #expect(steps.last?.0 == 500_000)
        #expect(steps.allSatisfy { $0.1 == 500_000 })
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.0 < $1.0 })
    }

    #if canImport(FoundationNetworking)
    @Test("A stream larger than may be stored is refused with advice")
    func tooLarge() async throws {
        let transport = URLSessionTransport(configuration: .init(memoryWatermark: 1_000, spillLimit: 200_000))
        let error = await #expect(throws: InvalidRequestError.self) {
            try await transport.send(.post("http://127.0.0.1:1/", body: .once { ZeroReader(left: 300_000) }))
        }
        #expect(error?.description.contains("raise spillLimit") == true)
    }
    #endif
}
#endif
