#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@MainActor
private final class Label {
    var lines: [String] = []
}

private actor Display {
    var lines: [String] = []
    func show(_ progress: TransferProgress) { lines.append(progress.line) }
}

@Suite("Observers", .timeLimit(.minutes(10)))
struct ObserverTests {
    private let transport = InMemoryTransport()

    private func chain() throws -> Chain {
        try Chain(transport: transport, environment: .virtual(.automatic())) { ProgressMiddleware(reportsPerSecond: 0) }
    }

    @Test("A sequence gives the reports of a call and ends with it")
    func sequence() async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let (request, updates) = Request.sample.observingProgress()
        let chain = try chain()
        async let bytes = chain.send(request).body.collect()
        var lines: [String] = []
        for await progress in updates { lines.append(progress.line) }
        #expect(lines.first == "down 0/?" && lines.last == "down 7/7 finished")
        #expect(try await bytes.count == 7)
    }

    @Test("A chain that refuses or ignores the option ends the sequence", arguments: [true, false])
    func sequenceWithoutStage(isChecked: Bool) async throws {
        transport.enqueue(.text("abc"))
        let chain = try Chain(transport: transport, options: isChecked ? .checked : .unchecked)
        let (request, updates) = Request.sample.observingProgress()
        async let text = chain.send(request).body.text()
        for await progress in updates { Issue.record("\(progress)") }
        do {
            let text = try await text
            #expect(text == "abc" && !isChecked)
        } catch is UnreadOptionError {
            #expect(isChecked)
        }
    }

    @Test("A sequence ends when its call is refused for another option")
    func sequenceOfRefusedCall() async throws {
        enum Unread: RequestOption {
            static var defaultValue: Int { 0 }
        }
        var sample = Request.sample
        sample.options[Unread.self] = 1
        let (request, updates) = sample.observingProgress()
        let chain = try chain()
        async let response = chain.send(request)
        for await progress in updates { Issue.record("\(progress)") }
        do {
            _ = try await response
            Issue.record("the call isn't refused")
        } catch is UnreadOptionError {}
    }

    @Test("A chain that ignores options leaves a sequence alone that a chain inside reads")
    func sequenceOfHiddenChain() async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let inner = try chain()
        let chain = try Chain(
            transport: ClosureTransport(capabilities: .inMemory) { try await inner.send($0) },
            options: .unchecked
        )
        let (request, updates) = Request.sample.observingProgress()
        _ = try await chain.send(request).body.collect()
        var last: TransferProgress?
        for await progress in updates { last = progress }
        #expect(last?.line == "down 7/7 finished")
    }

    @Test("A sequence that is read late has the first reports, the newest and the last")
    func lateSequence() async throws {
        transport.enqueue(ScriptedReply(chunks: Array(repeating: chunks(1)[0], count: 1000)))
        let (request, updates) = Request.sample.observingProgress()
        _ = try await chain().send(request).body.collect()
        var lines: [String] = []
        for await progress in updates { lines.append(progress.line) }
        #expect(lines == ["down 0/?", "down 0/1000", "down 1000/1000", "down 1000/1000 finished"])
    }

    @Test("A sequence ends when the call fails, and when the body is dropped", arguments: [true, false])
    func sequenceEnds(fails: Bool) async throws {
        transport.enqueue(fails ? .failure(.beforeHead()) : ScriptedReply(chunks: chunks(3, 4)))
        let (request, updates) = Request.sample.observingProgress()
        _ = try? await chain().send(request)
        var last: TransferProgress?
        for await progress in updates { last = progress }
        #expect(last?.state == (fails ? .failed : .cancelled))
    }

    @Test("Cancelling who iterates ends the iteration alone")
    func cancelledIteration() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        let (request, updates) = Request.sample.observingProgress()
        let response = try await chain().send(request)
        let begun = Rendezvous()
        let task = Task {
            for await _ in updates { begun.reach() }
        }
        try await begun.wait()
        task.cancel()
        await task.value
        feed.send("abc")
        feed.finish()
        #expect(try await response.body.text() == "abc")
    }

    @Test("A closure on the main actor is given the first and the last report")
    @MainActor
    func mainActor() async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let label = Label()
        let chain = try chain()
        let count = try await Request.sample.withProgress { @MainActor progress in
            label.lines.append(progress.line)
        } perform: { request in
            try await chain.send(request).body.collect().count
        }
        #expect(count == 7)
        #expect(label.lines.first == "down 0/?" && label.lines.last == "down 7/7 finished")
    }

    @Test("An actor is given the reports in order")
    func anyActor() async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let display = Display()
        let chain = try chain()
        try await Request.sample.withProgress {
            await display.show($0)
        } perform: { request in
            _ = try await chain.send(request).body.collect()
        }
        let lines = await display.lines
        #expect(lines.first == "down 0/?" && lines.last == "down 7/7 finished")
    }

    @Test("A slow closure does not hold the transfer up, and misses reports in between")
    func slowClosure() async throws {
        transport.enqueue(ScriptedReply(chunks: Array(repeating: chunks(1)[0], count: 500)))
        let log = ReportLog()
        let isRead = Rendezvous()
        let chain = try chain()
        try await Request.sample.withProgress { progress in
            // Waits for what can only come when the transfer does not wait.
            try? await isRead.wait()
            log.add(progress)
        } perform: { request in
            _ = try await chain.send(request).body.collect()
            isRead.reach()
        }
        #expect(log.lines.first == "down 0/?" && log.lines.last == "down 500/500 finished")
        #expect(log.reports.count <= 6)
    }

    @Test("A cancelled call still has its last report, on its actor")
    func cancelledScope() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        let display = Display()
        let chain = try chain()
        let task = Task {
            try await Request.sample.withProgress {
                await display.show($0)
            } perform: { request in
                _ = try await chain.send(request).body.collect()
            }
        }
        try await feed.waitForDemand()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await display.lines.last == "down 0/? cancelled")
    }

    @Test("What is thrown comes out, and a request that was not sent has no reports")
    func throwing() async throws {
        let display = Display()
        await #expect(throws: Provoked.self) {
            try await Request.sample.withProgress {
                await display.show($0)
            } perform: { _ in
                throw Provoked()
            }
        }
        #expect(await display.lines.isEmpty)
    }

    @Test("A slow closure that is called at once is not called twice at a time, and told the newest")
    func reentrant() async throws {
        let log = ReportLog()
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)))
        let chain = try chain()
        let held = Locked<Response?>(nil)
        let request = Request.sample.progress { progress in
            log.add(progress)
            // Drops the body from within the closure, which makes another report.
            if progress.expected == 7 { held.withLock { $0 = nil } }
        }
        _ = try await chain.send(request)
        #expect(log.lines.last == "down 0/7 cancelled")
    }
}

