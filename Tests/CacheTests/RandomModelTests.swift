#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// Random requests, responses and times: the rules decide as the reference model does.
///
/// `CACHE_MODEL_STEPS` in the environment sets the number of steps (3,000 by default): 100,000 in CI, a million by hand.
@Suite("The rules against a plain model of RFC 9111", .heavy, .seeded)
struct RandomModelTests {
    private static let steps = ProcessInfo.processInfo.environment["CACHE_MODEL_STEPS"].flatMap { Int($0) } ?? 3000

    @Test(
        "The rules make the same decisions as the model, step after step",
        arguments: [CacheRules.Mode.private, .shared]
    )
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
        if Self.steps >= 20_000 { #expect(seen == Set(RandomWorld.Turn.allCases)) }
        if Self.steps >= 3000 { #expect(seen.isSuperset(of: RandomWorld.frequent)) }
    }
}

/// One cache and one model that see the same messages.
private struct RandomWorld {
    /// What a random world has to come by, so that something was compared.
    enum Turn: CaseIterable {
        case freshened, forbidden, sentAgain, head, invalidatedByHead, namedByAnswer
        case notModified, part, unsatisfiable, combined, completed, keptWhole, continued, passedOn, emergency
        case storedFirst, onlyStored, refreshed, off, ignoredQuery, namedByCall
    }

    /// What not even a few steps miss.
    static let frequent: Set<Turn> = [
        .freshened, .sentAgain, .head, .invalidatedByHead, .notModified, .part, .storedFirst, .onlyStored, .refreshed,
        .off, .ignoredQuery,
    ]

    /// How long each representation is.
    private static let length = 10

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
        if chance(20) { message.fields.append(("cache-control", "stale-if-error=\(pick(["10", "600", "x"]))")) }
        if chance(6) {
            let tags = ["\"a\"", "\"b\"", "W/\"c\"", "\"a\", \"c\"", "*", "\"z\"", "\"b\",W/\"a\""]
            message.fields.append(("if-none-match", pick(tags)))
        }
        if chance(8) {
            message.fields.append(
                ("if-modified-since", pick([date(now - 1000), date(now - 10), date(now + 5), "x"]))
            )
        }
        if chance(40) { message.fields.append(("if-match", "\"a\"")) }
        if chance(4) {
            let ranges = [
                "bytes=0-3", "bytes=0-5", "bytes=4-", "bytes=2-5", "bytes=6-9", "bytes=-4", "bytes=5-100", "bytes=10-",
                "bytes=0-1,4-5", "bytes=-0", "lines=1-2", "bytes=3-1", "bytes=0-0", "bytes=-50",
            ]
            message.fields.append(("range", pick(ranges)))
            if chance(4) {
                message.fields.append(("if-range", pick(["\"a\"", "\"b\"", "W/\"c\"", date(now - 1000)])))
            }
        }
        return message
    }

