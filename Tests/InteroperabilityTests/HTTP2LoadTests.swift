#if AllTests
import Foundation
import HTTPChain
import HTTPTypes
import TestSupport
import Testing

/// What a hundred calls at once meet when connections over HTTP/2 end: 200 calls, or 2,000 in full drills, which have the
/// presets, too.
@Suite("Over HTTP/2, a hundred calls at once", .serialized, .heavy, .timeLimit(.minutes(10)))
struct HTTP2LoadTests {
    @Test(
        "While nginx is reloaded, no GET is lost and no POST done twice",
        arguments: Carrier.trusting,
        Drill.isFull ? FrameChain.allCases : [.retry, .readme]
    )
    func reload(carrier: Carrier, chain: FrameChain) async throws {
        guard let load = Load(.front) else { return }
        let turns = Drill.isFull ? [0.17, 0.37, 0.57, 0.77] : [0.2, 0.6]
        let outcomes = try await load.send(
            through: load.chain(chain, over: carrier),
            giving: "nginx/reload",
            at: turns
        ) { number in
            "/ok?ms=\(20 + number * 37 % 150)"
        }
        try await load.check(outcomes)
    }

    @Test(
        "While nginx is killed and started again, every call ends and no POST is done twice",
        arguments: Carrier.trusting
    )
    func kill(carrier: Carrier) async throws {
        guard let load = Load(.front) else { return }
        // All calls in flight fail at once, which is more than a budget has retries for.
        let retry = RetryMiddleware(RetryPolicy(maximumAttempts: 6), budget: nil)
        let chain = try load.chain(.retry, over: carrier).replacing(RetryMiddleware.self, with: retry)
        let began = ContinuousClock.now
        let turns = Drill.isFull ? [0.2, 0.5, 0.8] : [0.4]
        let outcomes = try await load.send(through: chain, giving: "nginx/kill", at: turns) { number in
            "/ok?ms=\(20 + number * 37 % 150)"
        }
        #expect(began.duration(to: .now) < .seconds(120))
        try await load.check(outcomes) { error in
            guard let error = error as? TransportError else { return false }
            // While nginx is down, in a handshake that it ends, and in a response.
            return [.cannotConnect, .secureConnectionFailed].contains(error.kind) || error.sent == .answered
        }
    }

    @Test(
        "Where connections end by GOAWAY, or streams are refused, no GET is lost and no POST done twice",
        arguments: Carrier.trusting,
        // SwiftNIO's HTTP/2 closes a connection with 200 refusals in 30 seconds.
        ["goaway?streams=100", "refuse?streams=20"]
    )
    func frames(carrier: Carrier, mode: String) async throws {
        guard let load = Load(.frames) else { return }
        let outcomes = try await load.send(through: load.chain(.retry, over: carrier)) { number in
            "/lives/\(mode)&ms=\(20 + number * 37 % 100)"
        }
        try await load.check(outcomes)
    }

    @Test(
        "A POST is not done twice when its connection ends for being idle just then, over HTTP/1.1 either",
        arguments: Carrier.trusting,
        [Server.idle, .idlePlain]
    )
    func idle(carrier: Carrier, server: Server) async throws {
        guard let load = Load(server) else { return }
        let outcomes = try await load.sendPaced(callers: 40, posts: Drill.isFull ? 30 : 2, over: carrier)
        try await load.check(outcomes)
    }
}

/// Many calls to one server, which counts them.
private struct Load {
    struct Outcome: Sendable {
        let name: String
        let method: HTTPRequest.Method
        /// Nil if it was answered.
        let error: (any Error)?
    }

    private let server: FrameServer
    private let name = UUID().uuidString

    init?(_ server: Server) {
        guard let server = FrameServer(server) else { return nil }
        self.server = server
    }

    /// A chain to the server with a deadline that no call meets.
    func chain(_ chain: FrameChain, over carrier: Carrier) throws -> Chain {
        try chain.chain(to: server.base, over: carrier, deadline: .seconds(120))
    }

    /// Sends calls, a hundred at once; three of ten are POSTs.
    ///
    /// - Parameters:
    ///   - command: A command for the server, such as `nginx/reload`.
    ///   - turns: The parts of the calls after which it is given.
    func send(
        through chain: Chain,
        giving command: String = "",
        at turns: [Double] = [],
        path: @escaping @Sendable (Int) -> String
    ) async throws -> [Outcome] {
        let total = Drill.isFull ? 2000 : 200
        let (begun, ended) = (Counter(), Counter())
        return try await withThrowingTaskGroup(of: [Outcome].self) { group in
            for _ in 0..<100 {
                group.addTask {
                    var outcomes: [Outcome] = []
                    while true {
                        let number = begun.add()
                        guard number <= total else { return outcomes }
                        let method: HTTPRequest.Method = number % 10 < 7 ? .get : .post
                        outcomes.append(await call(chain, method, path(number), number))
                        ended.add()
                    }
                }
            }
            for turn in turns {
                try await ended.wait(until: Int(Double(total) * turn))
                try await server.command(command)
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Sends POSTs of callers with a connection each, a second apart, which is when nginx ends an idle connection.
    func sendPaced(callers: Int, posts: Int, over carrier: Carrier) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: [Outcome].self) { group in
            for caller in 0..<callers {
                let chain = try FrameChain.retry.chain(to: server.base, over: carrier)
                group.addTask {
                    var outcomes: [Outcome] = []
                    for post in 0..<posts {
                        outcomes.append(await call(chain, .post, "/ok", caller * posts + post))
                        // Around the second, differently for each.
                        let shift = (caller * 7 + post * 13) % 41 - 20
                        try await Task.sleep(for: .microseconds(1_000_000 + shift * 150), tolerance: .zero)
                    }
                    return outcomes
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func call(_ chain: Chain, _ method: HTTPRequest.Method, _ path: String, _ number: Int) async -> Outcome {
        let name = "\(name)-\(method)-\(number)"
        let body: HTTPBody = method == .get ? .empty : "hunter2"
        do {
            _ = try await chain.send(FrameServer.request(method, path, named: name, body: body)).body.text()
            return Outcome(name: name, method: method, error: nil)
        } catch {
            return Outcome(name: name, method: method, error: error)
        }
    }

    /// Compares the outcomes of the callers with the server's counts.
    ///
    /// - Parameter mayEnd: Whether a GET may end with an error; never by default.
    func check(_ outcomes: [Outcome], mayEnd: (any Error) -> Bool = { _ in false }) async throws {
        let counts = try await server.counts(name)
        Drill.report("http2-calls", outcomes.count)
        for outcome in outcomes {
            let processed = counts[outcome.name]?.processed ?? 0
            if outcome.method == .get {
                let error = outcome.error.map { mayEnd($0) ? "" : "\($0)" } ?? ""
                #expect(error.isEmpty, "\(outcome.name) was lost")
            } else {
                #expect(processed <= 1, "\(outcome.name)")
            }
            if outcome.error == nil { #expect(processed >= 1, "\(outcome.name) was answered") }
            if let error = outcome.error as? TransportError, error.sent == .nothing {
                #expect(processed == 0, "\(outcome.name) was sent: \(error)")
            }
        }
    }
}
#endif
