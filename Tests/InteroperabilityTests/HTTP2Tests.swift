#if AllTests
import Foundation
import HTTPChain
import HTTPTypes
import TestSupport
import Testing

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

@Suite("Over HTTP/2, frame by frame", .heavy, .timeLimit(.minutes(10)))
struct HTTP2Tests {
    @Test(
        "A request that the server certainly did not process is sent again, a POST too",
        arguments: Carrier.trusting,
        ["/reset/REFUSED_STREAM", "/reset/REFUSED_STREAM?at=head", "/goaway/before"]
    )
    func unprocessed(carrier: Carrier, path: String) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.get, path) == .answered("0"))
        #expect(try await run.count(.get) == .init(seen: 2, processed: 1))
        let outcome = try await run.send(.post, path)
        let count = try await run.count(.post)
        if carrier.showsErrorCodes {
            #expect(outcome == .answered("7"))
            #expect(count == .init(seen: 2, processed: 1))
        } else {
            #expect(outcome == .failed(.connectionLost, .maybe))
            #expect(count.processed == 0)
        }
    }

    @Test(
        "A request that the server may have processed is sent again if that does no harm, and otherwise is an error",
        arguments: Carrier.trusting,
        [
            "/reset/CANCEL", "/reset/INTERNAL_ERROR", "/reset/ENHANCE_YOUR_CALM", "/reset/NO_ERROR",
            "/reset/CANCEL?at=head", "/goaway/lost", "/close", "/close?clean=1",
        ]
    )
    func ambiguous(carrier: Carrier, path: String) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.get, path) == .answered("0"))
        #expect(try await run.count(.get) == .init(seen: 2, processed: 2))
        #expect(try await run.send(.post, path) == .failed(.connectionLost, .maybe))
        #expect(try await run.count(.post) == .init(seen: 1, processed: 1))
    }

    @Test("A server that wants HTTP/1.1 gets no POST twice, and a GET again", arguments: Carrier.trusting)
    func oldVersion(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        guard case .answered = try await run.send(.get, "/reset/HTTP_1_1_REQUIRED") else {
            Issue.record("the GET was lost")
            return
        }
        #expect(try await run.count(.get) == .init(seen: 2, processed: 1))
        #expect(try await run.send(.post, "/reset/HTTP_1_1_REQUIRED") == .failed(.connectionLost, .maybe))
        #expect(try await run.count(.post) == .init(seen: 1, processed: 0))
    }

    // libcurl 7.88 drops the response. HTTP2ConformanceTests have the transports that deliver it.
    @Test(
        "A response to an unfinished upload whose stream is then reset is lost over libcurl, and the upload isn't sent again",
        arguments: Carrier.trusting.filter { !$0.showsErrorCodes }
    )
    func early(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        let outcome = try await run.send(.post, "/early?status=413&code=NO_ERROR", body: FrameRun.long)
        #expect(outcome == .failed(.connectionLost, .maybe))
        #expect(try await run.count(.post) == .init(seen: 1, processed: 1))
    }

    @Test(
        "Over libcurl a 413 to an unfinished upload is delivered, and with a 200 the call fails, by its deadline",
        arguments: Carrier.trusting.filter { !$0.showsErrorCodes }
    )
    func earlyStatus(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.post, "/early?status=413", body: FrameRun.long) == .rejected(413))
        let outcome = try await run.send(
            .post,
            "/early?status=200",
            body: FrameRun.long,
            within: .seconds(2),
            suffix: "-200"
        )
        #expect(outcome == .late || outcome == .failed(.connectionLost, .maybe))
    }

    #if AsyncHTTPClient
    @Test(
        "A transport may be dropped or shut down after responses to unfinished uploads",
        arguments: [200, 413],
        ["", "&code=NO_ERROR", "&code=CANCEL"]
    )
    func endAfterEarly(status: Int, code: String) async throws {
        guard let server = FrameServer() else { return }
        for round in 1...10 {
            let transport = try Carrier.asyncHTTPClient.secureTransport()
            let url = "\(server.base)/early?status=\(status)\(code)"
            let request = FrameServer.request(.post, url, named: UUID().uuidString, body: FrameRun.long)
            let response = try await transport.send(request)
            #expect(response.status.code == status)
            #expect(try await response.body.text() == "0")
            if round.isMultiple(of: 2) { try await (transport as? AsyncHTTPClientTransport)?.shutdown() }
        }
    }
    #endif

    @Test(
        "An error of the connection ends the call at once, and the next call has another connection",
        arguments: Carrier.trusting.filter(\.showsErrorCodes),
        ["/broken/frame", "/broken/hpack", "/broken/size"]
    )
    func brokenConnection(carrier: Carrier, path: String) async throws {
        guard let run = try FrameRun(carrier) else { return }
        for round in 1...2 {
            #expect(try await run.send(.get, "\(path)?times=2") == .failed(.malformedResponse, .maybe))
            #expect(try await run.count(.get) == .init(seen: round, processed: round))
        }
        #expect(try await run.send(.post, "/ok") == .answered("7"))
    }

    @Test(
        "A malformed response fails the call, and isn't retried",
        arguments: Carrier.trusting.filter(\.showsErrorCodes)
    )
    func malformedResponse(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.get, "/broken/field") == .failed(.malformedResponse, .maybe))
        #expect(try await run.count(.get) == .init(seen: 1, processed: 1))
        #expect(try await run.send(.post, "/ok") == .answered("7"))
    }

    @Test("A head may have 80 KiB of fields", arguments: Carrier.trusting.filter(\.showsErrorCodes))
    func largeHead(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.get, "/fields?count=600") == .answered("0"))
        #expect(try await run.send(.post, "/fields?count=700") == .failed(.malformedResponse, .maybe))
    }

    @Test("An upload waits for the window of its stream", arguments: Carrier.trusting)
    func slowWindow(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.post, "/stall?ms=300", body: FrameRun.long) == .answered("2000000"))
    }

    @Test("An upload whose window stays closed ends at the deadline", arguments: Carrier.trusting)
    func closedWindow(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.get, "/ok") == .answered("0"))
        let began = ContinuousClock.now
        #expect(try await run.send(.post, "/stall", body: FrameRun.long, within: .seconds(2)) == .late)
        #expect(began.duration(to: .now) < .seconds(4))
        #expect(try await run.count(.post) == .init(seen: 1, processed: 0))
        #expect(try await run.send(.get, "/ok?times=2") == .answered("0"))
    }

    @Test(
        "With an initial window of zero an upload waits for another, and only the upload",
        arguments: Carrier.trusting
    )
    func zeroWindow(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.get, "/settings?window=0") == .answered("0"))
        #expect(try await run.send(.post, "/ok", within: .seconds(2)) == .late)
        #expect(try await run.count(.post) == .init(seen: 1, processed: 0))
        #expect(try await run.send(.get, "/settings?window=65535&times=2") == .answered("0"))
        #expect(try await run.send(.post, "/ok?times=2") == .answered("7"))
    }

    @Test("With one stream at a time requests wait for each other", arguments: Carrier.trusting)
    func oneStream(carrier: Carrier) async throws {
        guard let run = try FrameRun(carrier) else { return }
        #expect(try await run.send(.get, "/settings?streams=1") == .answered("0"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    let outcome = try await run.send(.post, "/ok?ms=20", suffix: "\(number)")
                    #expect(outcome == .answered("7"))
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The calls of one test.
private struct FrameRun {
    enum Outcome: Equatable {
        case answered(String)
        case rejected(Int)
        case failed(TransportError.Kind, TransportError.Sent)
        case late
    }

    static let long = HTTPBody(Data(repeating: 1, count: 2_000_000))

    private let server: FrameServer
    private let chain: Chain
    private let name = UUID().uuidString

    init?(_ carrier: Carrier) throws {
        guard let server = FrameServer() else { return nil }
        self.server = server
        chain = try FrameChain.readme.chain(to: server.base, over: carrier)
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: HTTPBody = "hunter2",
        within limit: Duration = .seconds(30),
        suffix: String = ""
    ) async throws -> Outcome {
        let body = method == .get ? .empty : body
        let name = "\(name)-\(method)\(suffix)"
        do {
            let request = FrameServer.request(method, path, named: name, body: body).timeout(limit)
            return .answered(try await chain.send(request).body.text())
        } catch let error as TransportError {
            return .failed(error.kind, error.sent)
        } catch let error as StatusError {
            return .rejected(error.status.code)
        } catch is TimeoutError {
            return .late
        }
    }

    func count(_ method: HTTPRequest.Method) async throws -> FrameServer.Count {
        let counts = try await server.counts("\(name)-\(method)")
        return counts["\(name)-\(method)"] ?? .init(seen: 0, processed: 0)
    }
}

extension Carrier {
    /// Whether it says with which code a stream was reset, and which stream was the last one of a GOAWAY.
    fileprivate var showsErrorCodes: Bool { self != .urlSession }
}
#endif
