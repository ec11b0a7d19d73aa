import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

private protocol UserCall: Sendable {}
private struct GetUser: UserCall { var id: Int }
private struct DeleteUser: UserCall { var id: Int }
private struct GetOrder: Sendable { var id: Int }

private actor UserTable {
    var names = [1: "Ada"]
    func name(_ id: Int) -> String? { names[id] }
    func remove(_ id: Int) { names[id] = nil }
}

@Suite("Mocks beside a transport", .timeLimit(.minutes(10)))
struct MockTransportTests {
    let live = InMemoryTransport(capabilities: [.followsRedirects]) { _ in Response(.ok, body: "live") }

    @Test("A request carries the value it was made from")
    func requestValue() throws {
        var request = Request.get(base).made(from: GetUser(id: 4))
        let value = try #require(request.value)
        #expect((value as? GetUser)?.id == 4)
        #expect(type(of: value) == GetUser.self)
        #expect(request.options.contains(RequestValueNote.self))
        request.value = nil
        #expect(request.value == nil)
        #expect(Request.get(base).value == nil)
    }

    @Test("A request made from a mocked type is answered by its mock, all others by the live transport")
    func beside() async throws {
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self) { user, request in
                Response(.created, body: HTTPBody("user \(user.id) at \(request.url)"))
            }
        }
        let mocked = try await transport.send(Request.get("not/there/yet").made(from: GetUser(id: 4)))
        #expect(mocked.status == .created)
        #expect(try await mocked.body.text() == "user 4 at not/there/yet")
        #expect(live.requests.isEmpty)
        let typed = try await transport.send(Request.get(base).made(from: GetOrder(id: 1)))
        #expect(try await typed.body.text() == "live")
        #expect(try await transport.send(.get(base)).body.text() == "live")
        #expect(live.requests.count == 2)
        #expect(live.requests.first?.options[RequestValueNote.self] is GetOrder)
    }

    @Test("The capabilities are those of the live transport, and the name tells of the mocks")
    func capabilities() throws {
        let transport = MockTransport(beside: live) {}
        #expect(transport.capabilities == [.followsRedirects])
        #expect(transport.name == "InMemoryTransport with mocks")
        #expect(try Chain(transport: transport).explain().contains("InMemoryTransport with mocks"))
    }

    @Test("The first mock that fits answers; a protocol fits what conforms to it")
    func order() async throws {
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, reply: .text("user"))
            Mock((any UserCall).self, reply: .text("any"))
            Mock(DeleteUser.self, reply: .text("never"))
        }
        #expect(try await transport.send(Request.get(base).made(from: GetUser(id: 1))).body.text() == "user")
        #expect(try await transport.send(Request.get(base).made(from: DeleteUser(id: 1))).body.text() == "any")
    }

    @Test("Mocks may be chosen by conditions and in loops", arguments: [true, false])
    func builder(flag: Bool) async throws {
        let transport = MockTransport(beside: live) {
            if flag { Mock(GetUser.self, reply: .text("if")) }
            if flag { Mock(DeleteUser.self, reply: .text("a")) } else { Mock(DeleteUser.self, reply: .text("b")) }
            for text in ["first", "second"] { Mock(GetOrder.self, reply: .text(text)) }
            [Mock(Int.self, reply: .text("int"))]
        }
        func text(_ value: some Sendable) async throws -> String {
            try await transport.send(Request.get(base).made(from: value)).body.text()
        }
        #expect(try await text(GetUser(id: 1)) == (flag ? "if" : "live"))
        #expect(try await text(DeleteUser(id: 1)) == (flag ? "a" : "b"))
        #expect(try await text(GetOrder(id: 1)) == "first")
        #expect(try await text(5) == "int")
    }

    @Test("A mock answers after its delay, on the clock of the request")
    func delay() async throws {
        let time = ManualTime()
        let wasAsked = Locked(false)
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, delay: .seconds(1)) { _, _ in
                wasAsked.withLock { $0 = true }
                return Response(.ok)
            }
        }
        async let response = transport.send(Request.get(base).made(from: GetUser(id: 1)).on(time))
        try await time.waitForSleepers(1)
        #expect(wasAsked.withLock { $0 } == false)
        try await time.advanceSleeper(by: .seconds(1))
        #expect(try await response.status == .ok)
    }

    @Test("A delay ends at once when the task is cancelled")
    func cancellation() async throws {
        let time = ManualTime()
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, delay: .seconds(3600)) { _, _ in Response(.ok) }
        }
        let task = Task { try await transport.send(Request.get(base).made(from: GetUser(id: 1)).on(time)) }
        try await time.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Errors are injected by the closure, as a mock that fails, or with a fault")
    func errors() async throws {
        let time = ManualTime()
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self) { user, _ in throw TestError(text: "\(user.id)") }
            Mock(DeleteUser.self, reply: .failure(TestError(text: "failing")).delayed(by: .seconds(2)))
            Mock(GetOrder.self, reply: .text("abc").failing(.atByte(1)))
        }
        await #expect(throws: TestError(text: "4")) {
            try await transport.send(Request.get(base).made(from: GetUser(id: 4)))
        }
        async let failing = failure {
            _ = try await transport.send(Request.get(base).made(from: DeleteUser(id: 1)).on(time))
        }
        try await time.advanceSleeper(by: .seconds(2))
        #expect(try await failing as? TestError == TestError(text: "failing"))
        let response = try await transport.send(Request.get(base).made(from: GetOrder(id: 1)))
        let (chunks, error) = await response.body.chunks()
        #expect(chunks == ["a"])
        #expect((error as? TransportError)?.stage == "InMemoryTransport with mocks")
    }

    @Test("A mock's response is framed like one from a network")
    func framing() async throws {
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self) { _, _ in Response(.ok, body: "abc") }
        }
        let response = try await transport.send(Request.get(base).made(from: GetUser(id: 4)))
        #expect(response.headers[.contentLength] == "3")
        #expect(!response.body.isReplayable)
        let head = try await transport.send(Request.head(base).made(from: GetUser(id: 4)))
        #expect(head.body.isEmpty)
    }

    @Test("Mocks work inside a chain")
    func inChain() async throws {
        let transport = try MockTransport(beside: live) { Mock(GetUser.self, reply: try .json(User(name: "Ada"))) }
        let chain = try Chain(transport: transport) {
            ClosureMiddleware("Accept") { request, next in
                request.head.headerFields[.accept] = "application/json"
                return try await next(request)
            }
        }
        let user = try await chain.send(Request.get(base).made(from: GetUser(id: 1)), as: User.self)
        #expect(user == User(name: "Ada"))
    }
}

