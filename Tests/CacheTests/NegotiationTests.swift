#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("Variants by language, and parts by date", .timeLimit(.minutes(10)))
struct NegotiationTests {
    private let fresh = "Cache-Control: max-age=60"

    @Test(
        "RFC 9111 §4.1, RFC 9110 §12.4.2: weights that are the same number select the same variant",
        arguments: [
            ("en, de;q=0.8", "de;q=0.80, en", true), ("en, de;q=0.8", "EN ; Q=1.000,de ; q=0.800", true),
            ("en;q=1", "en", true), ("en;q=0", "en;q=0.0", true), ("en;q=0", "en", false),
            ("en, de;q=0.8", "en, de;q=0.08", false), ("en, de;q=0.8", "en;q=0.8, de", false),
            ("en;q=x", "en", false), ("en;q=0.1000", "en;q=0.1", false),
        ]
    )
    func weights(first: String, second: String, isSame: Bool) {
        for name in ["Accept-Language", "Accept", "Accept-Charset", "Accept-Encoding"] {
            let vary = fields(["Vary: \(name)"])
            let variant = CacheVariant(of: vary, to: fields(["\(name): \(first)"]))
            #expect(variant?.matches(fields(["\(name): \(second)"])) == isSame, "\(name)")
        }
        let other = CacheVariant(of: fields(["Vary: Foo"]), to: fields(["Foo: a;q=1"]))
        #expect(other?.matches(fields(["Foo: a"])) == false, "no other field is known to have weights")
    }

    @Test(
        "RFC 9111 §4.1: a response in the preferred language is served, whatever else is accepted",
        arguments: [
            ("de", true), ("de, en;q=0.5", true), ("DE;q=0.9, fr;q=0.8", true), ("en;q=0.2, de;q=0.7", true),
            ("de, en", false), ("fr, de;q=0.9", false), ("de-AT", false), ("*", false), ("de;q=0", false),
            ("", false),
        ]
    )
    func contentLanguage(accepted: String, isHit: Bool) async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "Vary: Accept-Language, Foo", "Content-Language: de"], "deutsch")
        _ = try await talk.ask(["Accept-Language: fr;q=0.1, de, it;q=0.3", "Foo: 1"])
        talk.script(.ok, [fresh, "Vary: Accept-Language, Foo"], "asked")
        #expect(try await talk.ask(["Accept-Language: \(accepted)", "Foo: 1"]).text == (isHit ? "deutsch" : "asked"))
        talk.transport.enqueue(.status(.ok, headers: fields([fresh, "Vary: Foo"]), body: "other"))
        let other = try await talk.ask(["Accept-Language: \(accepted)", "Foo: 2"]).text
        #expect(other != "deutsch", "the other fields that Vary names have to be the same")
    }

    @Test("RFC 9111 §4.1: the response to the very same fields goes before one in the right language")
    func exactFirst() async throws {
        let talk = try Conversation()
        for (accepted, language) in [("de, xx;q=0.1", "fr"), ("de, yy;q=0.1", "de")] {
            talk.script(.ok, [fresh, "Vary: Accept-Language", "Content-Language: \(language)"], language)
            _ = try await talk.ask(["Accept-Language: \(accepted)"])
            talk.pass(1)
        }
        #expect(try await talk.ask(["Accept-Language: de, xx;q=0.1"]).text == "fr")
        #expect(try await talk.ask(["Accept-Language: de, zz;q=0.1"]).text == "de")
    }

    @Test(
        "RFC 9111 §3.3: a part without a validator serves requests within its range",
        arguments: [("bytes=3-4", "34"), ("bytes=7-", "789"), ("bytes=-3", "789"), ("bytes=2-9", "23456789")]
    )
    func withinPart(range: String, expected: String) async throws {
        let talk = try Conversation()
        talk.script(.partialContent, [fresh, "Content-Range: bytes 2-9/10"], "23456789")
        _ = try await talk.ask(["Range: bytes=2-9"])
        let (response, text) = try await talk.ask(["Range: \(range)"])
        #expect(response.status == .partialContent && text == expected && talk.count == 1)
    }

    @Test("RFC 9111 §3.4: the rest of a part is asked for by a strong date, and the two are combined and stored")
    func completedByDate() async throws {
        let talk = try Conversation()
        let lines = [fresh, "Date: \(date(0))", "Last-Modified: \(date(-600))"]
        talk.script(.partialContent, lines + ["Content-Range: bytes 0-4/10"], "01234")
        _ = try await talk.ask(["Range: bytes=0-4"])
        talk.script(.partialContent, lines + ["Content-Range: bytes 5-9/10"], "56789")
        #expect(try await talk.ask().text == "0123456789")
        #expect(talk.last(.range) == "bytes=5-" && talk.last(.ifRange) == date(-600))
        #expect(try await talk.ask().text == "0123456789")
        #expect(talk.count == 2)
    }

    @Test(
        "RFC 9111 §3.4: parts without a common strong validator are not combined",
        arguments: [
            ([], []), (["Last-Modified: \(date(-9))"], ["Last-Modified: \(date(-9))"]),
            (["Last-Modified: \(date(-600))"], ["Last-Modified: \(date(-601))"]),
            (["Last-Modified: \(date(-600))", "ETag: \"a\""], ["Last-Modified: \(date(-600))"]),
        ] as [([String], [String])]
    )
    func notCombined(first: [String], second: [String]) async throws {
        let talk = try Conversation()
        let dated = [fresh, "Date: \(date(0))"]
        talk.script(.partialContent, dated + first + ["Content-Range: bytes 0-4/10"], "01234")
        _ = try await talk.ask(["Range: bytes=0-4"])
        talk.script(.partialContent, dated + second + ["Content-Range: bytes 5-9/10"], "56789")
        _ = try await talk.ask(["Range: bytes=5-9"])
        talk.script(.ok, dated, "whole")
        #expect(try await talk.ask(["Cache-Control: max-age=60"]).text == "whole")
        #expect(talk.last(.ifRange) == nil)
    }
}
#endif
