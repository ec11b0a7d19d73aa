#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCookies

@Suite("A jar", .timeLimit(.minutes(10)))
struct JarTests {
    private let scratch: ScratchDirectory
    private var file: URL { scratch.file("cookies") }
    private let url = "https://www.example.com/"

    init() throws {
        scratch = try ScratchDirectory.created()
    }

    @Test("A jar drops the cookies of the session at its end and keeps the others")
    func session() async throws {
        let jar = CookieJar()
        try await jar.store(["a=1", "b=2; Max-Age=60"], from: url)
        try await jar.endSession()
        #expect(await jar.cookies().map(\.name) == ["b"])
        try await jar.removeAll()
        #expect(jar.count == 0)
    }

    @Test("A jar keeps cookies apart whose names or paths are canonically equal and differ in their bytes")
    func canonicallyEqual() async throws {
        let jar = CookieJar()
        try await jar.store(["caf\u{e9}=1", "cafe\u{301}=2"], from: url)
        #expect(await jar.cookies().map(\.value.revealed).sorted() == ["1", "2"])
    }

    @Test("A call's cookies replace those with the same bytes, and leave canonically equal names alone")
    func canonicallyEqualOfCall() async throws {
        let jar = CookieJar()
        try await jar.store(["cafe\u{301}=2", "tea=3"], from: url)
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try Chain([CookieMiddleware(jar)], transport: transport)
        let call = Request.get(url).cookies(["caf\u{e9}": "1", "tea": "4"]).cookies(["cafe\u{301}e": "5"])
        _ = try await chain.send(call)
        let sent = try #require(transport.requests.first?.headers[.cookie])
        #expect(
            Set(sent.utf8.split(separator: UInt8(ascii: ";")).map { Data($0.drop { $0 == 0x20 }) })
                == Set(
                    ["caf\u{e9}=1", "tea=4", "cafe\u{301}e=5", "cafe\u{301}=2"].map { Data($0.utf8) }
                )
        )
    }

    @Test("A cookie from an insecure connection may have a name that is canonically equal to a secure one's")
    func canonicallyEqualAndSecure() async throws {
        let jar = CookieJar()
        try await jar.store(["caf\u{e9}=1; Secure"], from: "https://www.example.com/")
        try await jar.store(["cafe\u{301}=2"], from: "http://www.example.com/")
        #expect(await jar.cookies().map(\.value.revealed).sorted() == ["1", "2"])
    }

    @Test("A jar reports its changes")
    func changes() async throws {
        let jar = CookieJar()
        var changes = jar.changes.makeAsyncIterator()
        try await jar.store(["a=1", "a=2", "a=3; Max-Age=0"], from: url)
        guard case .added(let first) = await changes.next(), case .replaced(let second) = await changes.next(),
            case .removed(let third, .alreadyExpired) = await changes.next()
        else {
            Issue.record("other changes")
            return
        }
        #expect([first, second, third].map(\.value.revealed) == ["1", "2", "2"])
    }

    @Test("A jar explains which cookies a URL gets, and why not the others")
    func explanation() async throws {
        let jar = CookieJar()
        try await jar.store(["a=1; Secure", "b=2; Path=/x"], from: url)
        let text = "\(await jar.explain("http://www.example.com/?token=hunter2"))"
        #expect(text.contains("not sent, because it needs a secure connection: a=<secret>"))
        #expect(text.contains("not sent, because the path is not within the cookie's: b=<secret>"))
        #expect(!text.contains("hunter2"))
        #expect("\(await CookieJar().explain("nowhere"))".hasSuffix("none"))
    }

    @Test("A jar explains which cookies it refused, and which are gone, without their values")
    func absences() async throws {
        var limits = CookieLimits()
        limits.perDomain = 2
        let jar = CookieJar(limits: limits)
        try await jar.store(["a=hunter2; Domain=com", "a=hunter2; Domain=com"], from: url, at: now)
        try await jar.store(["short=hunter2; Max-Age=10", "old=hunter2"], from: url, at: now)
        // What has ended goes first, then what was not used for the longest time.
        try await jar.store(["new=hunter2"], from: url, at: now + 11)
        try await jar.store(["newer=hunter2", "newer=hunter2; Max-Age=0"], from: url, at: now + 12)
        try await jar.remove { $0.name == "new" }
        try await jar.store(["b=hunter2; Secure", "=hunter2; Path=/; Secure"], from: "http://example.com/")
        try await jar.store(["other=hunter2; Domain=com"], from: "https://www.example.org/")

        let explanation = await jar.explain(url, at: now + 12)
        #expect(explanation.sent.isEmpty && explanation.withheld.isEmpty)
        #expect(
            explanation.absent.map(\.description) == [
                "refused, because the Domain attribute is a public suffix: a of www.example.com",
                "removed, because it has ended: short of www.example.com",
                "removed, because the jar has no room: old of www.example.com",
                "removed, because it has already ended: newer of www.example.com",
                "removed, because the application removed it: new of www.example.com",
                "refused, because a Secure cookie needs a secure connection: b of example.com",
                "refused, because a Secure cookie needs a secure connection: a cookie without a name of example.com",
            ]
        )
        #expect("\(explanation)".contains("\n  removed, because the jar has no room: old of www.example.com\n"))
        #expect(!"\(explanation)\(explanation.absent)".contains("hunter2"))
        #expect(await jar.explain("https://www.example.org/").absent.map(\.cause) == [.refused(.publicSuffix)])
        #expect(await jar.explain("https://www.example.net/").absent.isEmpty)
    }

    @Test("A jar remembers the last 256 cookies that it refused, and so much of their names")
    func manyAbsences() async throws {
        let jar = CookieJar()
        for index in 0..<300 { try await jar.store(["c\(index)=1; Domain=com"], from: url) }
        // The same again is told once, as the latest.
        try await jar.store(["c299=1; Domain=com", "c100=1; Domain=com"], from: url)
        let names = await jar.explain(url).absent.map(\.name)
        #expect(names == ((44..<299).filter { $0 != 100 } + [299, 100]).map { "c\($0)" })
        try await jar.store([String(repeating: "é", count: 1_000) + "=1; Domain=com"], from: url)
        let long = await jar.explain(url).absent
        #expect(long.count == 256)
        #expect(long.last?.name == String(repeating: "é", count: 128))
    }

    @Test("A jar in a file says which cookies another process removed, and which have ended")
    func absencesInFile() async throws {
        let one = try await CookieJar(file: file)
        let other = try await CookieJar(file: file)
        try await one.store(["a=1; Max-Age=60"], from: url)
        #expect(await other.cookies().count == 1)
        try await one.remove { $0.name == "a" }
        #expect(await other.explain(url).absent.map(\.cause) == [.removed(.removedElsewhere)])

        // The file keeps none that has ended, whoever writes it.
        var browser = Browser()
        browser.receive("a=1; Max-Age=60", "b=1; Max-Age=30")
        let effects = browser.storage.differences(to: CookieStorage(), at: now + 30)
        let cookies = browser.storage.cookies
        #expect(effects == [.removed(cookies[0], .removedElsewhere), .removed(cookies[1], .expired)])
    }

    @Test("A jar in a file is there again in the next process, without the cookies of the session")
    func file() async throws {
        let jar = try await CookieJar(file: file)
        #expect(scratch.names.isEmpty)
        try await jar.store(
            ["a=1", "b=é; Max-Age=60; Secure; HttpOnly; SameSite=Strict; Path=/p; Domain=example.com"],
            from: url
        )
        let again = try await CookieJar(file: file)
        #expect(await again.cookies() == jar.cookies().filter(\.isPersistent))
        #expect(await jar.cookies().count == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(jar.fileFailure == nil)
    }

    @Test("A jar in a file keeps the cookies of the session where it is told to")
    func sessionInFile() async throws {
        let jar = try await CookieJar(file: file, keepsSessionCookies: true)
        try await jar.store(["a=1"], from: url)
        let again = try await CookieJar(file: file, keepsSessionCookies: true)
        #expect(await again.cookies().map(\.name) == ["a"])
    }

    @Test("A jar in a file evicts the least recently used, also when opened again, and in the order of another's use")
    func lastUse() async throws {
        var limits = CookieLimits()
        limits.perDomain = 3
        let start = Date()
        let target = try #require(CookieTarget("https://www.example.com/a"))
        let jar = try await CookieJar(file: file, limits: limits)
        try await jar.store(["a=1; Max-Age=6000; Path=/a"], from: url, at: start)
        try await jar.store(["b=1; Max-Age=6000; Path=/b"], from: url, at: start + 1)
        #expect(await jar.pairs(for: target, at: start + 2, without: []) == ["a=1"])
        try await jar.store(["c=1; Max-Age=6000; Path=/c"], from: url, at: start + 3)

        let again = try await CookieJar(file: file, limits: limits)
        try await again.store(["d=1; Max-Age=6000; Path=/d"], from: url, at: start + 4)
        #expect(await again.cookies().map(\.name) == ["a", "c", "d"])
        let absent = await again.explain(url).absent.map(\.description)
        #expect(absent == ["removed, because the jar has no room: b of www.example.com"])
        // A use is written with the next change, so the first jar does not know of this one.
        #expect(await again.pairs(for: target, at: start + 5, without: []) == ["a=1"])
        try await jar.store(["e=1; Max-Age=6000; Path=/e"], from: url, at: start + 6)
        #expect(await jar.cookies().map(\.name) == ["c", "d", "e"])
    }

    @Test("A jar reads a file that does not say when its cookies were last used, and evicts the oldest first")
    func fileWithoutUse() async throws {
        var limits = CookieLimits()
        limits.perDomain = 2
        let lines = ["a", "b"].enumerated().map { index, name in
            """
            {"created":\(700_000_000 + index),"domain":"www.example.com","expires":32000000000,"hostOnly":true,\
            "httpOnly":false,"name":"\(name)","path":"/","sameSite":"lax","secure":false,"value":"1"}
            """
        }
        let text = (["HTTPChain cookies 1 \(UUID().uuidString)"] + lines).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        let jar = try await CookieJar(file: file, limits: limits)
        #expect(await jar.cookies().map(\.name) == ["a", "b"])
        try await jar.store(["c=1; Max-Age=60"], from: url)
        #expect(await jar.cookies().map(\.name) == ["b", "c"])
    }

    @Test("A jar shares its file with another, and neither loses what the other writes")
    func shared() async throws {
        let one = try await CookieJar(file: file)
        let other = try await CookieJar(file: file)
        try await one.store(["a=1; Max-Age=60", "own=1"], from: url)
        try await other.store(["b=2; Max-Age=60"], from: url)
        try await one.store(["c=3; Max-Age=60"], from: url)
        #expect(await Set(other.cookies().map(\.name)) == ["a", "b", "c"])
        #expect(await Set(one.cookies().map(\.name)) == ["a", "b", "c", "own"])
        var changes = other.changes.makeAsyncIterator()
        try await one.remove { $0.name == "a" }
        #expect(await other.cookies(for: url).map(\.name) == ["b", "c"])
        guard case .removed(let cookie, .removedElsewhere) = await changes.next() else {
            Issue.record("another change")
            return
        }
        #expect(cookie.name == "a")
    }

    @Test("A jar in a file takes many changes at once, and keeps them all")
    func concurrency() async throws {
        let jars = [try await CookieJar(file: file), try await CookieJar(file: file)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask { _ = try await jars[index % 2].store(["c\(index)=1; Max-Age=86400"], from: self.url) }
            }
            try await group.waitForAll()
        }
        let kept = try await CookieJar(file: file).cookies()
        #expect(kept.count == 40)
    }

    @Test("A jar does not touch a file that is damaged, of another kind, or open to others, and says so")
    func refusals() async throws {
        for (content, line) in [("", 1), ("hello\n", 1), ("HTTPChain cookies 1 x\n{}\n", 2)] {
            try Data(content.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            await #expect(throws: CookieError(problem: .damaged(line: line), path: file.path)) {
                try await CookieJar(file: file)
            }
            #expect(try Data(contentsOf: file) == Data(content.utf8))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        await #expect(throws: CookieError(problem: .readableByOthers(mode: 0o644), path: file.path)) {
            try await CookieJar(file: file)
        }
        await #expect(throws: CookieError.self) { try await CookieJar(file: scratch.url) }
        let link = scratch.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        await #expect(throws: CookieError.self) { try await CookieJar(file: link) }
    }

    @Test("A jar whose file cannot be written goes on in memory, and says why")
    func unwritable() async throws {
        let jar = try await CookieJar(file: scratch.file("missing/cookies"))
        await #expect(throws: CookieError.self) { try await jar.store(["a=1; Max-Age=60"], from: url) }
        #expect(await jar.cookies(for: url).map(\.name) == ["a"])
        #expect(jar.fileFailure?.reason.contains("missing/cookies") == true)
        try FileManager.default.createDirectory(at: scratch.file("missing"), withIntermediateDirectories: true)
        try await jar.store(["b=1; Max-Age=60"], from: url)
        #expect(jar.fileFailure == nil)
        #expect(try await CookieJar(file: scratch.file("missing/cookies")).cookies().count == 2)
    }

    @Test("A change that can't be written loses neither itself nor what another jar has written")
    func unwritableChange() async throws {
        let (one, two) = (try await CookieJar(file: file), try await CookieJar(file: file))
        try await two.store(["x=1; Max-Age=60"], from: url)
        let obstacle = URL(fileURLWithPath: file.path + ".new")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        await #expect(throws: CookieError.self) { try await one.store(["y=1; Max-Age=60"], from: url) }
        #expect(await one.cookies(for: url).map(\.name).sorted() == ["x", "y"])
        try FileManager.default.removeItem(at: obstacle)
        try await one.store(["z=1; Max-Age=60"], from: url)
        let all = try await CookieJar(file: file).cookies().map(\.name).sorted()
        #expect(all == ["x", "y", "z"])
        #expect(await two.cookies(for: url).map(\.name).sorted() == all)
    }

    @Test("A jar is read and written as cookies.txt")
    func netscape() throws {
        let text = """
            # Netscape HTTP Cookie File
            # https://curl.se/docs/http-cookies.html

            #HttpOnly_.example.com\tTRUE\t/\tTRUE\t1900000000\tsid\tabc=d
            www.example.com\tFALSE\t/a\tFALSE\t0\tempty\t
            www.example.com\tFALSE\t/a\tFALSE\t0\tshort\r

            """
        let cookies = try NetscapeCookies.parse(text)
        #expect(cookies.map(\.name) == ["sid", "empty", "short"])
        #expect(cookies.map(\.domain) == ["example.com", "www.example.com", "www.example.com"])
        #expect(cookies.map(\.isHostOnly) == [false, true, true])
        #expect(cookies.map(\.isHTTPOnly) == [true, false, false])
        #expect(cookies.map(\.isSecure) == [true, false, false])
        #expect(cookies.map { $0.expires?.timeIntervalSince1970 } == [1_900_000_000, nil, nil])
        #expect(cookies.map(\.value.revealed) == ["abc=d", "", ""])
        let again = try NetscapeCookies.parse(NetscapeCookies.text(for: cookies).revealed)
        #expect(again.map(\.key) == cookies.map(\.key))
        #expect("\(NetscapeCookies.text(for: cookies))" == "<secret>")
        for line in [
            "a", "a\tb\tc\td\te\tf\tg", "\tTRUE\t/\tTRUE\t0\ta\tb", "x\tTRUE\tp\tTRUE\t0\ta\tb",
            "..x\tFALSE\t/\tFALSE\t0\ta\tb", ".\tFALSE\t/\tFALSE\t0\ta\tb",
        ] {
            #expect(throws: CookieError(problem: .invalidLine(2))) { try NetscapeCookies.parse("# x\n\(line)\n") }
        }
        let line = "x\tTRUE\t/\tTRUE\t1e87\ta\tb\nx\tTRUE\t/\tTRUE\t-1e87\tc\td\n"
        let extremes = try NetscapeCookies.parse(line)
        #expect(extremes.map { $0.expires?.timeIntervalSince1970 } == [253_402_300_799, 1])
        for seconds in [1e87, -1e87, 0, .nan] {
            let cookie = Cookie("a", "b", domain: "x", expires: Date(timeIntervalSince1970: seconds))
            let again = try NetscapeCookies.parse(NetscapeCookies.text(for: [cookie]).revealed)
            #expect(again.map { $0.expires?.timeIntervalSince1970 } == [seconds > 1 ? 253_402_300_799 : 1])
            #expect("\(cookie)".contains("until"))
        }
        let odd = Cookie("a", "b\tc", domain: "example.com")
        #expect(try NetscapeCookies.parse(NetscapeCookies.text(for: [odd]).revealed).isEmpty)
    }
}
#endif
