#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("The cookie stage")
struct StageTests {
    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .exactlyOnce) { CookieMiddleware() }.verify(check)
    }

    private func chain(_ transport: InMemoryTransport, _ stage: CookieMiddleware) throws -> Chain {
        try Chain(transport: transport) { stage }
    }

    @Test("The stage sends back what a response has set, to its host and no other")
    func roundTrip() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "https://a.example/*", reply: .text("in"))
        transport.on(.get, "https://a.example/login", reply: .init(.ok, headers: [.setCookie: "sid=1; Path=/"]))
        transport.on(.get, "https://b.example/*", reply: .text("out"))
        let chain = try chain(transport, CookieMiddleware())
        let response = try await chain.send(.get("https://a.example/login"))
        #expect(response.cookieOutcomes.map(\.description) == ["sid: stored for a.example"])
        _ = try await chain.send(.get("https://a.example/x"))
        _ = try await chain.send(.get("https://b.example/x"))
        #expect(transport.requests.map { $0.headers[.cookie] } == [nil, "sid=1", nil])
    }

    @Test("The stage finds the cookies of a host however a URL writes it, until they are gone")
    func authorities() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*", reply: .text("ok"))
        let jar = CookieJar()
        try await jar.store(["a=1; Domain=example.com"], from: "https://www.example.com/")
        try await jar.store(["b=2"], from: "https://[::1]/")
        try await jar.store(["c=3"], from: "https://bücher.example/")
        let chain = try chain(transport, CookieMiddleware(jar))
        for (url, field) in [
            ("https://example.com/", "a=1"), ("https://x.www.example.com:8443/", "a=1"),
            ("https://WWW.EXAMPLE.COM/", "a=1"), ("http://example.com:/", "a=1"), ("https://[::1]:8080/", "b=2"),
            ("https://xn--bcher-kva.example/", "c=3"), ("https://BÜCHER.example/", "c=3"),
            ("https://anexample.com/", nil), ("https://com/", nil), ("https://example.com.test/", nil),
            ("https://example.com.:443/", nil), ("https://127.0.0.1/", nil), ("https://x.example.com:a/", nil),
        ] {
            _ = try? await chain.send(.get(url))
            #expect(transport.requests.last?.headers[.cookie] == field, "\(url)")
        }
        try await jar.removeAll()
        _ = try await chain.send(.get("https://example.com/"))
        #expect(transport.requests.last?.headers[.cookie] == nil)
        try await jar.set([Cookie("d", "4", domain: "example.com")])
        _ = try await chain.send(.get("https://example.com/"))
        #expect(transport.requests.last?.headers[.cookie] == "d=4")
    }

    @Test("The stage stores and sends as it is set, whatever the jar has, unless the call says otherwise")
    func uses() async throws {
        for (use, first, second) in [
            (CookieUse.on, true, "a=1"), (.off, false, nil), (.sendOnly, false, nil),
            (CookieUse(sends: false), true, nil),
        ] {
            let transport = InMemoryTransport()
            transport.on(.get, "/*", reply: .init(.ok, headers: [.setCookie: "a=1"]))
            let jar = CookieJar()
            let chain = try chain(transport, CookieMiddleware(jar, use: use))
            let url = "https://www.example.com/"
            _ = try await chain.send(.get(url))
            #expect(jar.count == (first ? 1 : 0), "\(use)")
            _ = try await chain.send(.get(url))
            #expect(transport.requests.last?.headers[.cookie] == second, "\(use)")
            _ = try await chain.send(.get(url).cookies(.on))
            #expect(jar.count == 1)
            _ = try await chain.send(.get(url).cookies(.on))
            #expect(transport.requests.last?.headers[.cookie] == "a=1")
        }
    }

    @Test("The stage tells why a cookie is not stored")
    func outcomes() async throws {
        let transport = InMemoryTransport()
        var headers = HTTPFields()
        for value in ["a=1", "b=2; Domain=com", "c=3; Secure", "=\u{1}"] {
            headers.append(HTTPField(name: .setCookie, value: value))
        }
        transport.enqueue(.init(.ok, headers: headers))
        let jar = CookieJar()
        let response = try await chain(transport, CookieMiddleware(jar)).send(.get("http://www.example.com/"))
        #expect(
            response.cookieOutcomes.map(\.reason?.description).prefix(3).map { $0 ?? "" } == [
                "", "the Domain attribute is a public suffix", "a Secure cookie needs a secure connection",
            ]
        )
        #expect(await jar.cookies().map(\.name).first == "a")
    }

    @Test("The stage leaves a call's own Cookie field alone, or joins it where the call says so")
    func ownField() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*", reply: .text("ok"))
        let jar = CookieJar()
        try await jar.set([
            Cookie("a", "1", domain: "www.example.com"), Cookie("b", "2", domain: "www.example.com"),
        ])
        let chain = try chain(transport, CookieMiddleware(jar))
        let url = "https://www.example.com/"
        _ = try await chain.send(.get(url, headers: [.cookie: "a=own"]))
        _ = try await chain.send(.get(url, headers: [.cookie: "a=own"]).cookies(.joined))
        _ = try await chain.send(.get(url).cookies(["b": "call", "c": "3"]))
        _ = try await chain.send(.get(url).cookies(.off))
        _ = try await chain.send(.get(url))
        #expect(
            transport.requests.map { $0.headers[.cookie] } == [
                "a=own", "a=own; b=2", "b=call; c=3; a=1", nil, "a=1; b=2",
            ]
        )
    }

    @Test("The stage sends a call's own cookies without a jar too, and if the call or the stage doesn't use the jar")
    func ownCookiesAlone() async throws {
        let jar = CookieJar()
        try await jar.set([Cookie("a", "1", domain: "www.example.com")])
        let url = "https://www.example.com/"
        for (stage, use) in [
            (CookieMiddleware { _ in nil }, CookieUse?.none), (CookieMiddleware(jar, use: .off), nil),
            (CookieMiddleware(jar), .off), (CookieMiddleware(jar, use: CookieUse(sends: false)), nil),
        ] {
            let transport = InMemoryTransport()
            transport.on(.get, "/*", reply: .text("ok"))
            let chain = try chain(transport, stage)
            func send(_ request: consuming Request) async throws {
                if let use { request = request.cookies(use) }
                _ = try await chain.send(request)
            }
            try await send(.get(url).cookies(["language": "de", "size": "2"]))
            try await send(.get(url, headers: [.cookie: "b=own"]).cookies(["language": "de"]))
            try await send(.get(url, headers: [.cookie: "b=own"]))
            try await send(.get(url))
            #expect(
                transport.requests.map { $0.headers[.cookie] } == [
                    "language=de; size=2", "b=own; language=de", "b=own", nil,
                ]
            )
            await #expect(throws: CookieError.self) { try await send(.get(url).cookies(["a;b": "1"])) }
        }
    }

    @Test("A call's own cookies are added to those that it has, and replace those with the same names")
    func ownCookiesAdded() {
        let request = Request.get("/").cookies(["a": "1", "b": "2"]).cookies(["b": "3", "c": "4"]).cookies([:])
        #expect(request.cookies == [CallCookie("a", "1"), CallCookie("b", "3"), CallCookie("c", "4")])
    }

    @Test("The stage refuses cookies of a call that would be read otherwise than they are meant")
    func unsound() async throws {
        let transport = InMemoryTransport()
        let chain = try chain(transport, CookieMiddleware())
        for (name, value) in [
            ("a;b", "1"), ("a", "1; admin=1"), ("a", "1\r\nX: y"), ("a=b", "1"), ("", "a=b"), ("", ""),
        ] {
            await #expect(throws: CookieError.self, "\(name)=\(value)") {
                try await chain.send(.get("https://www.example.com/").cookies([name: Secret(value)]))
            }
        }
        #expect(transport.requests.isEmpty)
    }

    @Test("The stage has a jar for each user, changed at run time")
    func jars() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*") { request in
            .init(.ok, headers: [.setCookie: "user=\((request.head.path ?? "").dropFirst()); Path=/"])
        }
        let jars = ["ada": CookieJar(), "ben": CookieJar()]
        let user = Locked<String?>("ada")
        let chain = try Chain(transport: transport) {
            CookieMiddleware { _ in user.withLock { $0 }.flatMap { jars[$0] } }
        }
        for name in ["ada", "ben", nil, "ada"] {
            user.withLock { $0 = name }
            _ = try await chain.send(.get("https://www.example.com/\(name ?? "nobody")"))
        }
        #expect(transport.requests.map { $0.headers[.cookie] } == [nil, nil, nil, "user=ada"])
        #expect(await jars["ben"]?.cookies().map(\.value.revealed) == ["ben"])
    }

    @Test("The stage reads the environment's clock")
    func virtualTime() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*", reply: .init(.ok, headers: [.setCookie: "a=b; Max-Age=60"]))
        let clock = VirtualClock()
        let chain = try Chain(transport: transport, environment: ChainEnvironment(time: clock)) { CookieMiddleware() }
        _ = try await chain.send(.get("https://www.example.com/").cookies(.on))
        clock.advance(by: .seconds(59))
        _ = try await chain.send(.get("https://www.example.com/").cookies(.sendOnly))
        clock.advance(by: .seconds(1))
        _ = try await chain.send(.get("https://www.example.com/"))
        #expect(transport.requests.map { $0.headers[.cookie] } == [nil, "a=b", nil])
    }

    @Test("The stage is refused twice in a chain, and over a transport with cookies of its own")
    func problems() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                CookieMiddleware()
                CookieMiddleware()
            }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport(capabilities: .handlesCookies)) { CookieMiddleware() }
        }
        #expect(CookieMiddleware().capabilities(over: []) == .handlesCookies)
    }

    @Test("The stage shows no value in a description, an outcome, a change or an explanation")
    func secrets() async throws {
        let jar = CookieJar()
        let changes = jar.changes
        try await jar.store(["sid=hunter2; Secure", "x=hunter2; Domain=com"], from: "https://www.example.com/")
        let texts = [
            "\(await jar.cookies())", "\(await jar.explain("https://www.example.com/?sid=hunter2"))",
            "\(CallCookie("a", "hunter2"))", "\(Request.get("/").cookies(["a": "hunter2"]).options)", "\(CookieUse.on)",
        ]
        for text in texts { #expect(!text.contains("hunter2")) }
        for await change in changes {
            #expect("\(change)".hasPrefix("added") && !"\(change)".contains("hunter2"))
            break
        }
    }
}

