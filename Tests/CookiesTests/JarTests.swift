import Foundation
import HTTPChainCore
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

    @Test("drops the cookies of the session at its end and keeps the others")
    func session() async throws {
        let jar = CookieJar()
        try await jar.store(["a=1", "b=2; Max-Age=60"], from: url)
        try await jar.endSession()
        #expect(await jar.cookies().map(\.name) == ["b"])
        try await jar.removeAll()
        #expect(jar.count == 0)
    }

    @Test("keeps cookies apart whose names or paths are canonically equal and differ in their bytes")
    func canonicallyEqual() async throws {
        let jar = CookieJar()
        try await jar.store(["caf\u{e9}=1", "cafe\u{301}=2"], from: url)
        #expect(await jar.cookies().map(\.value.revealed).sorted() == ["1", "2"])
    }

    @Test("reports its changes")
    func changes() async throws {
        let jar = CookieJar()
        var changes = jar.changes.makeAsyncIterator()
        try await jar.store(["a=1", "a=2", "a=3; Max-Age=0"], from: url)
        #expect(await changes.next()?.kind == .added)
        #expect(await changes.next()?.kind == .replaced)
        #expect(await changes.next()?.kind == .removed(.alreadyExpired))
    }

    @Test("explains which cookies a URL gets, and why not the others")
    func explanation() async throws {
        let jar = CookieJar()
        try await jar.store(["a=1; Secure", "b=2; Path=/x"], from: url)
        let text = "\(await jar.explain("http://www.example.com/?token=hunter2"))"
        #expect(text.contains("not sent, because it needs a secure connection: a=<secret>"))
        #expect(text.contains("not sent, because the path is not within the cookie's: b=<secret>"))
        #expect(!text.contains("hunter2"))
        #expect("\(await CookieJar().explain("nowhere"))".hasSuffix("none"))
    }

    @Test("in a file is there again in the next process, without the cookies of the session")
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

    @Test("in a file keeps the cookies of the session where it is told to")
    func sessionInFile() async throws {
        let jar = try await CookieJar(file: file, keepsSessionCookies: true)
        try await jar.store(["a=1"], from: url)
        let again = try await CookieJar(file: file, keepsSessionCookies: true)
        #expect(await again.cookies().map(\.name) == ["a"])
    }

    @Test("shares its file with another, and neither loses what the other writes")
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
        #expect(await changes.next()?.kind == .removed(.removedElsewhere))
    }

    @Test("in a file takes many changes at once, and keeps them all")
    func concurrency() async throws {
        let jars = [try await CookieJar(file: file), try await CookieJar(file: file)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask { _ = try await jars[index % 2].store(["c\(index)=1; Max-Age=60"], from: self.url) }
            }
            try await group.waitForAll()
        }
        #expect(try await CookieJar(file: file).cookies().count == 40)
    }

    @Test("does not touch a file that is damaged, of another kind, or open to others, and says so")
    func refusals() async throws {
        for (content, line) in [("", 1), ("hello\n", 1), ("HTTPChain cookies 1 x\n{}\n", 2)] {
            try Data(content.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            await #expect(throws: CookieJarError(problem: .damaged(line: line), path: file.path)) {
                try await CookieJar(file: file)
            }
            #expect(try Data(contentsOf: file) == Data(content.utf8))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        await #expect(throws: CookieJarError(problem: .readableByOthers(mode: 0o644), path: file.path)) {
            try await CookieJar(file: file)
        }
        await #expect(throws: CookieJarError.self) { try await CookieJar(file: scratch.url) }
        let link = scratch.file("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        await #expect(throws: CookieJarError.self) { try await CookieJar(file: link) }
    }

    @Test("whose file cannot be written goes on in memory, and says why")
    func unwritable() async throws {
        let jar = try await CookieJar(file: scratch.file("missing/cookies"))
        await #expect(throws: CookieJarError.self) { try await jar.store(["a=1; Max-Age=60"], from: url) }
        #expect(await jar.cookies(for: url).map(\.name) == ["a"])
        #expect(jar.fileFailure?.reason.contains("missing/cookies") == true)
        try FileManager.default.createDirectory(at: scratch.file("missing"), withIntermediateDirectories: true)
        try await jar.store(["b=1; Max-Age=60"], from: url)
        #expect(jar.fileFailure == nil)
        #expect(try await CookieJar(file: scratch.file("missing/cookies")).cookies().count == 2)
    }

    @Test("is read and written as cookies.txt")
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
            #expect(throws: NetscapeCookieError(line: 2)) { try NetscapeCookies.parse("# x\n\(line)\n") }
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
