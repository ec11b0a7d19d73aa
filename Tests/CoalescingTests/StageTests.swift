import Foundation
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Calls that share a transfer", .heavy, .timeLimit(.minutes(10)))
struct StageTests {
    @Test("A thousand identical calls cause one request, and each gets all of the response")
    func thousand() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        bench.answer { Response(.ok, headers: [.eTag: "\"1\""], body: feed.body) }
        let tasks = try await bench.start(1000)
        bench.gate.reach()
        let expected = pattern(0..<10_000)
        for index in 0..<10 { feed.send(expected[(index * 1000)..<((index + 1) * 1000)]) }
        feed.finish()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for task in tasks {
                group.addTask {
                    let response = try await task.value
                    #expect(response.headers[.eTag] == "\"1\"")
                    #expect(try await response.body.collect() == expected)
                    return response.isCoalesced
                }
            }
            var coalesced = 0
            for try await isCoalesced in group where isCoalesced { coalesced += 1 }
            #expect(coalesced == 999)
        }
        #expect(bench.transport.requestCount == 1)
        #expect(bench.stage.transfers.count == 0)
    }

    @Test("Bodies that can be read again are given to all as they are", arguments: [HTTPBody.empty, "in memory"])
    func replayable(body: HTTPBody) async throws {
        let stage = CoalescingMiddleware(partition: .shared)
        let gate = Rendezvous()
        let next = Next(
            to: ClosureTransport { _ in
                try await gate.wait()
                return Response(.ok, body: body)
            }
        )
        let tasks = (0..<3).map { _ in Task { try await stage.intercept(.get(target), next: next) } }
        try await until { stage.transfers.waiterCount == 3 }
        gate.reach()
        for task in tasks {
            let response = try await task.value
            #expect(response.body.isReplayable)
            #expect(try await response.body.collect() == body.bytes)
        }
    }

    @Test("A response that comes when another user has logged in is the first caller's alone")
    func switchedUser() async throws {
        let user = Locked("alice")
        let bench = Bench(CoalescingMiddleware(partition: .by { (_: Request) -> String? in user.withLock { $0 } }))
        bench.answer {
            user.withLock { $0 = "bob" }
            return Response(.ok, body: "of bob")
        }
        let tasks = try await bench.start(3)
        bench.gate.reach()
        var shared = 0
        for task in tasks {
            if try await task.value.isCoalesced { shared += 1 }
        }
        #expect(shared == 0 && bench.transport.requestCount == 3)
    }

    @Test(
        "A response that sets cookies is shared by callers whose cookies are kept in the same place, and by no others"
    )
    func cookies() async throws {
        final class Jar: CookieKeeping {
            func keep(_ fields: HTTPFields, sentAs sent: HTTPRequest?, for request: borrowing Request) async {}
            func renew(_ request: inout Request) async {}
        }
        let bench = Bench()
        bench.answer { Response(.ok, headers: [.setCookie: "sid=1"], body: "text") }
        let jars = [Jar(), Jar()]
        func start(_ jar: Jar?) async throws -> [Task<Response, any Error>] {
            var request = Request.get(target)
            request.options[CookieKeeperNote.self] = jar
            return try await bench.start(2, request)
        }
        let tasks = [try await start(jars[0]), try await start(jars[1]), try await start(nil)]
        bench.gate.reach()
        var shared: [Int] = []
        for group in tasks {
            var count = 0
            for task in group {
                if try await task.value.isCoalesced { count += 1 }
            }
            shared.append(count)
        }
        #expect(shared == [1, 0, 0] && bench.transport.requestCount == 5)
    }

    @Test("A call alone gets the response as it is")
    func alone() async throws {
        let bench = Bench()
        let feed = ChunkFeed(length: 4)
        feed.send("text")
        feed.finish()
        let response = try #require(try await bench.responses(1, feed).first)
        #expect(!response.isCoalesced)
        #expect(response.body.length == 4)
        #expect(try await response.body.text() == "text")
    }

    @Test("A stream of events is not shared: each of those who waited for it gets one of its own")
    func eventStream() async throws {
        let bench = Bench()
        bench.answer {
            let feed = ChunkFeed()
            feed.send("data: 1\n\n")
            return Response(.ok, headers: [.contentType: "text/event-stream"], body: feed.body)
        }
        let tasks = try await bench.start(3)
        bench.gate.reach()
        var responses: [Response] = []
        for task in tasks { responses.append(try await task.value) }
        #expect(bench.transport.requestCount == 3)
        #expect(responses.allSatisfy { !$0.isCoalesced })
        for response in responses {
            var reader = try await response.body.makeReader()
            #expect(try await reader.read() == Data("data: 1\n\n".utf8))
        }
        #expect(bench.stage.transfers.count == 0)
    }

    @Test("A call that comes when the head has arrived has a transfer of its own")
    func lateJoiner() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        let first = try await bench.responses(2, feed)
        bench.transport.enqueue(.ok)
        let late = try await bench.send(.get(target))
        #expect(!late.isCoalesced)
        #expect(bench.transport.requestCount == 2)
        withExtendedLifetime(first) {}
    }

    @Test("A call that comes after an unsafe request to the origin joins nothing begun before it")
    func unsafe() async throws {
        let bench = Bench()
        bench.answer { Response(.ok) }
        let before = try await bench.start(1)
        bench.transport.on(.put, "*", reply: .status(.noContent))
        _ = try await bench.send(.put("https://other.example/plants"))
        let joining = try await bench.start(1)
        try await bench.transport.waitForRequests(2)
        _ = try await bench.send(.put(target + "/7"))
        let after = try await bench.start(1)
        bench.gate.reach()
        #expect(try await before[0].value.isCoalesced == false)
        #expect(try await joining[0].value.isCoalesced)
        #expect(try await after[0].value.isCoalesced == false)
        #expect(bench.transport.requestCount == 4)
    }

    @Test("A call may have a transfer of its own")
    func optOut() async throws {
        let bench = Bench()
        bench.answer { Response(.ok) }
        let tasks = try await bench.start(2)
        let own = Task { try await bench.send(.get(target).coalescing(false)) }
        try await bench.transport.waitForRequests(2)
        bench.gate.reach()
        #expect(try await own.value.isCoalesced == false)
        for task in tasks { _ = try await task.value }
        #expect(bench.transport.requestCount == 2)
    }

    @Test("An error goes to all, as it is, and the next call starts anew")
    func failure() async throws {
        let bench = Bench()
        bench.answer { throw TransportError(.connectionLost, sent: .maybe, stage: "test", detail: "provoked") }
        let tasks = try await bench.start(50)
        bench.gate.reach()
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.detail == "provoked")
        }
        bench.transport.enqueue(.ok)
        #expect(try await bench.send(.get(target)).status == .ok)
        #expect(bench.transport.requestCount == 2)
    }

    @Test("A body that breaks, breaks for all, after what had arrived")
    func brokenBody() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        let responses = try await bench.responses(3, feed)
        feed.send("half")
        feed.fail(TransportError(.truncatedBody, sent: .answered, stage: "test"))
        for response in responses {
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("half".utf8))
            let error = await #expect(throws: TransportError.self) { try await iterator.next() }
            #expect(error?.kind == .truncatedBody)
        }
    }

    @Test("Calls of different users are not joined, and those of one user are")
    func partition() async throws {
        let bench = Bench(CoalescingMiddleware(partition: .by { $0.options[Token.self] }))
        bench.answer { Response(.ok) }
        func request(_ user: String) -> Request {
            var request = Request.get(target)
            request.options[Token.self] = user
            return request
        }
        var tasks: [Task<Response, any Error>] = []
        for user in ["a", "b", "a", "c", "b"] { tasks += try await bench.start(1, request(user)) }
        try await bench.transport.waitForRequests(3)
        bench.gate.reach()
        var coalesced = 0
        for task in tasks where try await task.value.isCoalesced { coalesced += 1 }
        #expect(coalesced == 2)
        #expect(bench.transport.requestCount == 3)
    }

    @Test("What the partition throws, the call throws, and nothing is sent")
    func failingPartition() async {
        let bench = Bench(CoalescingMiddleware(partition: .by { _ in throw BodyError(.alreadyRead) }))
        await #expect(throws: BodyError.self) { try await bench.send(.get(target)) }
        #expect(bench.transport.requestCount == 0)
    }

    @Test("A transfer whose stages send the same request sends it separately")
    func reentrance() async throws {
        let stage = CoalescingMiddleware(partition: .shared)
        let count = Locked(0)
        let inner = Next(
            to: ClosureTransport { _ in
                count.withLock { $0 += 1 }
                return Response(.ok, body: "inner")
            }
        )
        let outer = Next(to: ClosureTransport { request in try await stage.intercept(request, next: inner) })
        let response = try await stage.intercept(.get(target), next: outer)
        #expect(try await response.body.text() == "inner")
        #expect(count.withLock { $0 } == 1)
        #expect(stage.transfers.count == 0)
    }
}
