#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainInMemory
import HTTPChainProgress
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Attempts and views", .timeLimit(.minutes(10)))
struct AttemptTests {
    private let log = ReportLog()
    private let transport = InMemoryTransport()

    @Test("The wire's view sees each attempt, the consumer's the call")
    func attempts() async throws {
        transport.enqueue(ScriptedReply(.serviceUnavailable, chunks: chunks(2)))
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            resending(2)
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        _ = try await chain.send(.sample.observed(by: log)).body.collect()
        #expect(log.lines(.consumer) == ["down 0/?", "down 0/7", "down 3/7", "down 7/7", "down 7/7 finished"])
        #expect(
            log.lines(.wire) == [
                "down 0/?", "down 0/2", "down 2/2", "down 2/2 finished", "down 0/?, attempt 2", "down 0/7, attempt 2",
                "down 3/7, attempt 2", "down 7/7, attempt 2", "down 7/7 finished, attempt 2",
            ]
        )
        #expect(Set(log.reports.map(\.call)).count == 1)
        #expect(log.reports.last?.view == .consumer && log.reports.last?.isLast == true)
    }

    @Test("The attempts of a wire view alone are counted too")
    func wireAlone() async throws {
        for _ in 1...3 { transport.enqueue(ScriptedReply(chunks: chunks(2))) }
        let chain = try Chain(transport: transport, order: .unchecked) {
            resending(3)
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        _ = try await chain.send(.sample.observed(by: log)).body.collect()
        #expect(log.reports.filter { $0.state == .finished }.map(\.attempt) == [1, 2, 3])
        #expect(Set(log.reports.map(\.call)).count == 1)
    }

    @Test("An attempt whose response is given up was cancelled, before the call goes on")
    func givenUp() async throws {
        transport.enqueue(ScriptedReply(.found, chunks: chunks(2)))
        transport.enqueue(.ok)
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            ClosureMiddleware("Following", phase: .redirect) { request, next in
                let copy = request
                _ = try await next(copy)
                return try await next(request)
            }
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        _ = try await chain.send(.sample.observed(by: log))
        #expect(
            log.lines(.wire) == [
                "down 0/?", "down 0/2", "down 0/2 cancelled", "down 0/?, attempt 2", "down 0/0, attempt 2",
                "down 0/0 finished, attempt 2",
            ]
        )
    }

    @Test("Nothing comes after the last report of the call, and an open attempt ends before it")
    func lastReport() async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        do {
            let response = try await chain.send(.sample.observed(by: log))
            for try await _ in response.body { break }
        }
        #expect(log.lines(.wire).last == "down 3/7 cancelled")
        #expect(log.lines(.consumer).last == "down 3/7 cancelled")
        #expect(log.reports.last?.view == .consumer)
    }

    @Test("An answer from a cache is told of by the consumer's view alone")
    func cacheHit() async throws {
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            ClosureMiddleware("Cache", phase: .cache) { _, _ in Response(.ok, body: "cached") }
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        #expect(try await chain.send(.sample.observed(by: log)).body.text() == "cached")
        #expect(log.lines == ["down 0/?", "down 0/6", "down 6/6", "down 6/6 finished"])
        #expect(log.reports.allSatisfy { $0.view == .consumer })
    }

    @Test("Hedged attempts are told apart, and the one that lost ends with its call")
    func hedging() async throws {
        let lost = ChunkFeed(length: 9)
        transport.enqueue(ScriptedReply(feed: lost))
        transport.enqueue(ScriptedReply(chunks: chunks(2)))
        let kept = Locked<Response?>(nil)
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            ClosureMiddleware("Hedging", phase: .hedge) { request, next in
                let copy = request
                let first = try await next(copy)
                kept.withLock { $0 = first }
                return try await next(request)
            }
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        _ = try await chain.send(.sample.observed(by: log)).body.collect()
        let last = log.reports.last
        kept.withLock { $0 = nil }
        #expect(log.reports.last?.line == last?.line)
        let ends = log.reports.filter(\.isLast).map { "\($0.view) \($0.line)" }
        #expect(ends.count == 3 && ends.last == "consumer down 2/2 finished")
    }

    @Test("Under gzip the consumer's view counts decoded bytes of unknown size, the wire's encoded ones")
    func gzip() async throws {
        let text = Data(repeating: 0x61, count: 200_000)
        let encoded = try await HTTPBody(text).encoded(with: .gzip).collect()
        transport.enqueue(ScriptedReply(.ok, headers: [.contentEncoding: "gzip"], chunks: [encoded]))
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            GzipMiddleware(requests: .standard)
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        let request = Request.sampleUpload(.chunks([text], replayable: true)).observed(by: log)
        #expect(try await chain.send(request).body.collect() == text)
        let consumer = log.lines(.consumer)
        let wire = log.lines(.wire)
        #expect(consumer.contains("up 200000/200000 finished") && consumer.contains("down 0/?"))
        #expect(consumer.last == "down 200000/200000 finished")
        #expect(wire.contains("down 0/\(encoded.count)"))
        #expect(wire.last == "down \(encoded.count)/\(encoded.count) finished")
        let sent = try #require(log.reports.last { $0.view == .wire && $0.direction == .upload })
        #expect(sent.isFinished && sent.completed < 10_000)
    }

    @Test("Concurrent calls are told apart")
    func concurrentCalls() async throws {
        transport.on(.get, "/file", reply: ScriptedReply(chunks: chunks(1, 2, 3, 4)))
        let chain = try Chain(transport: transport) { ProgressMiddleware(reportsPerSecond: 0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...50 {
                group.addTask {
                    let log = ReportLog()
                    _ = try await chain.send(.sample.observed(by: log)).body.collect()
                    #expect(log.lines.last == "down 10/10 finished" && log.reports.count == 7)
                    #expect(Set(log.reports.map(\.call)).count == 1)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A transport that reports from many threads at once does not make the closure overlap or go back")
    func manyThreads() async throws {
        let busy = ClosureTransport(capabilities: .inMemory) { request in
            let report = request.options[UploadProgressNote.self]
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<8 as Range<Int64> {
                    group.addTask { for count in 1...500 as ClosedRange<Int64> { report?(count * 8 + thread, 4007) } }
                }
            }
            return Response(.ok)
        }
        let chain = try Chain(transport: busy) { ProgressMiddleware(.wire, reportsPerSecond: 0) }
        let active = Locked(0)
        let request = Request.sampleUpload(body(4007, declaring: 4007)).observed(by: log).progress { _ in
            #expect(
                active.withLock {
                    $0 += 1; return $0
                } == 1
            )
            active.withLock { $0 -= 1 }
        }
        _ = try await chain.send(request)
        let counts = log.reports.filter { $0.direction == .upload }.map(\.completed)
        #expect(counts == counts.sorted() && counts.first == 0 && counts.last == 4007)
    }
}
#endif
