import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Idempotency-Key", .seeded, .timeLimit(.minutes(10)))
struct IdempotencyKeyTests {
    private func keys(
        _ request: Request,
        _ stage: RetryMiddleware = RetryMiddleware(plainPolicy(), addingIdempotencyKeyTo: [.post, .patch])
    ) async -> [String?] {
        let outcome = await StageHarness(stage).send(
            request,
            answering: .status(.badGateway),
            .status(.badGateway),
            .ok
        )
        return outcome.requests.map { $0.head.headerFields[.idempotencyKey] }
    }

    @Test("A key is a UUID of version 4 in quotes")
    func form() {
        let random = Seed.numbers(3)
        for _ in 0..<100 {
            let key = IdempotencyKey.make(random)
            #expect(key.wholeMatch(of: /"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/) != nil)
        }
        #expect(IdempotencyKey.make(random) != IdempotencyKey.make(random))
    }

    @Test("The field is called Idempotency-Key")
    func fieldName() {
        #expect(HTTPField.Name.idempotencyKey.rawName == "Idempotency-Key")
    }

    @Test("All bits of a key but those of version and variant are random")
    func randomBits() {
        for seed in UInt64(1)...20 {
            var bytes = SeededRandom(seed: seed).bytes(16)
            bytes[6] = bytes[6] % 16 + 64
            bytes[8] = bytes[8] % 64 + 128
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(IdempotencyKey.make(SeededRandom(seed: seed)).filter { $0 != "-" && $0 != "\"" } == digits)
        }
    }

    @Test("All attempts of a call carry the same key, and are made")
    func oneKey() async {
        let keys = await keys(.post(url, body: "x"))
        #expect(keys.count == 3)
        #expect(keys[0] != nil)
        #expect(Set(keys).count == 1)
    }

    @Test("Two calls carry two keys")
    func twoCalls() async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain(transport: transport, environment: .virtual()) {
            RetryMiddleware(addingIdempotencyKeyTo: [.post])
        }
        _ = try await chain.send(.post(url))
        _ = try await chain.send(.post(url))
        #expect(Set(transport.requests.map { $0.headers[.idempotencyKey] }).count == 2)
    }

    @Test("A key that the request has stays, in whatever form")
    func ownKey() async {
        #expect(await keys(.post(url, headers: [.idempotencyKey: "mine"])) == ["mine", "mine", "mine"])
    }

    @Test("Other methods get no key", arguments: [HTTPRequest.Method.get, .put, .delete])
    func otherMethods(method: HTTPRequest.Method) async {
        let stage = RetryMiddleware(plainPolicy(), addingIdempotencyKeyTo: [.post, .get, .put, .delete])
        #expect(await keys(Request(method, url), stage) == [nil, nil, nil])
    }

    @Test("No request gets a key unless the stage is set so")
    func off() async {
        #expect(await keys(.post(url), RetryMiddleware(plainPolicy())) == [nil])
    }

    @Test("One call asks for a key")
    func perCall() async {
        let keys = await keys(.post(url).retry(idempotencyKey: true), RetryMiddleware(plainPolicy()))
        #expect(keys.count == 3)
        #expect(keys.allSatisfy { $0 != nil })
    }

    @Test("One call asks for no key")
    func perCallOff() async {
        #expect(await keys(.post(url).retry(idempotencyKey: false)) == [nil])
    }

    @Test("A call that is never retried gets its key, too, whether the call or the stage asks for it")
    func never() async {
        let single = RetryMiddleware(plainPolicy(maximumAttempts: 1), addingIdempotencyKeyTo: [.post])
        for keys in [
            await keys(.post(url).retry(idempotencyKey: true).retry(.never), RetryMiddleware(plainPolicy())),
            await keys(.post(url).retry(.never)), await keys(.post(url), single),
        ] {
            #expect(keys.count == 1 && keys.allSatisfy { $0 != nil })
        }
        #expect(await keys(.post(url).retry(idempotencyKey: false), single) == [nil])
    }
}
