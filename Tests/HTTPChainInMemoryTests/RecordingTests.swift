import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

private enum Marker: RequestOption {
    static var defaultValue: Int { 0 }
    static func isHarmless(_ value: Value) -> Bool { true }
}

@Suite("Recorded requests", .timeLimit(.minutes(10)))
struct RecordingTests {
    @Test("A request is recorded with head, URL, body, options and response")
    func record() async throws {
        let transport = InMemoryTransport { _ in Response(.created, headers: [.eTag: "\"1\""], body: "done") }
        var request = try Request.post(base + "/users?x=1", headers: [.accept: "*/*"], json: User(name: "Ada"))
        request.options[Marker.self] = 7
        let response = try await transport.send(request)
        let unread = try #require(transport.requests.first)
        #expect(unread.responseBody == .pending)
        #expect(try await response.body.text() == "done")
        let record = try #require(transport.requests.first)
        #expect(record.method == .post)
        #expect(record.url == base + "/users?x=1")
        #expect(record.headers[.accept] == "*/*")
        #expect(record.headers[.contentLength] == "14")
        #expect(record.text == #"{"name":"Ada"}"#)
        #expect(try record.decode(User.self) == User(name: "Ada"))
        #expect(record.options[Marker.self] == 7)
        #expect(record.response?.status == .created)
        #expect(record.response?.headerFields[.eTag] == "\"1\"")
        #expect(record.error == nil)
        #expect(record.responseBody == .complete)
        #expect(record.responseBytesRead == 4)
    }