@Suite("Helpers of mocks", .timeLimit(.minutes(10)))
struct HelperTests {
    let live = InMemoryTransport()

    @Test("Mocks that name the same identifier share one helper")
    func shared() async throws {
        let made = Locked(0)
        func users() -> HelperKey<UserTable> {
            HelperKey("users") {
                made.withLock { $0 += 1 }
                return UserTable()
            }
        }
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, helper: users()) { get, _, users in
                await users.name(get.id).map { Response(.ok, body: HTTPBody($0)) } ?? Response(.notFound)
            }
            Mock(DeleteUser.self, helper: users()) { delete, _, users in
                await users.remove(delete.id)
                return Response(.noContent)
            }
        }
        #expect(made.withLock { $0 } == 0)
        #expect(try await transport.send(Request.get(base).made(from: GetUser(id: 1))).body.text() == "Ada")
        #expect(try await transport.send(Request.delete(base).made(from: DeleteUser(id: 1))).status == .noContent)
        #expect(try await transport.send(Request.get(base).made(from: GetUser(id: 1))).status == .notFound)
        #expect(made.withLock { $0 } == 1)
    }

    @Test("Other identifiers and other transports have helpers of their own")
    func apart() async throws {
        func transport() -> MockTransport {
            MockTransport(beside: live) {
                Mock(GetUser.self, helper: HelperKey("a") { UserTable() }) { _, _, users in
                    await users.remove(1)
                    return Response(.ok)
                }
                Mock(DeleteUser.self, helper: HelperKey("b") { UserTable() }) { _, _, users in
                    Response(await users.name(1) == nil ? .notFound : .ok)
                }
                Mock(GetOrder.self, helper: HelperKey("a") { UserTable() }) { _, _, users in
                    Response(await users.name(1) == nil ? .notFound : .ok)
                }
            }
        }
        let first = transport()
        _ = try await first.send(Request.get(base).made(from: GetUser(id: 1)))
        #expect(try await first.send(Request.get(base).made(from: DeleteUser(id: 1))).status == .ok)
        #expect(try await first.send(Request.get(base).made(from: GetOrder(id: 1))).status == .notFound)
        #expect(try await transport().send(Request.get(base).made(from: GetOrder(id: 1))).status == .ok)
    }

    /// The key of a helper that takes a second to make, and counts how often it is made.
    private static func slowKey(_ made: Locked<Int>, _ time: ManualTime) -> HelperKey<UserTable> {
        HelperKey("slow") {
            made.withLock { $0 += 1 }
            try await time.sleep(for: .seconds(1))
            return UserTable()
        }
    }

    @Test("A helper is made exactly once when many calls need it at the same time")
    func onceUnderConcurrency() async throws {
        let made = Locked(0)
        let time = ManualTime()
        let key = Self.slowKey(made, time)
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, helper: key) { get, _, users in
                Response(.ok, body: HTTPBody(await users.name(get.id) ?? ""))
            }
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await transport.send(Request.get(base).made(from: GetUser(id: 1))).body.text()
                }
            }
            try await time.advanceSleeper(by: .seconds(1))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "Ada", count: 200))
        #expect(made.withLock { $0 } == 1)
    }

    @Test("When making a helper fails, the call fails and the next one tries again")
    func failingOnce() async throws {
        let attempts = Locked(0)
        let key = HelperKey("flaky") {
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 { throw TestError(text: "first") }
            return UserTable()
        }
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, helper: key) { _, _, _ in Response(.ok) }
        }
        await #expect(throws: TestError(text: "first")) {
            try await transport.send(Request.get(base).made(from: GetUser(id: 1)))
        }
        for _ in 0..<2 { _ = try await transport.send(Request.get(base).made(from: GetUser(id: 1))) }
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test("When the call that makes a helper is cancelled, one that waits for it makes it")
    func cancelledMaker() async throws {
        let made = Locked(0)
        let time = ManualTime()
        let key = Self.slowKey(made, time)
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, helper: key) { _, _, _ in Response(.ok) }
        }
        let maker = Task { try await transport.send(Request.get(base).made(from: GetUser(id: 1))) }
        try await time.waitForSleepers(1)
        async let second = transport.send(Request.get(base).made(from: GetUser(id: 1)))
        maker.cancel()
        await #expect(throws: CancellationError.self) { try await maker.value }
        try await time.advanceSleeper(by: .seconds(1))
        #expect(try await second.status == .ok)
        #expect(made.withLock { $0 } == 2)
    }

    @Test("One identifier for helpers of two types is an error that says so")
    func types() async throws {
        let transport = MockTransport(beside: live) {
            Mock(GetUser.self, helper: HelperKey("x") { UserTable() }) { _, _, _ in Response(.ok) }
            Mock(GetOrder.self, helper: HelperKey("x") { 5 }) { _, _, _ in Response(.ok) }
        }
        _ = try await transport.send(Request.get(base).made(from: GetUser(id: 1)))
        let error = try await failure { _ = try await transport.send(Request.get(base).made(from: GetOrder(id: 1))) }
        #expect(error as? HelperTypeError != nil)
        #expect("\(error)".contains("the helper \"x\" is of type UserTable, but a mock expects type Int"))
    }
}
