import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache

/// Random requests, responses and times: the rules decide as the reference model does.
///
/// `CACHE_MODEL_STEPS` in the environment sets the number of steps (3,000 by default).
@Suite("The rules against a plain model of RFC 9111", .heavy, .seeded)
struct RandomModelTests {
    private static let steps = ProcessInfo.processInfo.environment["CACHE_MODEL_STEPS"].flatMap { Int($0) } ?? 3000

    @Test("The same decisions, step after step", arguments: [CacheRules.Mode.private, .shared])
    func random(mode: CacheRules.Mode) async throws {
        let seed = UInt64(mode == .private ? 1 : 2)
        var seen: Set<RandomWorld.Turn> = []
        var steps = 0
        for round in 0..<max(1, Self.steps / 2 / 50) {
            var world = RandomWorld(mode: mode, seed: seed &* 1_000_003 &+ UInt64(round))
            // Other tests want their turn.
            await Task.yield()
            for step in 0..<50 {
                let difference = await world.step()
                #expect(difference == nil, "seed \(round), step \(step): \(difference ?? "")")
                if difference != nil { return }
                steps += 1
            }
            seen.formUnion(world.seen)
        }
        Drill.report("cache-steps-\(mode)", steps)
        // Fewer steps than these need not have come by everything.
        if Self.steps >= 3000 { #expect(seen == Set(RandomWorld.Turn.allCases)) }
    }
}

/// One cache and one model that see the same messages.
private struct RandomWorld {
    /// What a random world has to come by, so that something was compared.
    enum Turn: CaseIterable {
        case freshened, forbidden, sentAgain, head, invalidatedByHead, namedByAnswer
    }

