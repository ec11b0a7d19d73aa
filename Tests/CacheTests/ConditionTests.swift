#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPTypes
import Testing

@Suite("What a server is asked about, and what its answer means, RFC 9111 §4.3")
struct ConditionTests {
    /// A variant that is stale since some time, made so many seconds before the start.
    private func entry(_ id: UInt64, foo: String, age: Double, _ lines: [String]) -> CacheEntry {
        let made = start.addingTimeInterval(-age)
        let head = HTTPResponse(
            status: .ok,
            headerFields: fields(["Date: \(date(-age))", "Vary: Foo", "Cache-Control: max-age=1"] + lines)
        )
        let metadata = CacheMetadata(
            head: head,
            variant: CacheVariant([CacheVariant.Field(name: "foo", value: foo)]),
            requestTime: made,
            responseTime: made
        )
        return CacheEntry(
            id: CacheEntryID(rawValue: id),
            key: CacheKey(url: target),
            response: StoredResponse(metadata, bodyLength: 10, bodyChecksum: ContentChecksum())
        )
    }

    private func question(_ lines: [String]) -> CacheQuestion {
        Situation().question(.get, lines, CacheSettings(), at: 0)
    }

    private func validation(_ lines: [String], _ entries: [CacheEntry]) throws -> CacheValidation {
        let decision = CacheRules().decide(question(lines), among: entries)
        guard case .validate(let validation) = decision else {
            Issue.record("\(decision)")
            throw CancellationError()
        }
        return validation
    }

    @Test("The tag of the selected response comes first, those of the others by their age, the youngest first")
    func order() throws {
        let entries = [
            entry(1, foo: "1", age: 300, ["ETag: \"a\""]), entry(2, foo: "2", age: 100, ["ETag: \"b\""]),
            entry(3, foo: "3", age: 200, ["ETag: \"c\""]),
        ]
        let table = [
            ("1", "\"a\", \"b\", \"c\""), ("2", "\"b\", \"c\", \"a\""), ("3", "\"c\", \"b\", \"a\""),
            ("4", "\"b\", \"c\", \"a\""),
        ]
        for (foo, expected) in table {
            for stored in [entries, entries.reversed()] {
                let validation = try validation(["Foo: \(foo)"], stored)
                #expect(validation.fields[.ifNoneMatch] == expected)
                #expect(validation.candidates.count == 3)
            }
        }
    }

    @Test("No more than 32 tags are asked about, and a response that shares one of them is")
    func tagLimit() throws {
        var entries = (1...40).map { number in
            entry(UInt64(number), foo: "\(number)", age: Double(number) * 10, ["ETag: \"\(number)\""])
        }
        entries.append(entry(99, foo: "99", age: 5, ["ETag: \"1\""]))
        let validation = try validation(["Foo: 0"], entries)
        #expect(EntityTag.list(try #require(validation.fields[.ifNoneMatch])).count == 32)
        #expect(validation.candidates.map(\.id.rawValue) == [99] + (1...32).map { UInt64($0) })
    }

    @Test("The caller's own condition stays where the cache adds none")
    func ownCondition() throws {
        let own = "If-Modified-Since: \(date(-10_000))"
        let validation = try validation(["Foo: 1", own], [entry(1, foo: "1", age: 100, [])])
        #expect(!validation.isConditional)
        #expect(validation.fields[.ifModifiedSince] == date(-10_000))
        #expect(conclude(validation, 304, []) == "pass on")
    }

    @Test("A 304 without a tag is about the only response that was asked about, or about none")
    func withoutTag() throws {
        let dated = entry(1, foo: "1", age: 100, ["Last-Modified: \(date(-1000))"])
        let one = try validation(["Foo: 1"], [dated])
        #expect(one.fields[.ifModifiedSince] == date(-1000))
        #expect(conclude(one, 304, []) == "freshened")
        #expect(conclude(one, 304, ["Last-Modified: \(date(-1000))"]) == "freshened")
        #expect(conclude(one, 304, ["Last-Modified: \(date(-2000))"]) == "send unconditionally")
        let tagged = entry(1, foo: "1", age: 100, ["ETag: \"a\"", "Last-Modified: \(date(-1000))"])
        let other = entry(2, foo: "2", age: 100, ["ETag: \"b\"", "Last-Modified: \(date(-2000))"])
        let two = try validation(["Foo: 1"], [tagged, other])
        #expect(two.fields[.ifModifiedSince] == date(-1000))
        #expect(conclude(two, 304, ["Last-Modified: \(date(-1000))"]) == "send unconditionally")
        #expect(conclude(two, 304, []) == "send unconditionally")
        #expect(conclude(two, 304, ["ETag: \"b\""]) == "freshened")
    }

