#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let target = "https://api.example.com/events"

/// A chain without stages over a server of scripts, on a virtual clock.
struct Bench {
    let server: EventServer
    let clock: VirtualClock
    let chain: Chain

    init(
        _ answers: [EventServer.Answer],
        clock: VirtualClock = .automatic(),
        @ChainBuilder stages: () throws -> [any Middleware] = { [] }
    ) throws {
        try self.init(EventServer(answers), clock: clock, stages: stages)
    }

    init(
        _ server: EventServer,
        clock: VirtualClock = .automatic(),
        @ChainBuilder stages: () throws -> [any Middleware] = { [] }
    ) throws {
        self.server = server
        self.clock = clock
        chain = try Chain(transport: server, environment: .virtual(clock), stages: stages)
    }
}

extension EventServer.Answer {
    static func status(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Self {
        .response(Response(status, headers: headers))
    }

    static func stream(_ write: (inout EventScript) -> Void) -> Self { .stream(EventScript(write)) }

    /// 204, which ends a stream.
    static let noMore = Self.status(.noContent)
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// All of it, and the error that ended it.
    func outcome() async -> (elements: [Element], error: (any Error)?) {
        var elements: [Element] = []
        do {
            for try await element in self { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }
}

extension HTTPRequest {
    var lastEventID: String? { headerFields[.lastEventID] }
}

@Suite("Streams over several connections", .timeLimit(.minutes(10)))
struct StreamTests {
    @Test("A stream goes on after the last event with its id")
    func continues() async throws {
        let bench = try Bench([
            .stream {
                $0.event("1", id: "a")
                $0.event("2")
                $0.raw("id: lost\ndata: incomplete\n")
                $0.cut()
            },
            .stream {
                $0.event("3", type: "other", id: "b")
                $0.end()
            },
            .noMore,
        ])
        let stream = bench.chain.events(.get(target))
        let (events, error) = await stream.outcome()
        #expect(error == nil)
        #expect(
            events == [
                .init("1", lastEventID: "a"), .init("2", lastEventID: "a"), .init("3", type: "other", lastEventID: "b"),
            ]
        )
        #expect(bench.server.requests.map(\.lastEventID) == [nil, "a", "b"])
        #expect(stream.lastEventID == "b")
        #expect(bench.server.openStreams == 0)
    }

    @Test("A response of another media type is an error")
    func otherContentType() async throws {
        let answer = EventServer.Answer.response(
            Response(.ok, headers: [.contentType: "Text/Plain; charset=utf-8"], body: .chunks(["data: 1\n\n"]))
        )
        let bench = try Bench([answer])
        let refused = await bench.chain.events(.get(target)).outcome()
        #expect(refused.elements.isEmpty)
        #expect((refused.error as? EventStreamError)?.reason.contains("text/event-stream") == true)
    }

    @Test(
        "The request accepts event streams and no answer of a cache, and keeps what it has (request-accept, request-cache-control)"
    )
    func fields() async throws {
        let bench = try Bench([.noMore, .noMore])
        _ = await bench.chain.events(.get(target)).outcome()
        let own = Request.get(target, headers: [.accept: "text/event-stream;q=0.9", .cacheControl: "no-store"])
        _ = await bench.chain.events(own).outcome()
        let fields = bench.server.requests.map(\.headerFields)
        #expect(fields.map { $0[.accept] } == ["text/event-stream", "text/event-stream;q=0.9"])
        #expect(fields.map { $0[.cacheControl] } == ["no-cache", "no-store"])
        #expect(fields.allSatisfy { $0[.lastEventID] == nil })
    }

    @Test("An id that is kept from before begins the stream, and one that is not ASCII is sent as UTF-8")
    func kept() async throws {
        let bench = try Bench([
            .stream {
                $0.event("x", id: "…é"); $0.end()
            }, .noMore,
        ])
        _ = await bench.chain.events(.get(target), options: EventStreamOptions(lastEventID: "7")).outcome()
        #expect(bench.server.requests.map(\.lastEventID) == ["7", "…é"])
    }

    @Test(
        "An id that no field can hold is not sent, and stays the id of the stream",
        arguments: ["a\u{1}b", "\u{7F}", "a\u{8}", "\u{1B}[0m", "a\nb", "a\r\nX-Injected: 1", "\0"]
    )
    func controlsInID(id: String) async throws {
        let bench = try Bench([
            .stream {
                $0.raw("id: a\u{1}b\ndata: x\n\n"); $0.end()
            }, .noMore,
        ])
        let stream = bench.chain.events(.get(target), options: EventStreamOptions(lastEventID: id))
        _ = await stream.outcome()
        #expect(bench.server.requests.map(\.lastEventID) == [nil, nil])
        #expect(stream.lastEventID == "a\u{1}b")
    }

    @Test("A tab and letters beyond ASCII are sent in an id")
    func unusualID() async throws {
        let bench = try Bench([.noMore])
        _ = await bench.chain.events(.get(target), options: EventStreamOptions(lastEventID: "a\tb ü")).outcome()
        #expect(bench.server.requests.map(\.lastEventID) == ["a\tb ü"])
    }

    @Test(
        "An id without an event is the one that a reconnection sends, and that the stream has",
        arguments: [("id: 7\n\n", "7"), ("id\n\n", nil), ("id: 7\n\nid: 8\n\n", "8"), ("id: 7\n", "1")]
            as [(String, String?)]
    )
    func idWithoutEvent(rest: String, id: String?) async throws {
        let bench = try Bench([
            .stream {
                $0.raw("data:a\nid:1\n\n" + rest); $0.end()
            }, .noMore,
        ])
        let stream = bench.chain.events(.get(target))
        #expect(await stream.outcome().elements.map(\.lastEventID) == ["1"])
        #expect(bench.server.requests.map(\.lastEventID) == [nil, id])
        #expect(stream.lastEventID == id)
    }

    @Test("An empty id is not sent, and takes back the one before")
    func emptyID() async throws {
        let bench = try Bench([
            .stream {
                $0.event("x", id: "1"); $0.event("y", id: ""); $0.end()
            }, .noMore,
        ])
        let events = await bench.chain.events(.get(target)).outcome().elements
        #expect(events.map(\.lastEventID) == ["1", nil])
        #expect(bench.server.requests.map(\.lastEventID) == [nil, nil])
    }

    @Test("The waits are those of the policy and the server (format-field-retry, eventsource-reconnect)")
    func waits() async throws {
        let lost = TransportError(.cannotConnect, sent: .nothing, stage: "test")
        let bench = try Bench([
            .failure(lost), .failure(lost),
            .stream {
                $0.retry(.seconds(10))
                $0.event("x", id: "1")
                $0.end()
            },
            .status(.serviceUnavailable, headers: [.retryAfter: "45"]), .noMore,
        ])
        let options = EventStreamOptions(reconnection: ReconnectionPolicy(jitter: 0))
        _ = await bench.chain.events(.get(target), options: options).outcome()
        #expect(bench.clock.sleeps == [1, 2, 10, 45].map { .seconds($0) })
    }

    @Test(
        "A status that does not pass ends the stream with an error (request-status-error)",
        arguments: [205, 210, 299, 301, 404, 410, 401] as [Int]
    )
    func statusErrors(code: Int) async throws {
        let bench = try Bench([.status(.init(code: code))])
        let stream = bench.chain.events(.get(target))
        let error = await stream.outcome().error as? EventStreamError
        #expect(error?.problem == .status(.init(code: code)))
        #expect(error?.exchange?.response?.status.code == code)
        #expect((error?.recoverySuggestion?.contains("RedirectMiddleware") ?? false) == (code == 301))
        #expect(stream.state.description == "failed")
        #expect(bench.server.requests.count == 1)
    }

    @Test(
        "Only an event stream is read as one, whatever its parameters (format-mime-bogus, -valid-bogus, -trailing-semicolon)",
        arguments: [
            ("text/event-stream", true), ("text/event-stream;", true),
            ("text/event-stream; charset=windows-1252", true),
            ("Text/Event-Stream", true), ("text/x-bogus", false), ("x bogus", false), ("", false),
        ]
    )
    func contentTypes(type: String, isRead: Bool) async throws {
        let bench = try Bench([
            .response(Response(.ok, headers: [.contentType: type], body: "data:x\n\n")), .noMore,
        ])
        let (events, error) = await bench.chain.events(.get(target)).outcome()
        #expect(events.count == (isRead ? 1 : 0))
        #expect((error == nil) == isRead)
        if !isRead { #expect("\(error.map { "\($0)" } ?? "")".contains("not text/event-stream")) }
    }

    @Test("A POST is sent once, its values are decoded, and [DONE] ends it")
    func languageModel() async throws {
        struct Delta: Decodable, Sendable, Equatable { let text: String }
        let bench = try Bench([
            .stream {
                $0.event(#"{"text":"Hel"}"#)
                $0.event(#"{"text":"lo"}"#)
                $0.event("[DONE]")
                $0.event(#"{"text":"never"}"#)
            }
        ])
        let request = Request.post(target, body: "prompt")
        let (values, error) = await bench.chain.events(request, as: Delta.self, options: .untilDone).outcome()
        #expect(values == [Delta(text: "Hel"), Delta(text: "lo")])
        #expect(error == nil)
        #expect(bench.server.requests.map(\.method) == [.post])
        #expect(bench.server.openStreams == 0)
    }

    @Test("A stream with an end of its own that is cut short is an error")
    func withoutDone() async throws {
        let bench = try Bench([
            .stream {
                $0.event("a"); $0.end()
            },
            .stream {
                $0.event("a"); $0.cut()
            },
        ])
        for _ in 0..<2 {
            let (events, error) = await bench.chain.events(.post(target), options: .untilDone).outcome()
            #expect(events.count == 1)
            #expect(error != nil)
        }
        #expect(bench.server.requests.count == 2)
    }

    @Test("The body of a POST is sent again where the policy says so, and one that is gone is an error")
    func bodies() async throws {
        let bodies = Events<Data>()
        let server = EventServer { connection in
            bodies.add(try await connection.body.collect())
            return connection.number < 3
                ? .stream {
                    $0.event("x"); $0.end()
                } : .noMore
        }
        let options = EventStreamOptions(reconnection: ReconnectionPolicy())
        let bench = try Bench(server)
        #expect(await bench.chain.events(.post(target, body: "again"), options: options).outcome().error == nil)
        #expect(bodies.all == Array(repeating: Data("again".utf8), count: 3))
        let once = Request.post(target, body: .chunks(["once"]))
        let second = try Bench([
            .stream {
                $0.event("x"); $0.end()
            }
        ])
        let error = await second.chain.events(once, options: options).outcome().error as? EventStreamError
        #expect(error?.problem == .notReplayable)
    }

    @Test("Only the types that are wanted are decoded, and what cannot be decoded fails or is passed over")
    func typesAndUndecodable() async throws {
        let script = EventScript {
            $0.event("1")
            $0.event("no number", type: "other")
            $0.event("bad")
            $0.event("3")
            $0.end()
        }
        let bench = try Bench([.stream(script), .stream(script)])
        var options = EventStreamOptions(reconnection: .never, types: ["message"])
        let failed = await bench.chain.events(.get(target), as: Int.self, options: options).outcome()
        #expect(failed.elements == [1])
        guard case .undecodable(let type, _, _)? = (failed.error as? EventStreamError)?.problem else {
            Issue.record("\(String(describing: failed.error))")
            return
        }
        #expect(type == "Int")
        #expect(bench.server.openStreams == 0)
        options.skipsUndecodable = true
        let skipped = await bench.chain.events(.get(target), as: Int.self, options: options).outcome()
        #expect(skipped.elements == [1, 3])
        #expect(skipped.error == nil)
    }

    @Test("JSON Lines and JSON sequences are streams of values, opened once")
    func json() async throws {
        func response(_ type: String, _ body: String) -> EventServer.Answer {
            .response(Response(.ok, headers: [.contentType: type], body: .chunks([body])))
        }
        let bench = try Bench([
            response("application/x-ndjson", "1\n2\n3"), response("application/json-seq", "\u{1E}1\n\u{1E}2\n"),
        ])
        let lines = bench.chain.events(.get(target), as: Int.self, options: EventStreamOptions(format: .jsonLines))
        #expect(await lines.outcome().elements == [1, 2, 3])
        let sequence = bench.chain.events(
            .get(target),
            as: Int.self,
            options: EventStreamOptions(format: .jsonSequence)
        )
        #expect(await sequence.outcome().elements == [1, 2])
        #expect(bench.server.requests.count == 2)
        #expect(bench.server.requests.last?.headerFields[.accept] == "application/json-seq")
    }

    @Test("The request can be changed for each connection, such as a cursor for a format without ids")
    func prepare() async throws {
        let server = EventServer { connection in
            guard connection.number < 3 else { return .noMore }
            let path = connection.request.path ?? ""
            return .response(
                Response(.ok, headers: [.contentType: "application/jsonl"], body: .chunks(["\"\(path)\"\n"]))
            )
        }
        let bench = try Bench(server)
        var options = EventStreamOptions(format: .jsonLines, reconnection: ReconnectionPolicy())
        options.prepare = { request, position in request.head.path = "/events?after=\(position.events)" }
        let values = await bench.chain.events(.get(target), as: String.self, options: options).outcome().elements
        #expect(values == ["/events?after=0", "/events?after=1"])
    }

    @Test("An event beyond the limits is an error, after those before it, and is not asked for again")
    func limits() async throws {
        let bench = try Bench([.stream { $0.raw("data:1\n\ndata:\(String(repeating: "x", count: 200))\n\n") }])
        let options = EventStreamOptions(limits: EventStreamLimits(line: 100))
        let (events, error) = await bench.chain.events(.get(target), options: options).outcome()
        #expect(events == [.init("1")])
        #expect((error as? EventStreamError)?.problem == .lineTooLong(limit: 100))
        #expect(bench.server.requests.count == 1)
        #expect(bench.server.openStreams == 0)
    }

    @Test("A failure that lasts is thrown as it is once the policy gives up")
    func givesUp() async throws {
        let lost = TransportError(.cannotConnect, sent: .nothing, stage: "test")
        let bench = try Bench(EventServer { _ in .failure(lost) })
        let options = EventStreamOptions(reconnection: ReconnectionPolicy(maximumFailures: 3))
        let error = await bench.chain.events(.get(target), options: options).outcome().error as? TransportError
        #expect(error?.kind == .cannotConnect)
        #expect(bench.server.requests.count == 4)
    }

    @Test("A second reader gets an error, and the first reads on")
    func oneReader() async throws {
        let bench = try Bench([.stream { $0.event("x") }])
        let stream = bench.chain.events(.get(target))
        var first = stream.makeAsyncIterator()
        let error = await stream.outcome().error as? EventStreamError
        #expect(error?.problem == .alreadyRead)
        #expect(try await first.next()?.data == "x")
    }

    @Test("A body that is there already is read as events, and in parts")
    func bodiesAlone() async throws {
        let body = HTTPBody.chunks(["data:1\n", "\ndata:2\n\n"], replayable: true)
        #expect(await body.serverSentEvents().outcome().elements.map(\.data) == ["1", "2"])
        let parts = await body.eventParts().outcome().elements
        #expect(parts.filter { if case .end = $0 { true } else { false } }.count == 2)
    }
}
#endif
