import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("Bodies fed by hand", .timeLimit(.minutes(10)))
struct ChunkFeedTests {
    let transport = InMemoryTransport()

    @Test("The reader gets the chunks as they are handed in, then the end")
    func feeding() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(.ok, headers: [.contentType: "text/event-stream"], feed: feed))
        let response = try await transport.send(.get(base))
        #expect(response.headers[.contentLength] == nil)
        async let chunks = response.body.chunks()
        #expect(try await feed.waitForDemand())
        feed.send("one")
        #expect(try await feed.waitForDemand())
        #expect(feed.bytesRead == 3)
        feed.send("")
        feed.send(Data("two".utf8))
        feed.send("three")
        feed.finish()
        #expect(await chunks.chunks == ["one", "two", "three"])
        #expect(try await feed.waitUntilClosed())
        #expect(!feed.isCancelled)
        #expect(try await feed.waitForDemand() == false)
        #expect(!feed.send("late"))
    }

    @Test("Nothing is taken before it is asked for")
    func backpressure() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        feed.send("ab")
        feed.send("cd")
        feed.finish()
        var iterator = try await transport.send(.get(base)).body.makeAsyncIterator()
        #expect(feed.bytesRead == 0)
        #expect(try await iterator.next() == Data("ab".utf8))
        #expect(feed.bytesRead == 2)
    }

    @Test("A failure comes after the chunks handed in")
    func failing() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        feed.send("ab")
        feed.fail(TestError(text: "feed"))
        feed.finish()
        let (chunks, error) = await (try transport.send(.get(base))).body.chunks()
        #expect(chunks == ["ab"])
        #expect(error as? TestError == TestError(text: "feed"))
        #expect(transport.requests.first?.responseBody == .failed)
    }

    @Test("A feed of known length is held to it")
    func length() async throws {
        let feed = ChunkFeed(length: 5)
        transport.enqueue(ScriptedReply(feed: feed))
        let response = try await transport.send(.get(base))
        #expect(response.headers[.contentLength] == "5")
        feed.send("abc")
        feed.finish()
        let error = await response.body.chunks().error
        #expect((error as? TransportError)?.kind == .truncatedBody)
    }

    @Test("Dropping the response is seen by the test")
    func dropped() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        _ = try await transport.send(.get(base))
        #expect(try await feed.waitUntilClosed() == false)
        #expect(feed.isCancelled)
        #expect(!feed.send("late"))
        #expect(try await feed.waitForDemand() == false)
    }

    @Test("Dropping the body half read is seen by the test")
    func droppedHalfway() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        feed.send("ab")
        for try await _ in try await transport.send(.get(base)).body { break }
        #expect(feed.isCancelled)
        #expect(feed.bytesRead == 2)
    }

    @Test("A feed made into a response by a closure works the same")
    func inClosure() async throws {
        let feed = ChunkFeed()
        let transport = InMemoryTransport { _ in Response(.ok, body: feed.body) }
        feed.send("ab")
        feed.finish()
        #expect(try await transport.send(.get(base)).body.text() == "ab")
        #expect(!feed.isCancelled)
        let second = try await transport.send(.get(base))
        let error = try await failure { _ = try await second.body.collect() }
        #expect((error as? BodyError)?.problem == .alreadyRead)
    }

    @Test("An answer without content gives the feed up")
    func noContent() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(.noContent, feed: feed))
        let response = try await transport.send(.get(base))
        #expect(try await response.body.collect().isEmpty)
        #expect(feed.isCancelled)
    }
}

@Suite("Cancellation and concurrency", .timeLimit(.minutes(10)))
struct CancellationTests {
    let transport = InMemoryTransport()

    @Test("A cancelled task sends nothing")
    func before() async throws {
        transport.enqueue(.ok)
        let task = Task { [transport] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(.get(base))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.isEmpty)
    }

    @Test("A delay ends at once when the task is cancelled")
    func delay() async throws {
        let time = ManualTime()
        transport.enqueue(.ok.delayed(by: .seconds(3600)))
        let task = Task { [transport] in try await transport.send(Request.get(base).on(time)) }
        try await time.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.first?.error is CancellationError)
        #expect(time.elapsed == .zero)
    }

    @Test("A delay between chunks ends at once when the task is cancelled")
    func chunkDelay() async throws {
        let time = ManualTime()
        let chunks = [Data("a".utf8), Data("b".utf8)]
        transport.enqueue(ScriptedReply(chunks: chunks).delayed(by: .zero, betweenChunks: .seconds(3600)))
        let task = Task { [transport] in
            try await transport.send(Request.get(base).on(time)).body.collect()
        }
        try await time.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(transport.requests.first?.responseBody == .dropped)
    }

    @Test("A pending feed ends at once when the task is cancelled, and sees it")
    func feed() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        let task = Task { [transport] in try await transport.send(.get(base)).body.collect() }
        try await feed.waitForDemand()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await feed.waitUntilClosed() == false)
        #expect(feed.isCancelled)
    }

    @Test("Reading what is already there ends too when the task is cancelled")
    func reading() async throws {
        transport.enqueue(.text("abc"))
        let response = try await transport.send(.get(base))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await response.body.text()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A closure that ignores its cancellation gives no response")
    func ignoringClosure() async throws {
        let transport = InMemoryTransport { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return Response(.ok, body: "abc")
        }
        let task = Task { try await transport.send(.get(base)) }
        await #expect(throws: CancellationError.self) { try await task.value }
        let record = try #require(transport.requests.first)
        #expect(record.error is CancellationError)
        #expect(record.response == nil)
        #expect(record.responseBody == .none)
    }

    @Test("An upload ends when the task is cancelled")
    func upload() async throws {
        transport.enqueue(.ok)
        let upload = ChunkFeed()
        let task = Task { [transport] in try await transport.send(.post(base, body: upload.body)) }
        try await upload.waitForDemand()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await upload.waitUntilClosed() == false)
    }

    @Test("A thousand requests at a time are each answered and recorded, delayed or not")
    func concurrent() async throws {
        let time = ManualTime()
        transport.on(.post, "/echo/:id") { request in
            Response(.ok, body: HTTPBody("\(request.routeVariables["id"] ?? "")=\(try await request.body.text())"))
        }
        transport.on(.get, "/late", reply: .text("late").delayed(by: .seconds(1)))
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { [transport] group in
            for index in 0..<1000 {
                group.addTask {
                    if index.isMultiple(of: 10) {
                        let response = try await transport.send(Request.get(base + "/late").on(time))
                        return try await response.body.text() == "late"
                    }
                    let request = Request.post(base + "/echo/\(index)", body: .onceChunks(["\(index)", "!"]))
                    return try await transport.send(request).body.text() == "\(index)=\(index)!"
                }
            }
            try await transport.waitForRequests(1000)
            try await time.waitForSleepers(100)
            time.advance(by: .seconds(1))
            var wrong = 0
            for try await answered in group where !answered { wrong += 1 }
            return wrong
        }
        #expect(wrong == 0)
        #expect(transport.requests.count == 1000)
        #expect(transport.requests.allSatisfy { $0.responseBody == .complete })
        #expect(Set(transport.requests.filter { $0.method == .post }.map(\.text)).count == 900)
    }
}