    /// What the call wants, for the rules and for the model.
    private func settings() -> (CacheSettings, ReferenceModel.Wish) {
        var settings = CacheSettings()
        var wish = ReferenceModel.Wish()
        if chance(4) {
            let uses: [(CacheSettings.Use, String)] = [
                (.off, "off"), (.refresh, "refresh"), (.onlyStored, "onlyStored"),
                (.storedOnFailure, "storedOnFailure"), (.storedFirst, "storedFirst"), (.standard, "standard"),
            ]
            let use = pick(uses)
            settings.use = use.0
            wish.use = use.1
        }
        if chance(3) {
            settings.ignoredQuery = pick([.named(["x"]), .all])
            wish.ignoresQuery = true
        }
        if chance(4) {
            settings.classification = "c"
            wish.classification = "c"
        }
        if chance(25) {
            settings.invalidates = [
                pick([
                    .url("https://example.com/b"), .classification("c"), .classification(nil),
                    .key(CacheKey(url: "https://example.com/a")),
                ])
            ]
        }
        return (settings, wish)
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
        if chance(6) {
            let fields = [
                "max-age=30", "no-store", "no-cache", "private", "max-age=60, must-revalidate",
                "s-maxage=10, max-age=60", "", "&bad", "stale-while-revalidate=30", "public", "stale-if-error=60",
            ]
            message.fields.append(("cdn-cache-control", pick(fields)))
        }
        if chance(12) { message.fields.append(("cache-control", "stale-if-error=\(pick(["30", "x"]))")) }
        if chance(2) { message.fields.append(("date", date(now + pick([0, -5, -60, 60])))) }
        if chance(4) { message.fields.append(("expires", pick([date(now + 60), date(now - 60), "0", date(now + 5)]))) }
        if chance(3) {
            message.fields.append(("last-modified", pick([date(now - 1000), date(now - 10), "x", date(now + 9)])))
        }
        if chance(2) { message.fields.append(("etag", pick(["\"a\"", "\"a\"", "\"b\"", "W/\"c\"", "\"c\""]))) }
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
        let url = pick(
            ["a", "a", "a", "b", "b", "a?x=1", "a?x=2"].map { "https://example.com/\($0)" }
        )
        let method = pick(["GET", "GET", "GET", "GET", "GET", "GET", "GET", "HEAD", "HEAD", "POST", "OPTIONS"])
        let asked = requestMessage()
        let (settings, wish) = settings()
        let request = Request(HTTPRequest.Method(method) ?? .get, url, headers: head(asked)).head
        let keyURL = ReferenceModel.key(url, wish)
        guard CacheKey.url(of: request, ignoring: settings.ignoredQuery ?? .none) == keyURL else {
            return "\(url) has another key than \(keyURL)"
        }
        if keyURL != url { seen.insert(.ignoredQuery) }
        let key = CacheKey(url: keyURL)
        let question = CacheQuestion(
            request,
            key: ["GET", "HEAD"].contains(method) ? key : nil,
            settings: settings,
            time: Date(timeIntervalSince1970: now)
        )
        let variants = await store.variants(of: key)
        let decision = rules.decide(question, among: variants)
        let verdict = model.verdict(asked, method: method, url: keyURL, wish, at: now)
        let decided = await self.verdict(decision)
        guard decided == verdict else {
            let stored = model.stored.filter { $0.url == keyURL }
            return "\(method) \(asked.fields) \(wish) among \(stored): \(decided), not \(verdict)"
        }
        note(verdict, wish)
        switch verdict {
        case .serve, .serveStaleAndValidate, .gatewayTimeout: return nil
        case .validate, .complete, .forward: break
        }
        let sent = now
        now += pick([0, 0, 0.5, 2])
        var answer = responseMessage()
        if case .validate = verdict, chance(2) { answer.status = 304 }
        bodies += 1
        let whole = "\(1_000_000_000 + bodies)"
        let part = partOfAnswer(&answer, asked, method, verdict)
        let response = HTTPResponse(status: .init(code: answer.status), headerFields: head(answer))
        let received = Date(timeIntervalSince1970: now)
        if case .validate(let validation) = decision, [304, 500].contains(answer.status),
            answer.status != 304 || validation.isConditional
        {
            let conclusion = rules.conclude(
                validation,
                with: ReceivedResponse(response, sentAt: Date(timeIntervalSince1970: sent), receivedAt: received),
                to: question
            )
            if answer.status == 304 {
                let expected = model.freshen(answer, to: asked, url: keyURL, sentAt: sent, receivedAt: now)
                let concluded = await self.freshened(conclusion)
                guard concluded == expected else {
                    return "304 \(answer) to \(asked): \(concluded.map { "\($0)" } ?? "?"), not \(expected)"
                }
                return await difference(key)
            }
            let expected = model.emergency(asked, method: method, url: keyURL, wish, at: sent)
            if case .serveStored(let stored) = conclusion {
                let served = await text(stored)
                guard served == expected else { return "\(served) in an emergency, not \(expected ?? "nothing")" }
                seen.insert(.emergency)
                return await difference(key)
            }
            if let expected { return "nothing in an emergency, not \(expected)" }
        }
        if method == "HEAD" {
            guard wish.use != "off" else { return nil }
            let updates = rules.updates(
                byHead: ReceivedResponse(response, sentAt: Date(timeIntervalSince1970: sent), receivedAt: received),
                to: question,
                among: variants
            )
            for (_, metadata) in updates {
                seen.insert(metadata?.isInvalidated ?? false ? .invalidatedByHead : .head)
            }
            await apply(updates)
            model.head(answer, to: asked, url: keyURL, sentAt: sent, receivedAt: now)
            return await difference(key)
        }
        for selection in rules.invalidations(by: question, answering: response) {
            let isOfCall = settings.invalidates.contains(selection)
            let isTarget = selection == .url(url) || selection == .url(keyURL)
            if await store.remove(selection) > 0, isOfCall || !isTarget {
                seen.insert(isOfCall ? .namedByCall : .namedByAnswer)
            }
        }
        model.invalidate(url, method: method, wish, answer: answer)
        if (200..<400).contains(answer.status) {
            for selection in settings.invalidates { removeFromModel(selection) }
        }
        var asking = question
        if case .complete(let completion) = decision {
            guard answer.status != 206 || model.isContinued(keyURL, asked, by: answer, receivedAt: now) else {
                return await difference(key)
            }
            if answer.status == 206 { seen.insert(.continued) }
            asking.request.headerFields = completion.fields
        }
        let storage = rules.storage(
            of: ReceivedResponse(response, sentAt: Date(timeIntervalSince1970: sent), receivedAt: received),
            answering: asking
        )
        let isStorable =
            wish.use != "off" && model.isStorable(answer, to: asked, method: method, receivedAt: now)
        switch storage {
        case .store(let metadata):
            guard isStorable else { return "stored \(answer) to \(asked)" }
            let body = part.map { ReferenceModel.slice(whole, $0.range) } ?? whole
            model.store(answer, to: asked, url: keyURL, wish, sentAt: sent, receivedAt: now, body: body, part: part)
            if let failure = await put(metadata, body, at: key) { return failure }
        case .skip(let reason):
            if isStorable { return "not stored (\(reason)): \(answer) to \(asked)" }
        }
        for url in Set(model.stored.map(\.url)).union([keyURL, "https://example.com/a", "https://example.com/b"]) {
            if let difference = await difference(CacheKey(url: url)) { return difference }
        }
        return nil
    }

