#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@Suite("The settings of the rules")
struct RuleSettingsTests {
    private func outcome(_ rules: CacheRules, after seconds: Double, _ lines: [String]) -> String {
        var situation = Situation()
        situation.base = rules
        situation.mode = rules.mode
        situation.response = lines
        situation.after = seconds
        return situation.outcome
    }

    @Test("A response without a lifetime is fresh for a part of its age, §4.2.2")
    func heuristicFraction() {
        let modified = ["Last-Modified: \(date(-1000))"]
        #expect(outcome(CacheRules(), after: 99, modified) == "serve")
        #expect(outcome(CacheRules(), after: 101, modified) == "validate")
        #expect(outcome(CacheRules(heuristicFraction: 0.5), after: 499, modified) == "serve")
        #expect(outcome(CacheRules(heuristicFraction: 0.5), after: 501, modified) == "validate")
        #expect(outcome(CacheRules(heuristicFraction: 0), after: 1, modified) == "validate")
    }

    @Test("A response without a lifetime is fresh for no longer than the limit")
    func heuristicLimit() {
        let modified = ["Last-Modified: \(date(-100_000_000))"]
        #expect(outcome(CacheRules(), after: 86_399, modified) == "serve")
        #expect(outcome(CacheRules(), after: 86_401, modified) == "validate")
        #expect(outcome(CacheRules(heuristicLimit: .seconds(60)), after: 59, modified) == "serve")
        #expect(outcome(CacheRules(heuristicLimit: .seconds(60)), after: 61, modified) == "validate")
    }

    @Test(
        "A shared cache obeys its first targeted field that is present, and a private cache obeys none, RFC 9213 §2.2"
    )
    func targetedFields() throws {
        let own = try #require(HTTPField.Name("X-Edge-Cache-Control"))
        let lines = [
            "Cache-Control: max-age=10", "CDN-Cache-Control: max-age=50", "X-Edge-Cache-Control: max-age=100",
            "ETag: \"a\"",
        ]
        let table: [(CacheRules, Double)] = [
            (CacheRules(mode: .private), 10), (CacheRules(mode: .shared), 50),
            (CacheRules(mode: .shared, targetedFields: [own, .cdnCacheControl]), 100),
            (CacheRules(mode: .shared, targetedFields: [.cdnCacheControl, own]), 50),
            (CacheRules(mode: .shared, targetedFields: []), 10),
            (CacheRules(mode: .private, targetedFields: [own]), 10),
        ]
        for (rules, lifetime) in table {
            #expect(outcome(rules, after: lifetime - 1, lines) == "serve", "\(rules)")
            #expect(outcome(rules, after: lifetime + 1, lines) == "validate", "\(rules)")
        }
    }

    @Test("What is stale answers when the server is out of reach, unless that is switched off, §4.2.4")
    func servesStaleWhenDisconnected() throws {
        for isServed in [true, false] {
            var situation = Situation()
            situation.base = CacheRules(servesStaleWhenDisconnected: isServed)
            situation.response = ["Cache-Control: max-age=10", "ETag: \"a\""]
            situation.after = 11
            let validation = try #require(situation.decision.validation)
            #expect((validation.whenDisconnected != nil) == isServed)
            #expect(validation.whenFailing == nil)
        }
    }

    @Test("A 304 freshens what is stored, a server error is replaced by it, and other statuses are passed on, §4.3.3")
    func conclusions() throws {
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=10, stale-if-error=100", "ETag: \"a\""]
        situation.after = 11
        let validation = try #require(situation.decision.validation)
        let question = situation.question(.get, [], CacheSettings(), at: 11)
        func conclusion(_ status: Int, _ lines: [String] = []) -> CacheConclusion {
            CacheRules().conclude(
                validation,
                with: ReceivedResponse(
                    HTTPResponse(status: .init(code: status), headerFields: fields(lines)),
                    sentAt: start.addingTimeInterval(11),
                    receivedAt: start.addingTimeInterval(12)
                ),
                to: question
            )
        }
        guard case .freshened(let updates, let answer) = conclusion(304, ["ETag: \"a\"", "X-Test: new"]) else {
            return #expect(Bool(false), "a 304 for what is stored freshens it")
        }
        #expect(updates.map(\.entry.id) == [situation.entry?.id] && answer.reason == .validated)
        #expect(updates.first?.metadata?.head.headerFields[.xTest] == "new")
        #expect(updates.first?.metadata?.responseTime == start.addingTimeInterval(12))
        #expect(conclusion(304, ["ETag: \"other\""]).word == "send unconditionally")
        for status in [500, 502, 503, 504] { #expect(conclusion(status).word == "serve stored", "\(status)") }
        for status in [200, 404, 501, 410] { #expect(conclusion(status).word == "pass on", "\(status)") }
    }

    @Test("A failure is the caller's where nothing stored may answer")
    func failureWithoutStored() throws {
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=10", "ETag: \"a\""]
        situation.after = 11
        let validation = try #require(situation.decision.validation)
        let conclusion = CacheRules().conclude(
            validation,
            with: ReceivedResponse(HTTPResponse(status: .serviceUnavailable), sentAt: start, receivedAt: start),
            to: situation.question(.get, [], CacheSettings(), at: 11)
        )
        #expect(conclusion.word == "pass on")
    }
}

extension CacheDecision {
    fileprivate var validation: CacheValidation? {
        if case .validate(let validation) = self { validation } else { nil }
    }
}

extension CacheConclusion {
    /// What it is, in a word or two.
    var word: String {
        switch self {
        case .freshened: "freshened"
        case .sendUnconditionally: "send unconditionally"
        case .passOn: "pass on"
        case .serveStored: "serve stored"
        }
    }
}
#endif
