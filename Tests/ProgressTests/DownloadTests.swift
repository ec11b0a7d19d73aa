#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let views: [TransferProgress.View] = [.consumer, .wire]

@Suite("Downloads", .timeLimit(.minutes(10)))
struct DownloadTests {
    private let log = ReportLog()
    private let transport = InMemoryTransport()

    private func chain(_ view: TransferProgress.View, _ clock: VirtualClock = .automatic(), rate: Double = 0) throws
        -> Chain
    {
        try Chain(transport: transport, environment: .virtual(clock)) {
            ProgressMiddleware(view, reportsPerSecond: rate)
        }
    }

    @Test("Each chunk of a body is told, with the size in the head", arguments: views)
    func knownSize(view: TransferProgress.View) async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let response = try await chain(view).send(.sample.observed(by: log))
        #expect(log.lines == ["down 0/?", "down 0/7"])
        #expect(response.body.length == 7)
        #expect(try await response.body.collect().count == 7)
        #expect(log.lines == ["down 0/?", "down 0/7", "down 3/7", "down 7/7", "down 7/7 finished"])
        #expect(log.reports.allSatisfy { $0.view == view && $0.call == log.reports[0].call })
        #expect(log.reports.map(\.isLast) == [false, false, false, false, true])
    }

    @Test("A body of unknown size is whole at its end", arguments: views)
    func unknownSize(view: TransferProgress.View) async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4), declaresLength: false))
        _ = try await chain(view).send(.sample.observed(by: log)).body.collect()
        #expect(log.lines == ["down 0/?", "down 3/?", "down 7/?", "down 7/7 finished"])
        #expect(log.reports.map(\.fraction) == [nil, nil, nil, 1])
    }

    @Test("Chunks pass as they are", arguments: views)
    func chunksUnchanged(view: TransferProgress.View) async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(1, 70_000, 3)))
        var sizes: [Int] = []
        for try await chunk in try await chain(view).send(.sample.observed(by: log)).body { sizes.append(chunk.count) }
        #expect(sizes == [1, 70_000, 3])
    }

    @Test(
        "A response without content is told from 0 to 1",
        arguments: views,
        [
            (Request.sample, ScriptedReply.ok), (.sample, .status(.noContent)), (.sample, .status(.notModified)),
            (.head("https://example.com/file"), .status(.ok, headers: [.contentLength: "50"])),
        ]
    )
    func withoutContent(view: TransferProgress.View, exchange: (Request, ScriptedReply)) async throws {
        transport.enqueue(exchange.1)
        _ = try await chain(view).send(exchange.0.observed(by: log))
        #expect(log.lines == ["down 0/?", "down 0/0", "down 0/0 finished"])
        #expect(log.reports.map(\.fraction) == [nil, 0, 1])
    }

    @Test("A body that breaks has failed, with the error", arguments: views)
    func broken(view: TransferProgress.View) async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)).failing(.atByte(5)))
        let response = try await chain(view).send(.sample.observed(by: log))
        await #expect(throws: TransportError.self) { try await response.body.collect() }
        #expect(log.lines.last == "down 5/7 failed")
        #expect(log.reports.last?.error is TransportError)
        #expect(log.reports.last?.fraction != 1)
    }

    @Test("A call that fails before its head has a first and a last report", arguments: views)
    func failedCall(view: TransferProgress.View) async throws {
        transport.enqueue(.failure(.beforeConnect()))
        await #expect(throws: TransportError.self) { try await chain(view).send(.sample.observed(by: log)) }
        #expect(log.lines == ["down 0/?", "down 0/? failed"])
        #expect(log.reports.last?.error is TransportError)
    }

    @Test("A body that nobody reads was cancelled when it is dropped, not finished", arguments: views)
    func unread(view: TransferProgress.View) async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        do {
            let response = try await chain(view).send(.sample.observed(by: log))
            #expect(log.lines.last == "down 0/7")
            withExtendedLifetime(response) {}
        }
        #expect(log.lines == ["down 0/?", "down 0/7", "down 0/7 cancelled"])
    }

    @Test("A reader that is dropped before the end has cancelled, though the response is still there", arguments: views)
    func droppedReader(view: TransferProgress.View) async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let response = try await chain(view).send(.sample.observed(by: log))
        for try await _ in response.body { break }
        #expect(log.lines.last == "down 3/7 cancelled")
        withExtendedLifetime(response) {}
    }

    @Test("A task that is cancelled while it reads has cancelled", arguments: views)
    func cancelledReading(view: TransferProgress.View) async throws {
        let feed = ChunkFeed(length: 9)
        transport.enqueue(ScriptedReply(feed: feed))
        let chain = try chain(view)
        let task = Task { [log] in try await chain.send(.sample.observed(by: log)).body.collect() }
        feed.send("abc")
        try await feed.waitForDemand()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.lines == ["down 0/?", "down 0/9", "down 3/9", "down 3/9 cancelled"])
    }

    @Test("A task that is cancelled while it waits for the head has cancelled", arguments: views)
    func cancelledWaiting(view: TransferProgress.View) async throws {
        let clock = VirtualClock()
        transport.enqueue(.ok.delayed(by: .seconds(5)))
        let chain = try chain(view, clock)
        let task = Task { [log] in try await chain.send(.sample.observed(by: log)) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.lines == ["down 0/?", "down 0/? cancelled"])
    }

    @Test("A second of chunks gives no more reports than the rate, and the first and the last", arguments: views)
    func rate(view: TransferProgress.View) async throws {
        let reply = ScriptedReply(chunks: Array(repeating: chunks(1)[0], count: 100))
        transport.enqueue(reply.delayed(by: .zero, betweenChunks: .milliseconds(10)))
        _ = try await chain(view, rate: 4).send(.sample.observed(by: log)).body.collect()
        #expect(
            log.lines == [
                "down 0/?", "down 0/100", "down 26/100", "down 51/100", "down 76/100", "down 100/100 finished",
            ]
        )
        #expect(log.reports.last?.elapsed == .milliseconds(990))
    }

    @Test("A length that is wrong is no length", arguments: views)
    func wrongLength(view: TransferProgress.View) async throws {
        let liar = ClosureTransport(capabilities: .inMemory) { _ in
            Response(.ok, headers: [.contentLength: "3"], body: body(3, 4))
        }
        let chain = try Chain(transport: liar) { ProgressMiddleware(view, reportsPerSecond: 0) }
        _ = try await chain.send(.sample.observed(by: log)).body.collect()
        #expect(log.lines == ["down 0/?", "down 0/3", "down 3/3", "down 7/?", "down 7/7 finished"])
    }

    @Test(
        "A length that does not count is passed over",
        arguments: views,
        [["Content-Length": "-1"], ["Content-Length": "x"], ["Transfer-Encoding": "chunked"]]
    )
    func strangeLength(view: TransferProgress.View, fields: [String: String]) async throws {
        var headers: HTTPFields = fields["Transfer-Encoding"] == nil ? [:] : [.contentLength: "3"]
        for (name, value) in fields { headers[HTTPField.Name(name)!] = value }
        let strange = ClosureTransport(capabilities: .inMemory) { [headers] _ in
            Response(.ok, headers: headers, body: body(3, 4))
        }
        let chain = try Chain(transport: strange) { ProgressMiddleware(view, reportsPerSecond: 0) }
        _ = try await chain.send(.sample.observed(by: log)).body.collect()
        #expect(log.lines == ["down 0/?", "down 3/?", "down 7/?", "down 7/7 finished"])
    }

    @Test("A body that can be read again is told of once, and never goes back", arguments: views)
    func replayable(view: TransferProgress.View) async throws {
        let stored = ClosureTransport(capabilities: .inMemory) { _ in Response(.ok, body: body(3, 4, declaring: 7)) }
        let chain = try Chain(transport: stored) { ProgressMiddleware(view, reportsPerSecond: 0) }
        let response = try await chain.send(.sample.observed(by: log))
        for try await _ in response.body { break }
        #expect(log.lines.last == "down 3/7")
        for _ in 1...2 { #expect(try await response.body.collect().count == 7) }
        #expect(log.lines == ["down 0/?", "down 0/7", "down 3/7", "down 7/7", "down 7/7 finished"])
    }

    @Test(
        "Several observers are told the same, and those of the stage of every call, with its target",
        arguments: views
    )
    func severalObservers(view: TransferProgress.View) async throws {
        let other = ReportLog()
        let all = ReportLog()
        let targets = Locked<Set<String>>([])
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(view, reportsPerSecond: 0) { progress, request in
                all.add(progress)
                targets.withLock { _ = $0.insert("\(request.method) \(request.path ?? "") \(request.headerFields)") }
            }
        }
        for _ in 1...2 { transport.enqueue(ScriptedReply(chunks: chunks(3, 4))) }
        let request = Request.get("https://example.com/file", headers: [.authorization: "secret"])
        _ = try await chain.send(request.observed(by: log).observed(by: other)).body.collect()
        #expect(log.lines == other.lines && log.lines == all.lines)
        _ = try await chain.send(request).body.collect()
        #expect(all.reports.count == 2 * log.reports.count)
        #expect(Set(all.reports.map(\.call)).count == 2)
        #expect(targets.withLock { $0 } == ["GET /file []"])
    }

    @Test("A call that nobody observes passes as it is", arguments: views)
    func unobserved(view: TransferProgress.View) async throws {
        let plain = ClosureTransport(capabilities: .inMemory) { request in
            #expect(request.body.bytes != nil && request.options.names == [])
            return Response(.ok, body: "bytes")
        }
        let chain = try Chain(transport: plain) { ProgressMiddleware(view) }
        #expect(try await chain.send(.sampleUpload("abc")).body.bytes == Data("bytes".utf8))
    }
}
#endif