    var seen: Set<Turn> = []
    let random: SeededRandom
    let rules: CacheRules
    let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(100)), shards: 1)
    var model: ReferenceModel
    var now = 784_111_777.0
    var bodies = 0

    init(mode: CacheRules.Mode, seed: UInt64) {
        random = Seed.numbers(seed)
        rules = CacheRules(mode: mode)
        model = ReferenceModel(isShared: mode == .shared)
    }

    private func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.next() % UInt64(elements.count))]
    }

    private func chance(_ part: UInt64) -> Bool { random.next() % part == 0 }

    private func seconds() -> String {
        pick(["0", "1", "10", "30", "60", "3600", "x", "-1", "1.5", "99999999999", "\"30\""])
    }

    private func requestMessage() -> ReferenceModel.Message {
        var message = ReferenceModel.Message()
        if chance(2) { message.fields.append(("foo", pick(["1", "2"]))) }
        if chance(3) { message.fields.append(("bar", pick(["1", "2"]))) }
        if chance(8) { message.fields.append(("authorization", "Bearer x")) }
        if chance(3) {
            let directives = [
                "no-cache", "no-store", "only-if-cached", "max-stale", "max-age=\(seconds())",
                "min-fresh=\(pick(["1", "30"]))",
                "max-stale=\(pick(["1", "30"]))", "Max-Age=30", "unknown=1",
            ]
            message.fields.append(("cache-control", pick(directives)))
            if chance(4) { message.fields.append(("cache-control", pick(directives))) }
        }
        if chance(10) { message.fields.append(("pragma", pick(["no-cache", "foo"]))) }
        return message
    }

    private func responseMessage() -> ReferenceModel.Message {
        var message = ReferenceModel.Message(status: pick([200, 200, 200, 200, 404, 302, 500, 599, 410, 304, 201]))
        var directives: [String] = []
        for directive in [
            "max-age=\(seconds())", "s-maxage=\(seconds())", "public", "private", "no-cache", "no-store",
            "must-revalidate", "proxy-revalidate", "must-understand", "immutable", "stale-while-revalidate=30",
            "foo=bar",
            "max-age=5",
        ] where chance(directive.hasPrefix("max-age") ? 3 : 9) {
            directives.append(chance(5) ? directive.uppercased() : directive)
        }
        if !directives.isEmpty {
            if chance(3) {
                for directive in directives { message.fields.append(("cache-control", directive)) }
            } else {
                message.fields.append(("cache-control", directives.joined(separator: pick([",", ", ", " ,  "]))))
            }
        }
        if chance(2) { message.fields.append(("date", date(now + pick([0, -5, -60, 60])))) }
        if chance(4) { message.fields.append(("expires", pick([date(now + 60), date(now - 60), "0", date(now + 5)]))) }
        if chance(3) {
            message.fields.append(("last-modified", pick([date(now - 1000), date(now - 10), "x", date(now + 9)])))
        }
        if chance(3) { message.fields.append(("etag", pick(["\"a\"", "\"b\"", "W/\"c\"", "\"c\""]))) }
        if chance(5) { message.fields.append(("age", pick(["0", "5", "60", "-5", "x"]))) }
        if chance(3) { message.fields.append(("vary", pick(["foo", "Foo, Bar", "bar", "*", ""]))) }
        for name in ["location", "content-location"] where chance(6) {
            let urls = ["https://example.com/b", "/a", "b", "https://other.example/a", "/nothing"]
            message.fields.append((name, pick(urls)))
        }
        return message
    }

    private func date(_ time: Double) -> String {
        HTTPDate(Date(timeIntervalSince1970: time)).description
    }

    private func head(_ message: ReferenceModel.Message) -> HTTPFields {
        fields(message.fields.map { "\($0.name): \($0.value)" })
    }

    /// One exchange; what the two decide differently, if anything.
    mutating func step() async -> String? {
        now += pick([0, 0.25, 1, 5, 20, 61, 300])
        let url = pick(["https://example.com/a", "https://example.com/b"])
        let method = pick(["GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "HEAD", "POST", "OPTIONS"])
        let asked = requestMessage()
        let request = Request(HTTPRequest.Method(method) ?? .get, url, headers: head(asked)).head
        let key = CacheKey(url: url)
        let question = CacheQuestion(
            request,
            key: ["GET", "HEAD"].contains(method) ? key : nil,
            time: Date(timeIntervalSince1970: now)
        )
        let variants = await store.variants(of: key)
        let decision = rules.decide(question, among: variants)
        let verdict = model.verdict(asked, method: method, url: url, at: now)
        let decided = await self.verdict(decision)
        guard decided == verdict else {
            return
                "\(method) \(asked.fields) among \(model.stored.filter { $0.url == url }): \(decided), not \(verdict)"
        }
        switch verdict {
        case .serve, .serveStaleAndValidate, .gatewayTimeout: return nil
        case .validate, .forward: break
        }
        let sent = now
        now += pick([0, 0, 0.5, 2])
        var answer = responseMessage()
        if case .validate = verdict, chance(2) { answer.status = 304 }
        let response = HTTPResponse(status: .init(code: answer.status), headerFields: head(answer))
        let received = Date(timeIntervalSince1970: now)
        bodies += 1
        let body = "\(bodies)"
        if case .validate(let validation) = decision, validation.isConditional, answer.status == 304 {
            let conclusion = rules.conclude(
                validation,
                with: response,
                to: question,
                sentAt: Date(timeIntervalSince1970: sent),
                receivedAt: received
            )
            let expected = model.freshen(answer, to: asked, url: url, sentAt: sent, receivedAt: now)
            switch conclusion {
            case .freshened(let updates, let stored):
                let served = await self.body(stored)
                guard served == expected else {
                    return "304 \(answer) to \(asked): \(served), not \(expected ?? "nothing")"
                }
                seen.insert(updates.contains { $0.metadata == nil } ? .forbidden : .freshened)
                await apply(updates)
            case .sendUnconditionally:
                seen.insert(.sentAgain)
                guard expected == nil else { return "304 \(answer) to \(asked) is sent again" }
            case .passOn, .serveStored: return "304 \(answer) to \(asked) passed"
            }
            return await difference(key)
        }
        if method == "HEAD" {
            let updates = rules.updates(
                byHead: response,
                to: question,
                among: variants,
                sentAt: Date(timeIntervalSince1970: sent),
                receivedAt: received
            )
            for (_, metadata) in updates {
                seen.insert(metadata?.isInvalidated ?? false ? .invalidatedByHead : .head)
            }
            await apply(updates)
            model.head(answer, to: asked, url: url, sentAt: sent, receivedAt: now)
            return await difference(key)
        }
        for (index, selection) in rules.invalidations(by: question, answering: response).enumerated() {
            if await store.remove(selection) > 0, index > 0 { seen.insert(.namedByAnswer) }
        }
        model.invalidate(url, method: method, answer: answer)
        let storage = rules.storage(
            of: response,
            answering: question,
            sentAt: Date(timeIntervalSince1970: sent),
            receivedAt: received
        )
        let isStorable = model.isStorable(answer, to: asked, method: method, receivedAt: now)
        switch storage {
        case .store(let metadata):
            guard isStorable else { return "stored \(answer) to \(asked)" }
            model.store(answer, to: asked, url: url, sentAt: sent, receivedAt: now, body: body)
            guard let writer = await store.makeWriter(for: key, metadata, expecting: nil),
                let wrote = try? await writer.write(Data(body.utf8)), wrote, (try? await writer.commit())?.entry != nil
            else { return "the store refused" }
        case .skip(let reason):
            if isStorable { return "not stored (\(reason)): \(answer) to \(asked)" }
        }
        for key in [key, CacheKey(url: "https://example.com/a"), CacheKey(url: "https://example.com/b")] {
            if let difference = await difference(key) { return difference }
        }
        return nil
    }

    private func apply(_ updates: [(entry: CacheEntry, metadata: CacheMetadata?)]) async {
        for (entry, metadata) in updates {
            if let metadata {
                _ = await store.update(entry, to: metadata)
            } else {
                await store.remove(.entry(entry.id))
            }
        }
    }

    /// The bodies that are stored for a key, where the two differ.
    private func difference(_ key: CacheKey) async -> String? {
        var bodies: [String] = []
        for entry in await store.variants(of: key) {
            let bytes = await store.body(of: entry, range: nil)?.bytes ?? Data("gone".utf8)
            bodies.append(String(decoding: bytes, as: UTF8.self))
        }
        let expected = model.stored.filter { $0.url == key.url }.map(\.body)
        return bodies.sorted() == expected.sorted() ? nil : "\(bodies) are stored, not \(expected)"
    }

    private func body(_ answer: CacheAnswer) async -> String {
        let bytes = await store.body(of: answer.entry, range: nil)?.bytes ?? Data("gone".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func verdict(_ decision: CacheDecision) async -> ReferenceModel.Verdict {
        switch decision {
        case .serve(let answer): return .serve(await body(answer))
        case .serveAndRevalidate(let answer, _): return .serveStaleAndValidate(await body(answer))
        case .forward, .complete: return .forward
        case .unavailable: return .gatewayTimeout
        case .validate(let validation):
            guard validation.isConditional else { return .forward }
            let tags = EntityTag.list(validation.fields[.ifNoneMatch] ?? "").map(\.description)
            return .validate(tags: tags.sorted(), since: validation.fields[.ifModifiedSince])
        }
    }
}
