import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainRedirect

extension StageHarness.Answer {
    static func redirect(_ location: String, _ code: Int = 302, headers: HTTPFields = [:]) -> StageHarness.Answer {
        .status(.init(code: code), headers: headers + [.location: location])
    }

    /// A redirect with a cookie, as a stage hands it on that has stored it.
    static func redirectWithStoredCookie(_ location: String) -> StageHarness.Answer {
        var response = Response(.found, headers: [.location: location, .setCookie: "seen=1"])
        response.options[CookiesStoredFact.self] = true
        return .response(response)
    }
}

@Suite("The redirect stage", .timeLimit(.minutes(10)))
struct RedirectMiddlewareTests {
    private func send(
        _ request: Request = .get("https://a.example/a"),
        _ policy: RedirectPolicy = .standard,
        _ answers: StageHarness.Answer...
    ) async -> StageHarness.Outcome {
        await StageHarness(RedirectMiddleware(policy)).send(request, answering: answers)
    }

    private func error(_ outcome: StageHarness.Outcome) throws -> RedirectError {
        try #require(outcome.error as? RedirectError)
    }

    @Test("The stage follows redirects to the end and lists the hops")
    func follows() async throws {
        let outcome = await send(
            .post("https://a.example/a#top", body: "text"),
            .standard,
            .redirect("b", 308),
            .redirect("//user:secret@b.example/c?d#own", 303),
            .redirect("/e", 301),
            .ok("done")
        )
        let response = try outcome.response()
        #expect(try await response.body.text() == "done")
        #expect(
            response.hops == [
                RedirectHop(
                    status: .permanentRedirect,
                    from: "https://a.example/a#top",
                    to: "https://a.example/b#top",
                    method: .post
                ),
                RedirectHop(
                    status: .seeOther,
                    from: "https://a.example/b#top",
                    to: "https://b.example/c?d#own",
                    method: .get
                ),
                RedirectHop(
                    status: .movedPermanently,
                    from: "https://b.example/c?d#own",
                    to: "https://b.example/e#own",
                    method: .get
                ),
            ]
        )
        #expect(
            outcome.requests.map { "\($0.head.method) \($0.url) \($0.body.length ?? -1)" } == [
                "POST https://a.example/a 4", "POST https://a.example/b 4", "GET https://b.example/c?d 0",
                "GET https://b.example/e 0",
            ]
        )
    }

    @Test("A hop shows no secret of a query, and no fragment")
    func hopDescription() {
        let hop = RedirectHop(
            status: .found,
            from: "https://a.example/?token=1",
            to: "https://b.example/#access_token=2",
            method: .get
        )
        #expect("\(hop)" == "302 https://a.example/?token=<redacted> → GET https://b.example/")
    }

    @Test(
        "A response that is no redirect passes, Location or not",
        arguments: [200, 201, 202, 300, 304, 305, 306, 309, 399, 404]
    )
    func notRedirects(code: Int) async throws {
        let outcome = await send(.get("https://a.example/"), .standard, .redirect("/b", code))
        #expect(try outcome.response().status.code == code)
        #expect(try outcome.response().hops.isEmpty)
    }

    @Test("A redirect that names no target to ask passes, its body unread")
    func noTarget() async throws {
        for headers: HTTPFields in [[:], [.location: "myapp://callback"], [.location: "https:///"]] {
            let outcome = await send(
                .get("https://a.example/"),
                .standard,
                .status(302, headers: headers, body: "text")
            )
            #expect(try await outcome.response().body.text() == "text")
        }
        var two = HTTPFields([HTTPField(name: .location, value: "/b")])
        two.append(HTTPField(name: .location, value: "/c"))
        #expect(
            try await send(.get("https://a.example/"), .standard, .status(302, headers: two)).response().status
                == .found
        )
    }

    @Test("CONNECT is not followed, OPTIONS for the server as a whole is")
    func specialMethods() async throws {
        let connect = await send(Request(.connect, "https://a.example/"), .standard, .redirect("/b"))
        #expect(try connect.response().status == .found)
        var options = Request.options("https://a.example/")
        options.head.path = "*"
        let outcome = await send(options, .standard, .redirect("b", 307), .ok)
        #expect(outcome.requests.last?.url == "https://a.example/b")
        #expect(outcome.requests.last?.head.method == .options)
    }

    @Test("HEAD stays HEAD")
    func head() async {
        for code in [301, 302, 303, 307, 308] {
            let outcome = await send(.head("https://a.example/"), .standard, .redirect("/b", code), .ok)
            #expect(outcome.requests.last?.head.method == .head)
        }
    }

    @Test("What was dropped on the way to another origin does not come back with the way home")
    func thereAndBack() async throws {
        let outcome = await send(
            .get("https://a.example/a", headers: [.authorization: "Bearer secret", .accept: "text/html"]),
            .standard,
            .redirect("/b"),
            .redirect("https://b.example/"),
            .redirect("https://a.example/c"),
            .ok
        )
        #expect(outcome.requests.map { $0.head.headerFields[.authorization] != nil } == [true, true, false, false])
        #expect(outcome.requests.allSatisfy { $0.head.headerFields[.accept] == "text/html" })
    }

    @Test("What a policy does not follow is the response, whole")
    func stopped() async throws {
        for policy in [RedirectPolicy.never, .sameOrigin, .httpsOnly] {
            let answer = StageHarness.Answer.status(302, headers: [.location: "http://b.example/"], body: "moved")
            let outcome = await send(.get("https://a.example/"), policy, answer)
            #expect(try outcome.response().status == .found)
            #expect(try await outcome.response().body.text() == "moved")
        }
    }

    @Test("A stop after some hops still tells them")
    func stoppedLater() async throws {
        let outcome = await send(
            .get("https://a.example/"),
            .sameOrigin,
            .redirect("/b"),
            .redirect("https://c.example/")
        )
        #expect(try outcome.response().status == .found)
        #expect(try outcome.response().hops.map(\.to) == ["https://a.example/b"])
    }

    @Test("A policy of one call takes the place of the stage's")
    func perCall() async throws {
        let never = await send(.get("https://a.example/").redirects(.never), .standard, .redirect("/b"))
        #expect(try never.response().status == .found)
        let more = await send(.get("https://a.example/").redirects(.limited(1)), .never, .redirect("/b"), .ok)
        #expect(try more.response().status == .ok)
        // It holds for the whole call.
        let two = await send(
            .get("https://a.example/").redirects(.limited(1)),
            .never,
            .redirect("/b"),
            .redirect("/c")
        )
        #expect(try error(two).problem == .tooManyHops(limit: 1))
    }

    @Test("One redirect too many is an error with the hops and the redirect")
    func tooMany() async throws {
        let error = try error(
            await send(
                .get("https://a.example/?token=secret"),
                .limited(1),
                .redirect("/b?token=secret"),
                .status(301, headers: [.location: "/c"], body: "moved")
            )
        )
        #expect(error.problem == .tooManyHops(limit: 1))
        #expect(error.hops.count == 1)
        #expect(error.refused.to == "https://a.example/c")
        #expect(try await error.response.body.text() == "moved")
        #expect(
            error.description == """
                RedirectMiddleware: a redirect beyond the limit of 1; raise it with .limited(…), or use .never to \
                receive the redirect
                  GET https://a.example/b?token=<redacted> → 301
                """
        )
    }

    @Test("A chain of redirects without end is cut off, whatever the policy")
    func endless() async throws {
        for (policy, limit) in [
            (RedirectPolicy.standard, 20), (.when("always") { _ in true }, 20), (.limited(3).or(.sameOrigin), 20),
            (.limited(1000), 1000), (.limited(50).or(.sameOrigin), 50),
        ] {
            let count = Locked(0)
            let next = Next(
                to: ClosureTransport { _ in
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    return Response(.found, headers: [.location: "/\(number)"])
                }
            )
            do {
                _ = try await RedirectMiddleware(policy).intercept(.get("https://a.example/"), next: next)
                Issue.record("\(policy) came to an end")
            } catch let error as RedirectError {
                #expect(error.problem == .tooManyHops(limit: limit))
                #expect(error.hops.count == limit)
            }
            #expect(count.withLock { $0 } == limit + 1)
        }
    }

    @Test("A redirect back to a request already sent is a loop")
    func loop() async throws {
        let selfLoop = try error(await send(.get("https://a.example/a"), .standard, .redirect("/a#x")))
        #expect(selfLoop.problem == .loop)
        #expect(selfLoop.reason.contains("https://a.example/a"))
        let longer = try error(
            await send(.get("https://a.example/a"), .standard, .redirect("/b"), .redirect("/c"), .redirect("/a"))
        )
        #expect(longer.problem == .loop)
        #expect(longer.hops.count == 2)
    }

    @Test("The same URL with another method is no loop: after a POST one may be sent to where one was")
    func postThenGet() async throws {
        let outcome = await send(.post("https://a.example/a", body: "x"), .standard, .redirect("/a", 303), .ok)
        #expect(outcome.requests.map(\.head.method) == [.post, .get])
    }

    @Test("A server whose cookie is stored may send back to where the call came from, once for each cookie")
    func cookieLoop() async throws {
        let once = await send(.get("https://a.example/a"), .standard, .redirectWithStoredCookie("/a"), .ok)
        #expect(try once.response().status == .ok)
        let across = await send(
            .get("https://a.example/a"),
            .standard,
            .redirect("/b"),
            .redirectWithStoredCookie("/a"),
            .redirect("/b"),
            .ok
        )
        #expect(try across.response().status == .ok)
        let again = await send(
            .get("https://a.example/a"),
            .standard,
            .redirectWithStoredCookie("/a"),
            .redirect("/a")
        )
        #expect(try error(again).problem == .loop)
    }

    @Test("A cookie that nobody stores is no reason to ask the same again")
    func cookieOfNobody() async throws {
        let outcome = await send(
            .get("https://a.example/a"),
            .standard,
            .redirect("/a", headers: [.setCookie: "seen=1"])
        )
        #expect(try error(outcome).problem == .loop)
        #expect(outcome.requests.count == 1)
    }

    @Test("From https to http is refused by every policy, unless it is allowed", arguments: [301, 302, 303, 307, 308])
    func downgrade(code: Int) async throws {
        let answer = StageHarness.Answer.redirect("http://a.example/b", code)
        for policy in [RedirectPolicy.standard, .limited(3), .when("always") { _ in true }] {
            let outcome = await send(.get("https://a.example/a"), policy, answer)
            #expect(try error(outcome).problem == .downgrade)
            #expect(try error(outcome).description.contains(".allowing(.downgrade)"))
            #expect(outcome.requests.count == 1)
            let allowed = await send(.get("https://a.example/a"), policy.allowing(.downgrade), answer, .ok)
            #expect(try allowed.response().status == .ok)
        }
        let upgrade = await send(.get("http://a.example/a"), .standard, .redirect("https://a.example/b", code), .ok)
        #expect(try upgrade.response().status == .ok)
    }

    @Test(
        "A body does not go to another origin, unless it is allowed",
        arguments: [(307, HTTPRequest.Method.post), (308, .post), (301, .put), (302, .patch)]
    )
    func bodyAcrossOrigins(code: Int, method: HTTPRequest.Method) async throws {
        for target in ["https://b.example/", "https://a.example:8443/"] {
            let request = Request(method, "https://a.example/a", body: "refresh_token=hidden")
            let answer = StageHarness.Answer.redirect(target, code)
            let outcome = await send(request, .standard, answer)
            let origin = try #require(Origin(target))
            #expect(try error(outcome).problem == .bodyToOtherOrigin(origin))
            #expect(try error(outcome).description.contains(".allowing(.bodyToOtherOrigins)"))
            #expect(outcome.requests.count == 1)
            let allowed = await send(request, .standard.allowing(.bodyToOtherOrigins), answer, .ok)
            #expect(try allowed.response().status == .ok)
            #expect(allowed.requests.count == 2)
            #expect(try await allowed.requests.last?.body.text() == "refresh_token=hidden")
            let empty = await send(Request(method, "https://a.example/a"), .standard, answer, .ok)
            #expect(try empty.response().status == .ok)
        }
        let home = await send(
            Request(method, "https://a.example/a", body: "x"),
            .standard,
            .redirect("/b", code),
            .ok
        )
        #expect(try await home.requests.last?.body.text() == "x")
    }

    @Test("One allowance does not bring the other")
    func oneAllowance() async throws {
        let downgrade = await send(
            .get("https://a.example/a"),
            .standard.allowing(.bodyToOtherOrigins),
            .redirect("http://a.example/b")
        )
        #expect(try error(downgrade).problem == .downgrade)
        let body = await send(
            Request(.put, "https://a.example/a", body: "x"),
            .standard.allowing(.downgrade),
            .redirect("http://a.example/b", 307)
        )
        let destination = try #require(Origin("http://a.example/"))
        #expect(try error(body).problem == .bodyToOtherOrigin(destination))
    }

    @Test("From http to http there is nothing to lose, another origin or not")
    func betweenPlainOrigins() async throws {
        for target in ["http://a.example/b", "http://b.example/"] {
            let outcome = await send(.get("http://a.example/a"), .standard, .redirect(target), .ok)
            #expect(try outcome.response().status == .ok)
        }
    }

    @Test("What no longer is a redirect is the end, though it has a Location", arguments: [201, 300, 304])
    func endsWithLocation(code: Int) async throws {
        let outcome = await send(.get("https://a.example/"), .standard, .redirect("/b"), .redirect("/c", code))
        #expect(try outcome.response().status.code == code)
        #expect(outcome.requests.count == 2)
    }

    @Test("User information of the request is in no hop, and not in the next request")
    func userInformation() async throws {
        var request = Request.get("https://a.example/a")
        request.head.authority = "user:secret@a.example"
        let outcome = await send(request, .standard, .redirect("b"), .ok)
        #expect(outcome.requests.last?.head.authority == "a.example")
        #expect(try outcome.response().hops.first?.from == "https://a.example/a")
    }

    @Test("Where a request went that names no server, nobody knows, and so its redirect is the response")
    func unknownBase() {
        var request = Request.get("https://a.example/a")
        request.head.scheme = nil
        request.head.authority = nil
        var journey = RedirectJourney(request, policy: .standard, redaction: .standard)
        let redirect = HTTPResponse(status: .found, headerFields: [.location: "https://b.example/"])
        for sent in [nil, request.head] {
            guard case .finish = journey.step(for: redirect, sentAs: sent) else {
                Issue.record("it was followed")
                continue
            }
        }
        #expect(journey.hops.isEmpty)
    }

    @Test("What one part of a combined policy allows, the whole allows")
    func combinedAllowance() async throws {
        let policy = RedirectPolicy.limited(3).allowing(.downgrade).and(.when("x") { _ in true })
        let outcome = await send(.get("https://a.example/a"), policy, .redirect("http://a.example/b"), .ok)
        #expect(try outcome.response().status == .ok)
        #expect("\(policy)" == "(limited(3) allowing http and x)")
    }

    @Test("A request without redirects gets the redirect, whatever the policy; so does one with the policy never")
    func withoutRedirects() async throws {
        for request in [
            Request.get("https://a.example/a").redirects(false), .get("https://a.example/a").redirects(.never),
        ] {
            #expect(request.options[NoRedirectsNote.self])
            let outcome = await send(request, .standard, .redirect("/b"))
            #expect(try outcome.response().status == .found)
        }
    }

    @Test("A body that can be read once is not sent again: an error says what to do")
    func oneShot() async throws {
        func body() -> HTTPBody { .chunks(["x"], length: 1) }
        for (code, method) in [(307, HTTPRequest.Method.post), (308, .post), (301, .put), (302, .patch)] {
            let outcome = await send(
                Request(method, "https://a.example/a", body: body()),
                .standard,
                .status(.init(code: code), headers: [.location: "/b"], body: "moved")
            )
            let error = try error(outcome)
            #expect(error.problem == .bodyNotReplayable)
            #expect(error.description.contains("HTTPBody.replayable"))
            #expect(try await error.response.body.text() == "moved")
        }
        let outcome = await send(.post("https://a.example/a", body: body()), .standard, .redirect("/b", 303), .ok)
        #expect(try outcome.response().status == .ok)
    }

    @Test("A policy may refuse with a reason, and a secret in the URL is not shown")
    func refused() async throws {
        let policy = RedirectPolicy("no") { _ in .refuse(.refused("not this way")) }
        let error = try error(
            await send(.get("https://a.example/"), policy, .redirect("/b?token=secret#id_token=secret"))
        )
        #expect(error.problem == .refused("not this way"))
        #expect(error.reason == "the redirect to https://a.example/b?token=<redacted> is refused: not this way")
    }

    @Test("A target with user information is shown without it and without its fragment, which may be a token")
    func refusedUserInformation() async throws {
        let policy = RedirectPolicy("no") { _ in .refuse(.refused("not this way")) }
        let target = "https://bob:hunter2@a.example/b#hunter2"
        let error = try error(await send(.get("https://a.example/"), policy, .redirect(target)))
        #expect(error.reason == "the redirect to https://<redacted>@a.example/b is refused: not this way")
    }

    @Test("An error on a later hop passes as it is")
    func laterError() async {
        let lost = TransportError(.connectionLost, sent: .nothing, stage: "test")
        let outcome = await send(.get("https://a.example/"), .standard, .redirect("/b"), .failure(lost))
        #expect((outcome.error as? TransportError)?.kind == .connectionLost)
    }

    @Test("After a redirect from a POST to a GET, no error says that nothing was sent")
    func errorAfterWrite() async throws {
        let unsent = TransportError(.cannotConnect, sent: .nothing, stage: "test")
        for (method, code, sent) in [
            (HTTPRequest.Method.post, 303, TransportError.Sent.maybe), (.post, 307, .nothing), (.get, 303, .nothing),
        ] {
            let request = Request(method, "https://a.example/", body: method == .get ? .empty : "x")
            let outcome = await send(request, .standard, .redirect("/b", code), .failure(unsent))
            let error = try #require(outcome.error as? TransportError)
            #expect(error.kind == .cannotConnect && error.sent == sent, "\(method) \(code)")
        }
    }

    @Test("Cancelling on a later hop ends the call")
    func cancellation() async throws {
        try await StageHarness(RedirectMiddleware()).drive(.get("https://a.example/")) { run in
            try await run.nextCall().answer(Response(.found, headers: [.location: "/b"]))
            let second = try await run.nextCall()
            second.hold()
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.response() }
        }
    }

    @Test("A request that became absolute further in is followed from there")
    func relative() async throws {
        let first = StageHarness.Answer.perform { _ in
            var response = Response(.found, headers: [.location: "c"])
            response.request = Request.get("https://a.example/b/x").head
            return response
        }
        let outcome = await send(.get("x", headers: [.authorization: "Bearer secret"]), .standard, first, .ok)
        #expect(outcome.requests.last?.url == "https://a.example/b/c")
        #expect(outcome.requests.last?.head.headerFields[.authorization] == "Bearer secret")
        let unknown = await send(.get("x"), .standard, .redirect("/b"))
        #expect(try unknown.response().status == .found)
    }
}