    @Test("Content-Length is recorded as the wire would have it")
    func contentLength() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        _ = try await transport.send(.get(base))
        _ = try await transport.send(.post(base))
        _ = try await transport.send(.put(base, body: .onceChunks(["a"])))
        _ = try await transport.send(.put(base, body: .onceChunks(length: 1, ["a"])))
        _ = try await transport.send(.put(base, headers: [.contentLength: "1"], body: .onceChunks(["a"])))
        #expect(transport.requests.map { $0.headers[.contentLength] } == [nil, "0", nil, "1", "1"])
    }

    @Test("Requests are in the order they came")
    func order() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        for index in 0..<5 { _ = try await transport.send(.get(base + "/\(index)")) }
        #expect(transport.requests.map(\.head.path) == (0..<5).map { "/\($0)" })
        #expect(transport.requestCount == 5)
    }

    @Test("A one-shot body is consumed, and the closure can read it again and again")
    func oneShot() async throws {
        let transport = InMemoryTransport { request in
            let first = try await request.body.text()
            return Response(.ok, body: HTTPBody(first + "|" + (try await request.body.text())))
        }
        let body = HTTPBody.onceChunks(["ab", "cd"])
        #expect(try await transport.send(.post(base, body: body)).body.text() == "abcd|abcd")
        #expect(transport.requests.first?.text == "abcd")
        await #expect(throws: BodyError.self) { try await transport.send(.post(base, body: body)) }
    }

    @Test("Of a large body the first bytes are recorded, and the closure gets all of it")
    func bodyLimit() async throws {
        let transport = InMemoryTransport(recordedBodyLimit: 3)
        transport.on(.post, "*") { Response(.ok, body: HTTPBody("\(try await $0.body.collect().count)")) }
        let chunk = String(repeating: "x", count: 1000)
        for body in [
            HTTPBody.onceChunks(["ab", chunk, chunk]), HTTPBody(Data("ab".utf8) + Data((chunk + chunk).utf8)),
        ] {
            #expect(try await transport.send(.post(base, body: body)).body.text() == "2002")
            let record = try #require(transport.requests.last)
            #expect(record.text == "abx")
            #expect(record.bodyLength == 2002)
            #expect(record.isBodyTruncated)
        }
        transport.enqueue(.ok)
        _ = try await transport.send(.post(base, body: "abc"))
        #expect(transport.requests.last?.isBodyTruncated == false)
    }

    @Test("Only the latest requests are kept", arguments: [0, 1, 3, 50])
    func requestLimit(limit: Int) async throws {
        let transport = InMemoryTransport(recordedRequestLimit: limit)
        transport.on(nil, "*") { _ in Response(.ok) }
        for index in 0..<20 {
            _ = try await transport.send(.post(base + "/\(index)", body: HTTPBody("\(index)")))
            #expect(transport.requests.last?.text == (limit == 0 ? nil : "\(index)"))
        }
        #expect(transport.requests.map(\.head.path) == (max(0, 20 - limit)..<20).map { "/\($0)" })
        #expect(transport.requests.allSatisfy { $0.response?.status == .ok })
        #expect(transport.requestCount == 20)
    }

    @Test("A typed body is refused with the stage that is missing, and not recorded")
    func typedBody() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let error = try await failure { _ = try await transport.send(.post(base, body: .value(User(name: "Ada")))) }
        #expect((error as? InvalidRequestError)?.problem == .unserializedBody(type: "User"))
        let relative = try await failure { _ = try await transport.send(.get("users/1")) }
        #expect((relative as? InvalidRequestError)?.problem == .relativeURL("users/1"))
        #expect(transport.requests.isEmpty)
    }

    @Test(
        "A body that breaks its declared length fails the call, though the closure never reads it",
        arguments: [2, 9]
    )
    func brokenLength(declared: Int64) async throws {
        let wasAsked = Locked(false)
        let transport = InMemoryTransport { _ in
            wasAsked.withLock { $0 = true }
            return Response(.ok)
        }
        let body = HTTPBody.onceChunks(length: declared, ["abc"])
        let error = try await failure { _ = try await transport.send(.post(base, body: body)) }
        let problem = try #require(error as? BodyError).problem
        #expect(
            problem
                == (declared == 2
                    ? .longerThanDeclared(declared: 2) : .shorterThanDeclared(declared: 9, actual: 3))
        )
        #expect(wasAsked.withLock { $0 } == false)
        #expect(transport.requests.first?.error is BodyError)
        transport.enqueue(.ok)
        let header = Request.post(base, headers: [.contentLength: "\(declared)"], body: .onceChunks(["abc"]))
        await #expect(throws: BodyError.self) { try await transport.send(header) }
    }

    @Test("A stream that says it is empty is held to that")
    func emptyStream() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        await #expect(throws: BodyError.self) {
            try await transport.send(.post(base, body: .onceChunks(length: 0, ["abc"])))
        }
    }

    @Test("An error of the body's source fails the call")
    func sourceFails() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let body = HTTPBody.once { throw TestError(text: "source") }
        await #expect(throws: TestError(text: "source")) { try await transport.send(.post(base, body: body)) }
    }

    @Test("Upload progress is reported for each chunk, with the length where it is known")
    func progress() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let reports = Locked<[[Int64?]]>([])
        func send(_ body: HTTPBody) async throws -> [[Int64?]] {
            var request = Request.post(base, body: body)
            request.options[UploadProgressNote.self] = { sent, expected in
                reports.withLock { $0.append([sent, expected]) }
            }
            _ = try await transport.send(request)
            return reports.withLock { reports in
                defer { reports = [] }
                return reports
            }
        }
        #expect(try await send(.onceChunks(["ab", "c"])) == [[2, nil], [3, nil]])
        #expect(try await send(.onceChunks(length: 3, ["ab", "c"])) == [[2, 3], [3, 3]])
        let large = Data(count: HTTPBody.chunkSize + 1)
        #expect(try await send(HTTPBody(large)) == [[65_536, 65_537], [65_537, 65_537]])
        #expect(try await send(.empty) == [])
        transport.enqueue(.ok)
        #expect(try await send("abc") == [[3, 3]])
    }

    @Test("A response body that is dropped unread, or half read, is seen to be dropped")
    func dropped() async throws {
        let transport = InMemoryTransport()
        transport.on(nil, "*", reply: ScriptedReply(chunks: [Data("ab".utf8), Data("cd".utf8)]))
        _ = try await transport.send(.get(base))
        #expect(transport.requests.first?.responseBody == .dropped)
        for try await _ in try await transport.send(.get(base)).body { break }
        #expect(transport.requests.last?.responseBody == .dropped)
        #expect(transport.requests.last?.responseBytesRead == 2)
        await (try transport.send(.get(base))).body.drain()
        #expect(transport.requests.last?.responseBody == .complete)
    }

    @Test("A recorded request is described without secrets and content")
    func description() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let headers: HTTPFields = [.authorization: "Bearer hunter2"]
        _ = try await transport.send(.post(base + "/x?token=hunter2", headers: headers, body: "hunter2"))
        let record = try #require(transport.requests.first)
        #expect("\(record)" == "POST https://example.com/x?token=<redacted> → 200 OK (sent 7 bytes)")
    }

    @Test("What stages attached to a response stays on it")
    func responseOptions() async throws {
        let transport = InMemoryTransport { _ in
            var response = Response(.ok, body: "x")
            response.options[DecodedValueFact.self] = 5
            return response
        }
        #expect(try await transport.send(.get(base)).options[DecodedValueFact.self] as? Int == 5)
    }

    @Test("A test can wait for requests")
    func waitForRequests() async throws {
        let transport = InMemoryTransport()
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed), times: 2)
        async let first = transport.send(.get(base))
        async let second = transport.send(.get(base))
        try await transport.waitForRequests(2)
        #expect(transport.requests.count == 2)
        _ = try await (first, second)
    }
}
