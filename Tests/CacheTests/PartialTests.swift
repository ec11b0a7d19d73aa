#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("Parts, RFC 9111 §3.3 and §3.4", .timeLimit(.minutes(10)))
struct PartialTests {
    private let fresh = "Cache-Control: max-age=60"

    private func part(_ talk: Conversation, _ range: ClosedRange<Int>, tag: String = "\"a\"", of length: String = "10")
    {
        let text = String(Array("0123456789")[range])
        talk.script(
            .partialContent,
            [fresh, "ETag: \(tag)", "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(length)"],
            text
        )
    }

    @Test("A range of a complete response is served from the store")
    func fromComplete() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh])
        _ = try await talk.ask()
        let (response, text) = try await talk.ask(["Range: bytes=2-4"])
        #expect(response.status == .partialContent && text == "234")
        #expect(response.headers[.contentRange] == "bytes 2-4/10" && response.headers[.contentLength] == "3")
        let (outside, none) = try await talk.ask(["Range: bytes=20-"])
        #expect(
            outside.status == .rangeNotSatisfiable && outside.headers[.contentRange] == "bytes */10" && none.isEmpty
        )
        #expect(talk.count == 1)
    }

    @Test("A part answers for itself and for what lies within, and nothing else")
    func fromPart() async throws {
        let talk = try Conversation()
        part(talk, 2...6)
        _ = try await talk.ask(["Range: bytes=2-6"])
        for (range, expected) in [("2-6", "23456"), ("3-4", "34"), ("6-6", "6")] {
            let (response, text) = try await talk.ask(["Range: bytes=\(range)"])
            #expect(text == expected && response.headers[.contentRange] == "bytes \(range)/10")
            #expect(response.cacheStatus?.isHit == true)
        }
        talk.script(.ok, [fresh, "ETag: \"a\""])
        let (whole, text) = try await talk.ask()
        #expect(whole.status == .ok && text == "0123456789" && whole.cacheStatus?.forward == .partial)
        #expect(talk.count == 2)
    }

    @Test("Parts of the same strong tag are combined, before, after and over each other, until they are the whole")
    func combined() async throws {
        let talk = try Conversation()
        for range in [3...5, 6...7, 1...3, 5...9, 0...0] {
            part(talk, range)
            _ = try await talk.ask(["Range: bytes=\(range.lowerBound)-\(range.upperBound)"])
        }
        #expect(talk.count == 5)
        #expect(await talk.store.usage().entries == 1)
        let (whole, text) = try await talk.ask()
        #expect(whole.status == .ok && text == "0123456789" && whole.headers[.contentRange] == nil)
        #expect(whole.headers[.contentLength] == "10" && talk.count == 5)
    }

    @Test(
        "Parts of other representations, and parts with a gap between, take the place of what is stored",
        arguments: [
            ("\"b\"", 6...9), ("W/\"a\"", 6...9), ("\"a\"", 7...9),
        ]
    )
    func notCombined(tag: String, range: ClosedRange<Int>) async throws {
        let talk = try Conversation()
        part(talk, 0...5)
        _ = try await talk.ask(["Range: bytes=0-5"])
        part(talk, range, tag: tag)
        _ = try await talk.ask(["Range: bytes=\(range.lowerBound)-\(range.upperBound)"])
        #expect(try await talk.ask(["Range: bytes=8-9"]).response.cacheStatus?.isHit == true)
        part(talk, 0...5)
        #expect(try await talk.ask(["Range: bytes=0-5"]).response.cacheStatus?.isHit == false)
    }

    @Test("A part of a complete response that is stored freshens it")
    func partOfComplete() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "ETag: \"a\""])
        _ = try await talk.ask()
        talk.pass(61)
        part(talk, 0...1)
        let (response, text) = try await talk.ask(["Range: bytes=0-1", "Cache-Control: no-cache"])
        #expect(response.status == .partialContent && text == "01")
        talk.pass(30)
        #expect(try await talk.ask().text == "0123456789")
        #expect(talk.count == 2)
    }

    @Test("A part is not combined with a stored error, whatever its tag")
    func partOfError() async throws {
        let talk = try Conversation()
        talk.script(.notFound, [fresh, "ETag: \"a\""], "there is no such page")
        _ = try await talk.ask()
        talk.pass(61)
        part(talk, 0...1)
        let (response, text) = try await talk.ask(["Range: bytes=0-1"])
        #expect(response.status == .partialContent && text == "01")
        talk.script(.ok, [fresh, "ETag: \"a\""])
        let (whole, all) = try await talk.ask()
        #expect(whole.status == .ok && all == "0123456789")
        #expect(talk.count == 3)
    }

    @Test("A part of unknown length answers what lies within")
    func unknownLength() async throws {
        let talk = try Conversation()
        part(talk, 2...6, of: "*")
        _ = try await talk.ask(["Range: bytes=2-6"])
        let (response, text) = try await talk.ask(["Range: bytes=3-5"])
        #expect(text == "345" && response.headers[.contentRange] == "bytes 3-5/*")
        part(talk, 5...9)
        #expect(try await talk.ask(["Range: bytes=-5"]).response.cacheStatus?.isHit == false)
    }

    private static let digests = ["Content-Digest", "Content-MD5", "Repr-Digest"]

    /// The digests of a response's content: each is the text, or that of the whole.
    private func digests(_ text: String) -> [String] {
        Self.digests.map { "\($0): \($0 == "Repr-Digest" ? "0123456789" : text)" }
    }

    private func digests(of response: Response) -> [String?] {
        Self.digests.map { name in HTTPField.Name(name).flatMap { response.headers[$0] } }
    }

    private func digestedPart(_ talk: Conversation, _ range: ClosedRange<Int>) {
        let text = String(Array("0123456789")[range])
        let lines = [fresh, "ETag: \"a\"", "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/10"]
        talk.script(.partialContent, lines + digests(text), text)
    }

    @Test("RFC 9530 §2: a response without the stored content has no digest of that content")
    func digestOfWhole() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "ETag: \"a\""] + digests("0123456789"))
        _ = try await talk.ask()
        for line in ["Range: bytes=2-4", "Range: bytes=20-", "If-None-Match: \"a\""] {
            let (response, _) = try await talk.ask([line])
            #expect(response.status != .ok && digests(of: response) == [nil, nil, "0123456789"], "\(line)")
        }
        let (whole, _) = try await talk.ask()
        #expect(digests(of: whole) == ["0123456789", "0123456789", "0123456789"] && talk.count == 1)
    }

    @Test("RFC 9530 §2: a stored part has its own digest, a range within it has none")
    func digestOfPart() async throws {
        let talk = try Conversation()
        digestedPart(talk, 2...6)
        _ = try await talk.ask(["Range: bytes=2-6"])
        let (same, _) = try await talk.ask(["Range: bytes=2-6"])
        #expect(digests(of: same) == ["23456", "23456", "0123456789"])
        let (within, _) = try await talk.ask(["Range: bytes=3-4"])
        #expect(digests(of: within) == [nil, nil, "0123456789"] && talk.count == 1)
    }

    @Test("RFC 9530 §2: a whole that was combined from parts has no digest of a part", arguments: [true, false])
    func digestOfCombined(isCompleted: Bool) async throws {
        let talk = try Conversation()
        digestedPart(talk, 0...4)
        _ = try await talk.ask(["Range: bytes=0-4"])
        digestedPart(talk, 5...9)
        let (rest, _) = try await talk.ask(isCompleted ? [] : ["Range: bytes=5-9"])
        #expect(digests(of: rest) == (isCompleted ? [nil, nil, "0123456789"] : ["56789", "56789", "0123456789"]))
        for _ in 1...2 {
            let (whole, text) = try await talk.ask()
            #expect(text == "0123456789" && digests(of: whole) == [nil, nil, "0123456789"] && talk.count == 2)
        }
    }

    @Test("A part that is cut short is not stored")
    func brokenPart() async throws {
        let talk = try Conversation()
        talk.script(.partialContent, [fresh, "Content-Range: bytes 0-8/10"], "01234")
        _ = try await talk.ask(["Range: bytes=0-8"])
        #expect(await talk.store.usage().entries == 0)
    }

    @Test("§3.4: the rest of a stored part is requested, and the caller gets the whole")
    func completed() async throws {
        let talk = try Conversation()
        talk.script(
            .partialContent,
            [fresh, "ETag: \"a\"", "Content-Range: bytes 0-4/10", "X-Test: 1", "Via: a"],
            "01234"
        )
        _ = try await talk.ask(["Range: bytes=0-4"])
        talk.script(.partialContent, [fresh, "ETag: \"a\"", "Content-Range: bytes 5-9/10", "X-Test: 2"], "56789")
        let (whole, text) = try await talk.ask()
        #expect(talk.last(.range) == "bytes=5-" && talk.last(.ifRange) == "\"a\"")
        #expect(whole.status == .ok && text == "0123456789" && whole.headers[.contentLength] == "10")
        #expect(whole.headers[.contentRange] == nil && whole.headers[.xTest] == "2" && whole.headers[.via] == "a")
        #expect(whole.headers[.cacheStatus] == "HTTPChain; fwd=partial; fwd-status=206; stored")
        let (hit, again) = try await talk.ask()
        #expect(again == "0123456789" && hit.cacheStatus?.isHit == true && hit.headers[.via] == "a")
        #expect(hit.headers[.xTest] == "2" && talk.count == 2)
    }

    @Test("RFC 9110 §15.3.7: the rest that was requested by date needn't repeat the date")
    func completedByDate() async throws {
        let talk = try Conversation()
        let modified = "Last-Modified: \(date(-600))"
        talk.script(.partialContent, [fresh, modified, "Content-Range: bytes 0-4/10"], "01234")
        _ = try await talk.ask(["Range: bytes=0-4"])
        talk.script(.partialContent, [fresh, "Content-Range: bytes 5-9/10"], "56789")
        let (whole, text) = try await talk.ask()
        #expect(talk.last(.ifRange) == date(-600) && talk.last(.range) == "bytes=5-")
        #expect(whole.status == .ok && text == "0123456789" && whole.headers[.lastModified] == date(-600))
        let (hit, again) = try await talk.ask()
        #expect(again == "0123456789" && hit.cacheStatus?.isHit == true && talk.count == 2)
    }

    @Test("A part that a caller requested by date is joined to the stored one, although it doesn't repeat the date")
    func callersDate() async throws {
        let talk = try Conversation()
        talk.script(
            .partialContent,
            [fresh, "Last-Modified: \(date(-600))", "Content-Range: bytes 0-4/10"],
            "01234"
        )
        _ = try await talk.ask(["Range: bytes=0-4"])
        talk.script(.partialContent, [fresh, "Content-Range: bytes 5-9/10"], "56789")
        _ = try await talk.ask(["Range: bytes=5-9", "If-Range: \(date(-600))"])
        let (hit, text) = try await talk.ask()
        #expect(text == "0123456789" && hit.cacheStatus?.isHit == true && talk.count == 2)
    }

    @Test("The rest may begin before the end of the stored part", arguments: [0, 3, 5])
    func completedEarlier(first: Int) async throws {
        let talk = try Conversation()
        part(talk, 0...4)
        _ = try await talk.ask(["Range: bytes=0-4"])
        part(talk, first...9)
        let (whole, text) = try await talk.ask()
        #expect(whole.status == .ok && text == "0123456789" && whole.headers[.contentLength] == "10")
        let (hit, again) = try await talk.ask()
        #expect(again == "0123456789" && hit.cacheStatus?.isHit == true && talk.count == 2)
    }

    @Test("Parts of the same tag whose sizes contradict each other are not joined")
    func otherSize() async throws {
        let talk = try Conversation()
        part(talk, 0...4)
        _ = try await talk.ask(["Range: bytes=0-4"])
        part(talk, 5...9, of: "20")
        talk.script(.ok, [fresh, "ETag: \"a\""], "01234567890123456789")
        let (whole, text) = try await talk.ask()
        #expect(whole.status == .ok && text == "01234567890123456789" && talk.count == 3)
        let stored = try Conversation()
        part(stored, 0...4)
        _ = try await stored.ask(["Range: bytes=0-4"])
        part(stored, 5...9, of: "20")
        _ = try await stored.ask(["Range: bytes=5-9"])
        part(stored, 0...4, of: "20")
        #expect(try await stored.ask(["Range: bytes=0-4"]).response.cacheStatus?.isHit == false)
    }

    @Test(
        "What has changed meanwhile comes whole",
        arguments: [(200, "\"b\"", 2), (206, "\"b\"", 3), (416, "\"b\"", 3), (304, "\"a\"", 3)]
    )
    func changed(status: Int, tag: String, count: Int) async throws {
        let talk = try Conversation()
        part(talk, 0...4)
        _ = try await talk.ask(["Range: bytes=0-4"])
        let lines = [fresh, "ETag: \(tag)"] + (status == 206 ? ["Content-Range: bytes 5-9/10"] : [])
        talk.script(.init(code: status), lines, status == 304 ? "" : "new")
        talk.script(.ok, [fresh, "ETag: \"b\""], "new")
        let (whole, text) = try await talk.ask()
        #expect(whole.status == .ok && text == "new" && talk.count == count)
        #expect(talk.last(.range) == (count == 3 ? nil : "bytes=5-"))
    }
}
#endif