@Suite("A trace of a call with cookies")
struct CookieTraceTests {
    @Test("A trace says why each cookie was not sent, not stored or evicted, and no value")
    func reasons() async throws {
        let transport = InMemoryTransport()
        var headers = HTTPFields()
        for value in ["a=hunter2; Path=/", "b=hunter2; Domain=com", "new=hunter2; Path=/"] {
            headers.append(HTTPField(name: .setCookie, value: value))
        }
        transport.on(.get, "/*", reply: .init(.ok, headers: headers))
        var limits = CookieLimits()
        limits.perDomain = 3
        let jar = CookieJar(limits: limits)
        let url = "http://www.example.com/x"
        try await jar.set([
            Cookie("own", "hunter2", domain: "www.example.com"),
            Cookie("secure", "hunter2", domain: "www.example.com", isSecure: true),
        ])
        let chain = try Chain(transport: transport) { CookieMiddleware(jar) }
        let call = await chain.trace(.get(url).cookies(["own": "hunter2"]))
        let notes = call.trace.spans[0].notes
        #expect(notes[0].hasPrefix("not sent, because it needs a secure connection: secure="))
        #expect(notes[1].hasPrefix("not sent, because the call has a cookie of that name: own="))
        #expect(notes[2] == "a: stored for www.example.com")
        #expect(notes[3] == "b: not stored, because the Domain attribute is a public suffix")
        #expect(notes[4] == "new: stored for www.example.com")
        #expect(notes[5].hasPrefix("removed, because the jar has no room: own="))
        #expect(notes.count == 6)
        #expect("\(call.trace)".contains("not sent, because it needs a secure connection"))
        #expect(call.trace.html().contains("the jar has no room"))
        #expect(!"\(call.trace)\(call.trace.html())".contains("hunter2"))
    }

    @Test("A trace says that a call sends none because of its own field, or because cookies are off")
    func none() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/*", reply: .text("ok"))
        let jar = CookieJar()
        try await jar.set([Cookie("a", "1", domain: "www.example.com")])
        let chain = try Chain(transport: transport) { CookieMiddleware(jar) }
        let url = "https://www.example.com/"
        let own = await chain.trace(.get(url, headers: [.cookie: "b=2"]))
        #expect(own.trace.spans[0].notes == ["sends none of the jar's cookies: the call has its own Cookie field"])
        let off = await chain.trace(.get(url).cookies(.off))
        #expect(off.trace.spans[0].notes == ["sends none of the jar's cookies, as set by the call or the stage"])
        #expect(await chain.trace(.get(url)).trace.spans[0].notes.isEmpty)
    }
}
#endif
