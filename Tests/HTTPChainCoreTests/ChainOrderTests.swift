import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@Suite("The order of a chain")
struct ChainOrderTests {
    @Test("The order that is recommended is accepted")
    func recommended() throws {
        let stages = Phase.standard.map { Marker("\($0)", $0) }
        #expect(try Chain(stages, transport: ClosureTransport()).stages.count == Phase.standard.count)
    }

    @Test("The order of any two phases is refused when it is wrong")
    func pairs() throws {
        for outer in Phase.standard {
            for inner in Phase.standard where inner.isOutside(outer) {
                let error = #expect(throws: ChainOrderError.self) {
                    try Chain([Marker("outer", outer), Marker("inner", inner)], transport: ClosureTransport())
                }
                #expect(error?.problems.map(\.stage) == ["inner"])
            }
        }
    }

    @Test("The order is explained with the reason and the fix when it is wrong")
    func message() throws {
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: ClosureTransport()) {
                Marker("BearerAuthMiddleware", .authenticate)
                Marker("WireLogMiddleware", .wire)
                Marker("RetryMiddleware", .retry)
            }
        }
        #expect(
            error?.problems == [
                ChainProblem(
                    stage: "RetryMiddleware",
                    problem: "RetryMiddleware must be outside BearerAuthMiddleware: each attempt gets a fresh "
                        + "token and passes the breaker, the limits and the attempt's own deadline",
                    fix: "move it above BearerAuthMiddleware"
                )
            ]
        )
        #expect(error?.description.contains("move it above BearerAuthMiddleware") == true)
        #expect(error?.description.contains("order: .unchecked") == true)
    }

    @Test("The order that the error advises is accepted")
    func fixes() throws {
        #expect(throws: Never.self) {
            try Chain(transport: ClosureTransport()) {
                Marker("RetryMiddleware", .retry)
                Marker("BearerAuthMiddleware", .authenticate)
                Marker("WireLogMiddleware", .wire)
            }
        }
    }

    @Test("The order knows phases of the user's own, between two of the package's and between two of their own")
    func ownPhases() throws {
        let sign = Phase("sign", between: .authenticate, and: .attempt, because: "it signs the credentials too")
        let seal = Phase("seal", between: sign, and: .attempt, because: "it seals the signature")
        #expect(throws: Never.self) {
            try Chain(transport: ClosureTransport()) {
                Marker("auth", .authenticate)
                Marker("sign", sign)
                Marker("seal", seal)
                Marker("limit", .attempt)
            }
        }
        let error = #expect(throws: ChainOrderError.self) {
            try Chain([Marker("seal", seal), Marker("sign", sign)], transport: ClosureTransport())
        }
        #expect(
            error?.problems.map(\.problem) == ["sign must be outside seal: it signs the credentials too"]
        )
        #expect(throws: ChainOrderError.self) {
            try Chain([Marker("limit", .attempt), Marker("sign", sign)], transport: ClosureTransport())
        }
        #expect(!Phase.anywhere.isOutside(sign) && !sign.isOutside(.anywhere))
        #expect(Phase("x", between: .anywhere, and: .wire, because: "").isOutside(.wire) == false)
    }

    @Test("The order is that of the constant where a stage declares its phase as one")
    func constantPhase() throws {
        struct Wire: Middleware {
            let phase: Phase = .wire
            func intercept(_ request: Request, next: Next) async throws -> Response { try await next(request) }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain([Wire(), Marker("retry", .retry)], transport: ClosureTransport())
        }
    }

    @Test("The order does not bind stages without a phase, nor stages of one phase among themselves")
    func free() throws {
        #expect(throws: Never.self) {
            try Chain(transport: ClosureTransport()) {
                Marker("wire 2", .wire)
                Marker("free")
                Marker("wire 1", .wire)
            }
        }
    }

    @Test("The order is not checked where the caller says so")
    func unchecked() throws {
        let chain = try Chain(transport: ClosureTransport(), order: .unchecked) {
            Marker("b", .wire)
            Marker("a", .failure)
        }
        #expect(try chain.appending(Marker("c", .failure)).stages.count == 3)
    }

    @Test("The order refuses stages that the transport makes pointless")
    func capabilities() throws {
        let transport = ClosureTransport(capabilities: [.followsRedirects, .caches])
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: transport) {
                Marker("RedirectMiddleware", .redirect)
                Marker("CacheMiddleware", .cache)
            }
        }
        #expect(error?.problems.map(\.stage) == ["RedirectMiddleware", "CacheMiddleware"])
        #expect(error?.description.contains("ClosureTransport follows redirects itself") == true)
    }

    @Test("The order is judged by the stages themselves, too, who see their surroundings")
    func ownProblems() throws {
        struct Cache: ChainAwareMiddleware {
            let isPartitioned: Bool
            var phase: Phase { .cache }
            func problems(at place: ChainPlace) -> [ChainProblem] {
                guard !isPartitioned, let auth = place.inside.first(where: { $0.phase == .authenticate }) else {
                    return []
                }
                return [
                    ChainProblem(
                        stage: summary.name,
                        problem: "\(summary.name) would share one user's replies with the next (\(auth.summary.name))",
                        fix: "give it a partition"
                    )
                ]
            }
            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                try await next(request)
            }
        }
        let auth = Marker("BearerAuthMiddleware", .authenticate)
        let error = #expect(throws: ChainOrderError.self) {
            try Chain([Cache(isPartitioned: false), auth], transport: ClosureTransport())
        }
        #expect(error?.problems.first?.fix == "give it a partition")
        #expect(throws: Never.self) { try Chain([Cache(isPartitioned: true), auth], transport: ClosureTransport()) }
        #expect(throws: Never.self) { try Chain([Cache(isPartitioned: false)], transport: ClosureTransport()) }
    }
}