    private mutating func note(_ verdict: ReferenceModel.Verdict, _ wish: ReferenceModel.Wish) {
        switch verdict {
        case .serve(let text), .serveStaleAndValidate(let text):
            if text.hasPrefix("304") { seen.insert(.notModified) }
            if text.hasPrefix("206") { seen.insert(.part) }
            if text.hasPrefix("416") { seen.insert(.unsatisfiable) }
            if wish.use == "storedFirst" { seen.insert(.storedFirst) }
            if wish.use == "onlyStored" { seen.insert(.onlyStored) }
        case .complete: seen.insert(.completed)
        case .validate: if wish.use == "refresh" { seen.insert(.refreshed) }
        case .forward: if wish.use == "off" { seen.insert(.off) }
        case .gatewayTimeout: break
        }
    }

    /// Makes an answer a partial one, where the server may have sent that.
    private func partOfAnswer(
        _ answer: inout ReferenceModel.Message,
        _ asked: ReferenceModel.Message,
        _ method: String,
        _ verdict: ReferenceModel.Verdict
    ) -> (range: Range<Int>, total: Int?)? {
        guard method == "GET", answer.status == 200, !chance(4) else { return nil }
        var range: Range<Int>?
        if case .complete(let offset) = verdict {
            range = offset..<Self.length
        } else if let ends = ReferenceModel.range(asked), !ends.isEmpty {
            range = ReferenceModel.bytes(ends, of: Self.length)
        }
        guard let range else { return nil }
        var isKnown = true
        if case .complete = verdict {} else { isKnown = !chance(6) }
        let total = isKnown ? "\(Self.length)" : "*"
        answer.status = 206
        // Otherwise two parts are seldom of the same.
        if !chance(3) {
            answer.fields.removeAll { ["etag", "vary"].contains($0.name) }
            answer.fields.append(("etag", "\"a\""))
        }
        answer.fields.append(("content-range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"))
        return (range, isKnown ? Self.length : nil)
    }