@Suite("Foundation's progress", .timeLimit(.minutes(10)))
struct FoundationProgressTests {
    private let transport = InMemoryTransport()

    private func chain(_ clock: VirtualClock = .automatic()) throws -> Chain {
        try Chain(transport: transport, environment: .virtual(clock)) { ProgressMiddleware(reportsPerSecond: 0) }
    }

    @Test("A download fills the progress")
    func download() async throws {
        let feed = ChunkFeed(length: 10)
        transport.enqueue(ScriptedReply(feed: feed))
        let (request, progress) = Request.sample.reportingFoundationProgress()
        #expect(progress.fractionCompleted == 0 && !progress.isFinished)
        let chain = try chain()
        let task = Task { try await chain.send(request).body.collect() }
        feed.send("abcde")
        try await feed.waitForDemand()
        #expect(progress.fractionCompleted == 0.5)
        feed.send("fghij")
        feed.finish()
        _ = try await task.value
        #expect(progress.fractionCompleted == 1 && progress.isFinished)
    }

    @Test("Upload and download are a half each, also when they are empty or of unknown size", arguments: [0, 5])
    func both(downloaded: Int) async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(downloaded), declaresLength: false))
        let (request, progress) = Request.sampleUpload(body(3, 4)).reportingFoundationProgress()
        let halfway = Locked<Double>(0)
        let watched = request.progress { report in
            if report.direction == .upload, report.isFinished {
                halfway.withLock { $0 = progress.fractionCompleted }
            }
        }
        _ = try await chain().send(watched).body.collect()
        #expect(halfway.withLock { $0 } == 0.5)
        #expect(progress.fractionCompleted == 1)
    }

    @Test("A failed call does not fill it")
    func failed() async throws {
        transport.enqueue(ScriptedReply(chunks: chunks(3, 4)).failing(.atByte(5)))
        let (request, progress) = Request.sample.reportingFoundationProgress()
        _ = try? await chain().send(request).body.collect()
        #expect(progress.fractionCompleted < 1 && !progress.isFinished)
    }

    @Test("Cancelling it cancels a call that waits for its head")
    func cancelWaiting() async throws {
        let clock = VirtualClock()
        transport.enqueue(.ok.delayed(by: .seconds(5)))
        let log = ReportLog()
        let (request, progress) = Request.sample.observed(by: log).reportingFoundationProgress()
        let chain = try chain(clock)
        let task = Task { try await chain.send(request) }
        try await clock.waitForSleepers()
        progress.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.pendingDeadlines == [])
        #expect(log.lines.last == "down 0/? cancelled")
    }

    @Test("Cancelling it cancels a read that waits, and every call after")
    func cancelReading() async throws {
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(feed: feed))
        let log = ReportLog()
        let (request, progress) = Request.sample.observed(by: log).reportingFoundationProgress()
        let chain = try chain()
        let task = Task { try await chain.send(request).body.collect() }
        feed.send("abc")
        try await feed.waitForDemand()
        progress.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(feed.isCancelled)
        #expect(log.lines == ["down 0/?", "down 3/?", "down 3/? cancelled"])
        await #expect(throws: CancellationError.self) { try await chain.send(request) }
    }
}
#endif