@Suite("Editing a chain")
struct ChainEditingTests {
    private struct Special: Middleware {
        func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
    }

    private func names(_ chain: Chain) -> [String] { chain.stages.map(\.summary.name) }

    @Test("Editing makes a new chain and leaves the old one as it was")
    func edits() throws {
        let chain = try Chain(transport: ClosureTransport()) {
            Marker("a")
            Special()
            Marker("b")
        }
        #expect(names(try chain.appending(Marker("c"))) == ["a", "Special", "b", "c"])
        #expect(names(try chain.appending(Marker("c"))) == ["a", "Special", "b", "c"])
        #expect(names(try chain.inserting(Marker("x"), before: Special.self)) == ["a", "x", "Special", "b"])
        #expect(names(try chain.inserting(Marker("x"), after: Marker.self)) == ["a", "Special", "b", "x"])
        #expect(names(try chain.replacing(Special.self, with: Marker("x"))) == ["a", "x", "b"])
        #expect(names(try chain.removing(Marker.self)) == ["Special"])
        #expect(names(chain) == ["a", "Special", "b"])
    }

    @Test("Editing keeps the stages around another transport")
    func over() async throws {
        let chain = try Chain(transport: ClosureTransport()) { Special() }
        let other = try chain.over(ClosureTransport { _ in Response(.accepted) })
        #expect(try await other.send(.get("http://h/")).status == .accepted)
        #expect(names(other) == ["Special"])
    }

    @Test("Editing checks the order again")
    func order() throws {
        let chain = try Chain(transport: ClosureTransport()) { Marker("wire", .wire) }
        #expect(throws: ChainOrderError.self) { try chain.appending(Marker("retry", .retry)) }
        #expect(throws: Never.self) { try chain.inserting(Marker("retry", .retry), before: Marker.self) }
    }

    @Test("Editing that names a stage that is not there says which there are")
    func missing() throws {
        let chain = try Chain(transport: ClosureTransport()) { Marker("a") }
        let error = #expect(throws: ChainEditError.self) { try chain.removing(Special.self) }
        #expect(error?.reason == "there is no Special in the chain; it has a")
    }
}