    private mutating func removeFromModel(_ selection: CacheSelection) {
        model.stored.removeAll { entry in
            switch selection {
            case .url(let url): entry.url == url
            case .key(let key): entry.url == key.url
            case .classification(let name): entry.classification == name
            default: false
            }
        }
    }

    /// Stores a response, together with what is stored of the same (§3.4).
    private mutating func put(_ metadata: CacheMetadata, _ body: String, at key: CacheKey) async -> String? {
        var bytes = Data(body.utf8)
        var metadata = metadata
        switch CombinationPlan.make(of: metadata, with: await store.variants(of: key), requestedIf: nil, rules) {
        case .keep: return nil
        case .freshen(let entry, let updated):
            seen.insert(.keptWhole)
            return await store.update(entry, to: updated) == nil ? "the store refused" : nil
        case .store(let plan):
            if let other = plan.other {
                let held = await store.body(of: other, range: nil)?.bytes ?? Data()
                func piece(_ range: Range<Int64>?) -> Data {
                    range.map { Data(held[Int($0.lowerBound)..<Int($0.upperBound)]) } ?? Data()
                }
                bytes = piece(plan.before) + bytes + piece(plan.after)
                seen.insert(.combined)
            }
            metadata = plan.metadata
        }
        guard let writer = await store.makeWriter(for: key, metadata, expecting: nil),
            let wrote = try? await writer.write(bytes), wrote, (try? await writer.commit())?.entry != nil
        else { return "the store refused" }
        return nil
    }

    /// Does what a 304 means.
    private mutating func freshened(_ conclusion: CacheConclusion) async -> ReferenceModel.Freshened? {
        switch conclusion {
        case .freshened(let updates, let answer):
            let served = await text(answer)
            seen.insert(updates.contains { $0.metadata == nil } ? .forbidden : .freshened)
            await apply(updates)
            return .served(served)
        case .sendUnconditionally:
            seen.insert(.sentAgain)
            return .sentAgain
        case .passOn:
            seen.insert(.passedOn)
            return .passedOn
        case .serveStored: return nil
        }
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
            let bytes = await body(entry)
            switch entry.response.metadata.content {
            case .complete: bodies.append(bytes)
            case .part(let range, let total):
                bodies.append("\(range.lowerBound)..<\(range.upperBound)/\(total.map { "\($0)" } ?? "*"): \(bytes)")
            }
        }
        let expected = model.stored.filter { $0.url == key.url }.map { entry in
            entry.part.map { "\($0.range)/\($0.total.map { "\($0)" } ?? "*"): \(entry.body)" } ?? entry.body
        }
        return bodies.sorted() == expected.sorted() ? nil : "\(bodies) are stored, not \(expected)"
    }

    private func body(_ entry: CacheEntry) async -> String {
        let bytes = await store.body(of: entry, range: nil)?.bytes ?? Data("gone".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The answer as the model says it.
    private func text(_ answer: CacheAnswer) async -> String {
        let bytes = await body(answer.entry)
        switch answer.form {
        case .whole: return bytes
        case .notModified: return "304 of \(bytes)"
        case .unsatisfiable(let length): return "416 \(length)"
        case .part(let range, let total):
            var start: Int64 = 0
            if case .part(let held, _) = answer.entry.response.metadata.content { start = held.lowerBound }
            let piece = ReferenceModel.slice(bytes, Int(range.lowerBound - start)..<Int(range.upperBound - start))
            return "206 \(range) of \(total.map { "\($0)" } ?? "*"): \(piece)"
        }
    }

    private func verdict(_ decision: CacheDecision) async -> ReferenceModel.Verdict {
        switch decision {
        case .serve(let answer): return .serve(await text(answer))
        case .serveAndRevalidate(let answer, _): return .serveStaleAndValidate(await text(answer))
        case .complete(let completion): return .complete(Int(completion.offset))
        case .forward: return .forward
        case .unavailable: return .gatewayTimeout
        case .validate(let validation):
            guard validation.isConditional else { return .forward }
            let tags = EntityTag.list(validation.fields[.ifNoneMatch] ?? "").map(\.description)
            return .validate(tags: tags.sorted(), since: validation.fields[.ifModifiedSince])
        }
    }
}
#endif
