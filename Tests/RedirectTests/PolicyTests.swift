import HTTPChainCore
import HTTPChainRedirect
import HTTPTypes
import Testing

@Suite("A redirect policy")
struct PolicyTests {
    private func proposal(_ from: String, _ to: String, after count: Int = 0) -> RedirectProposal {
        let hop = RedirectHop(status: .found, from: from, to: to, method: .get)
        return RedirectProposal(
            response: HTTPResponse(status: .found),
            hop: hop,
            hops: Array(repeating: hop, count: count)
        )
    }

    @Test("A limit lets that many pass, and refuses one more")
    func limited() {
        for limit in [0, 1, 10] {
            let policy = RedirectPolicy.limited(limit)
            if limit > 0 { #expect(policy.decision(on: proposal("http://a", "http://b", after: limit - 1)) == .follow) }
            #expect(
                policy.decision(on: proposal("http://a", "http://b", after: limit))
                    == .refuse(.tooManyHops(limit: limit))
            )
        }
        #expect(
            RedirectPolicy.limited(-1).decision(on: proposal("http://a", "http://b")) == .refuse(.tooManyHops(limit: 0))
        )
    }

    @Test(
        "The policy for the same origin compares scheme, host and port",
        arguments: [
            ("https://a.example/", "https://a.example:443/b", true), ("https://a.example/", "http://a.example/", false),
            ("https://a.example/", "https://b.example/", false), ("http://a.example:81/", "http://a.example/", false),
            ("x", "x", false),
        ]
    )
    func sameOrigin(from: String, to: String, follows: Bool) {
        #expect(RedirectPolicy.sameOrigin.decision(on: proposal(from, to)) == (follows ? .follow : .stop))
    }

    @Test("A proposal tells who redirects where, and with what")
    func members() {
        let hop = RedirectHop(
            status: .seeOther,
            from: "https://a.example/x",
            to: "https://a.example:443/y?q",
            method: .get
        )
        let response = HTTPResponse(status: .seeOther, headerFields: [.location: "/y?q"])
        let first = RedirectProposal(response: response, hop: hop)
        #expect(first.hops.isEmpty)
        #expect(first.response == response && first.hop == hop)
        #expect(first.source == Origin("https://a.example") && first.destination == first.source)
        #expect(first.isSameOrigin)
        let other = proposal("https://a.example/", "https://a.example:8443/", after: 2)
        #expect(other.hops.count == 2)
        #expect(other.source == Origin("https://a.example"))
        #expect(other.destination == Origin("https://a.example:8443"))
        #expect(!other.isSameOrigin)
        let none = proposal("x", "x")
        #expect(none.source == nil && none.destination == nil)
        #expect(!none.isSameOrigin, "what has no origin is not of the same")
    }

    @Test("A policy of one's own is given the response that redirects, and the hops before it")
    func ownPolicy() {
        let policy = RedirectPolicy.when("is short and announced") { proposal in
            proposal.hops.isEmpty && proposal.response.headerFields[.server] == "garden"
        }
        let hop = RedirectHop(status: .found, from: "http://a", to: "http://b", method: .get)
        let announced = HTTPResponse(status: .found, headerFields: [.server: "garden"])
        #expect(policy.decision(on: RedirectProposal(response: announced, hop: hop)) == .follow)
        #expect(policy.decision(on: RedirectProposal(response: announced, hop: hop, hops: [hop])) == .stop)
        #expect(policy.decision(on: proposal("http://a", "http://b")) == .stop)
    }

    @Test("The policy for https follows to https alone, wherever the redirect comes from")
    func httpsOnly() {
        for from in ["http://a.example/", "https://a.example/"] {
            #expect(RedirectPolicy.httpsOnly.decision(on: proposal(from, "https://b.example/")) == .follow)
            #expect(RedirectPolicy.httpsOnly.decision(on: proposal(from, "http://a.example/")) == .stop)
        }
    }

    @Test("Combined with and, both must follow and the first that does not decides; with or, one is enough")
    func combining() {
        let yes = RedirectPolicy.when("yes") { _ in true }
        let refusing = RedirectPolicy("refusing") { _ in .refuse(.refused("no")) }
        let any = proposal("http://a", "http://b")
        for (policy, expected) in [
            (yes.and(yes), RedirectPolicy.Decision.follow), (yes.and(.never), .stop),
            (RedirectPolicy.never.and(yes), .stop),
            (refusing.and(.never), .refuse(.refused("no"))), (RedirectPolicy.never.and(refusing), .stop),
            (yes.or(.never), .follow), (RedirectPolicy.never.or(yes), .follow), (refusing.or(.never), .stop),
            (RedirectPolicy.never.or(refusing), .refuse(.refused("no"))),
            (RedirectPolicy.never.or(yes).and(refusing), .refuse(.refused("no"))),
        ] {
            #expect(policy.decision(on: any) == expected, "\(policy)")
        }
    }

    @Test("A call whose policy never follows keeps the transport from following, too")
    func never() {
        func isKept(_ policy: RedirectPolicy) -> Bool {
            Request.get("https://a.example/").redirects(policy).options[NoRedirectsNote.self]
        }
        #expect(isKept(.never) && isKept(.never.and(.standard)) && isKept(.never.or(.never)))
        #expect(!isKept(.never.or(.standard)) && !isKept(.standard))
    }

    @Test("The description of a policy says what it does")
    func description() {
        #expect("\(RedirectPolicy.standard)" == "limited(20)")
        #expect("\(RedirectPolicy.never)" == "never")
        #expect(
            "\(RedirectPolicy.limited(10).and(.sameOrigin.or(.httpsOnly)))"
                == "(limited(10) and (sameOrigin or httpsOnly))"
        )
    }
}