    @Test("What must be validated is so when it is stale, and not where only the caller asks")
    func mustBeValidated() throws {
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=60, must-revalidate", "ETag: \"a\""]
        for (after, expected) in [(10.0, false), (70, true)] {
            situation.after = after
            situation.ask = ["Cache-Control: no-cache"]
            guard case .validate(let validation) = situation.decision else {
                Issue.record("\(situation.decision)")
                continue
            }
            #expect(validation.mustBeValidated == expected)
            #expect(validation.whenDisconnected == nil && validation.whenFailing == nil)
        }
    }

    @Test(
        "RFC 5861 §4: stale on failure within a window of server or caller, its last second included, unless it is zero",
        arguments: [("1", 1.0), ("5", 5), ("0", nil), ("x", nil)] as [(String, Double?)],
        [true, false]
    )
    func window(written: (text: String, length: Double?), isOfServer: Bool) {
        let window = "stale-if-error=\(written.text)"
        let length = written.length ?? 0
        var situation = Situation()
        situation.response = ["Cache-Control: max-age=10" + (isOfServer ? ", \(window)" : ""), "ETag: \"a\""]
        situation.ask = isOfServer ? [] : ["Cache-Control: \(window)"]
        for (after, expected) in [(10 + length, written.length != nil), (10.5 + length, false)] {
            situation.after = after
            guard case .validate(let validation) = situation.decision else {
                Issue.record("\(situation.decision)")
                continue
            }
            #expect((validation.whenFailing != nil) == expected)
        }
    }

    @Test(
        "§4.3.5: an answer to HEAD that differs in any validator, or is gone, makes the stored response invalid",
        arguments: [
            (200, [], false), (200, ["ETag: \"a\"", "Last-Modified: \(date(-1000))", "Content-Length: 10"], false),
            (200, ["ETag: \"b\"", "Last-Modified: \(date(-1000))"], true),
            (200, ["ETag: \"b\"", "Content-Length: 10"], true),
            (200, ["ETag: \"a\"", "Last-Modified: \(date(-999))"], true),
            (200, ["ETag: \"a\"", "Content-Length: 11"], true),
            (200, ["Last-Modified: \(date(-999))", "Content-Length: 10"], true), (404, [], true),
            (404, ["ETag: \"a\""], true), (404, ["Last-Modified: \(date(-1000))"], true),
            (410, ["Content-Length: 10"], true), (500, ["ETag: \"b\""], nil),
        ] as [(Int, [String], Bool?)]
    )
    func byHead(status: Int, lines: [String], isInvalidated: Bool?) {
        let stored = entry(
            1,
            foo: "1",
            age: 100,
            ["ETag: \"a\"", "Last-Modified: \(date(-1000))", "Content-Length: 10"]
        )
        let updates = CacheRules().updates(
            byHead: ReceivedResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields(lines)),
                sentAt: start,
                receivedAt: start
            ),
            to: question(["Foo: 1"]),
            among: [stored]
        )
        #expect(updates.first?.metadata?.isInvalidated == isInvalidated)
    }

    private func conclude(_ validation: CacheValidation, _ status: Int, _ lines: [String]) -> String {
        let conclusion = CacheRules().conclude(
            validation,
            with: ReceivedResponse(
                HTTPResponse(status: .init(code: status), headerFields: fields(lines)),
                sentAt: start,
                receivedAt: start
            ),
            to: question(["Foo: 1"])
        )
        return conclusion.word
    }
}
#endif
