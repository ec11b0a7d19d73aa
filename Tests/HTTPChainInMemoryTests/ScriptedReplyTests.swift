import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("Scripted replies", .timeLimit(.minutes(10)))
struct ScriptedReplyTests {
    @Test("Enqueued replies are answered in order, before any route")
    func order() async throws {
        let transport = InMemoryTransport { _ in Response(.accepted) }
        transport.enqueue(.status(503))
        transport.enqueue([.ok, .status(404)])
        var statuses: [Int] = []
        for _ in 0..<4 { statuses.append(try await transport.send(.get(base)).status.code) }
        #expect(statuses == [503, 200, 404, 202])
    }

    @Test("A reply enqueued with a count answers that often")
    func times() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.text("again"), times: 2)
        transport.enqueue(.ok, times: -1)
        for _ in 0..<2 {
            #expect(try await transport.send(.get(base)).body.text() == "again")
        }
        await #expect(throws: UnmatchedRequestError.self) { try await transport.send(.get(base)) }
    }

    @Test("A handler writes its responses as a script writes its replies")
    func handlers() async throws {
        let replies: [ScriptedReply] = [
            .ok, .status(500, headers: [.retryAfter: "1"], body: "no"), try .json(User(name: "Ada"), status: .created),
            .text("héllo", headers: [.contentType: "text/html"]), .redirect(to: "/next", status: .seeOther),
        ]
        let responses: [Response] = [
            .ok, .status(500, headers: [.retryAfter: "1"], body: "no"), try .json(User(name: "Ada"), status: .created),
            .text("héllo", headers: [.contentType: "text/html"]), .redirect(to: "/next", status: .seeOther),
        ]
        for (reply, response) in zip(replies, responses) {
            let scripted = InMemoryTransport()
            scripted.enqueue(reply)
            let handled = InMemoryTransport { _ in response }
            let (one, other) = (try await scripted.send(.get(base)), try await handled.send(.get(base)))
            #expect(one.head == other.head)
            #expect(try await one.body.text() == (try await other.body.text()))
        }
        let transport = InMemoryTransport { _ in .status(500) }
        transport.on(.get, "/ada") { _ in try .json(User(name: "Ada")) }
        #expect(try await transport.send(.get("https://a.example/ada")).decode(User.self) == User(name: "Ada"))
        #expect(try await transport.send(.get("https://a.example/ida")).status == .internalServerError)
    }

    @Test("A value, a text and a redirect come with the fields they need")
    func conveniences() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([
            try .json(User(name: "Ada"), status: .created), .text("héllo"), .redirect(to: "/next"),
            try .json(User(name: "Ada"), headers: [.contentType: "application/vnd.user+json"]),
        ])
        let json = try await transport.send(.get(base))
        #expect(json.status == .created)
        #expect(json.headers[.contentType] == "application/json")
        #expect(try await json.decode(User.self) == User(name: "Ada"))
        let text = try await transport.send(.get(base))
        #expect(text.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(text.headers[.contentLength] == "6")
        #expect(try await text.body.text() == "héllo")
        let redirect = try await transport.send(.get(base))
        #expect(redirect.status == .found)
        #expect(redirect.headers[.location] == "/next")
        #expect(try await transport.send(.get(base)).headers[.contentType] == "application/vnd.user+json")
    }

    @Test("Chunks arrive in the pieces given, without the empty ones")
    func chunks() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(chunks: [Data("ab".utf8), Data(), Data("c".utf8)]))
        transport.enqueue(ScriptedReply(chunks: [Data("ab".utf8)], declaresLength: false))
        let response = try await transport.send(.get(base))
        #expect(response.headers[.contentLength] == "3")
        let (chunks, error) = await response.body.chunks()
        #expect(chunks == ["ab", "c"])
        #expect(error == nil)
        let undeclared = try await transport.send(.get(base))
        #expect(undeclared.headers[.contentLength] == nil)
        #expect(undeclared.body.length == nil)
        #expect(try await undeclared.body.text() == "ab")
    }

    @Test("A file is a body, whole or in part")
    func file() async throws {
        let file = try await HTTPBody("0123456789").saveToTemporaryFile()
        let transport = InMemoryTransport()
        transport.enqueue(.file(file.url))
        transport.enqueue(.file(file.url, range: 2..<5, status: .partialContent))
        transport.enqueue(.file(URL(fileURLWithPath: "/nowhere/at-all")))
        let whole = try await transport.send(.get(base))
        #expect(whole.headers[.contentLength] == "10")
        #expect(try await whole.body.text() == "0123456789")
        #expect(try await transport.send(.get(base)).body.text() == "234")
        let missing = try await transport.send(.get(base))
        await #expect(throws: BodyError.self) { try await missing.body.text() }
    }

    @Test("The head is delayed on the clock of the request, and only by as much as scripted")
    func delay() async throws {
        let time = ManualTime()
        let transport = InMemoryTransport()
        transport.enqueue(.ok.delayed(by: .seconds(60)))
        async let response = transport.send(Request.get(base).on(time))
        try await time.advanceSleeper(by: .seconds(59))
        #expect(transport.requests.first?.response == nil)
        try await time.advanceSleeper(by: .seconds(1))
        #expect(try await response.status == .ok)
        #expect(time.elapsed == .seconds(60))
    }

    @Test("The chunks after the first are delayed, the end is not")
    func chunkDelay() async throws {
        let time = ManualTime()
        let transport = InMemoryTransport()
        let chunks = ["a", "b", "c"].map { Data($0.utf8) }
        transport.enqueue(ScriptedReply(chunks: chunks).delayed(by: .zero, betweenChunks: .seconds(5)))
        let response = try await transport.send(Request.get(base).on(time))
        async let text = response.body.text()
        try await time.waitForSleeps(1)
        #expect(transport.requests.first?.responseBytesRead == 1)
        time.advance(by: .seconds(5))
        try await time.waitForSleeps(2)
        #expect(transport.requests.first?.responseBytesRead == 2)
        time.advance(by: .seconds(5))
        #expect(try await text == "abc")
        #expect(time.elapsed == .seconds(10))
    }
    @Test("A reply can come without the request's body being read")
    func early() async throws {
        let transport = InMemoryTransport()
        let upload = ChunkFeed()
        transport.enqueue(.status(413).withoutReadingRequestBody())
        #expect(try await transport.send(.post(base, body: upload.body)).status == .contentTooLarge)
        #expect(try await upload.waitUntilClosed() == false)
        #expect(transport.requests.first?.bodyLength == 0)
    }

    @Test("What a reply says of itself names no content")
    func description() {
        #expect("\(ScriptedReply.text("secret"))" == "200 OK, 6 bytes")
        #expect("\(ScriptedReply(.accepted, feed: ChunkFeed()))" == "202 Accepted, fed by hand")
        let late = ScriptedReply.failure(.beforeHead()).delayed(by: .seconds(2))
        #expect("\(late)" == "200 OK, after 2.0 seconds, fails beforeHead")
    }
}
