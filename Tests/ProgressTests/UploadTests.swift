#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainProgress

@Suite("Uploads", .timeLimit(.minutes(10)))
struct UploadTests {
    private let log = ReportLog()
    private let transport = InMemoryTransport()

    private func chain(_ view: TransferProgress.View) throws -> Chain {
        try Chain(transport: transport, environment: .virtual(.automatic())) {
            ProgressMiddleware(view, reportsPerSecond: 0)
        }
    }

    private let whole = ["up 0/7", "up 3/7", "up 7/7", "up 7/7 finished", "down 0/0", "down 0/0 finished"]

    @Test("Each chunk is told, and the download after it", arguments: [TransferProgress.View.consumer, .wire])
    func chunked(view: TransferProgress.View) async throws {
        transport.enqueue(.ok)
        _ = try await chain(view).send(.sampleUpload(body(3, 4, declaring: 7)).observed(by: log))
        #expect(log.lines == whole)
    }

    @Test("A body of unknown size is whole at its end", arguments: [TransferProgress.View.consumer, .wire])
    func unknownSize(view: TransferProgress.View) async throws {
        transport.enqueue(.ok)
        _ = try await chain(view).send(.sampleUpload(body(3, 4, replayable: false)).observed(by: log))
        #expect(log.lines.prefix(4) == ["up 0/?", "up 3/?", "up 7/?", "up 7/7 finished"])
    }

    @Test("The length and the replayability of a body stay", arguments: [true, false])
    func keeping(isReplayable: Bool) async throws {
        let seen = ClosureTransport(capabilities: .inMemory) { request in
            #expect(request.body.length == 7 && request.body.isReplayable == isReplayable)
            _ = try await request.body.collect()
            return Response(.ok)
        }
        let chain = try Chain(transport: seen) { ProgressMiddleware() }
        let request = Request.sampleUpload(body(3, 4, declaring: 7, replayable: isReplayable)).observed(by: log)
        _ = try await chain.send(request)
        #expect(log.lines.contains("up 7/7 finished"))
    }

    @Test("The wire's view leaves the body as it is")
    func wireKeepsBytes() async throws {
        let seen = ClosureTransport(capabilities: .inMemory) { request in
            #expect(request.body.bytes == Data("abc".utf8))
            request.options[UploadProgressNote.self]?(2, 3)
            return Response(.ok)
        }
        let chain = try Chain(transport: seen) { ProgressMiddleware(.wire, reportsPerSecond: 0) }
        _ = try await chain.send(.sampleUpload("abc").observed(by: log))
        #expect(log.lines.prefix(3) == ["up 0/3", "up 2/3", "up 3/3 finished"])
    }

    @Test("Who asked the transport before is still told")
    func uploadProgressIsChained() async throws {
        transport.enqueue(.ok)
        let sent = Locked<[Int64]>([])
        var request = Request.sampleUpload(body(3, 4, declaring: 7)).observed(by: log)
        request.options[UploadProgressNote.self] = { count, _ in sent.withLock { $0.append(count) } }
        _ = try await chain(.wire).send(request)
        #expect(sent.withLock { $0 } == [3, 7])
    }

    @Test(
        "A server that refuses without reading did not get the upload",
        arguments: [TransferProgress.View.consumer, .wire]
    )
    func refused(view: TransferProgress.View) async throws {
        transport.enqueue(.status(.contentTooLarge).withoutReadingRequestBody())
        _ = try await chain(view).send(.sampleUpload(body(3, 4, declaring: 7)).observed(by: log))
        #expect(log.lines == ["up 0/7", "up 0/7 cancelled", "down 0/0", "down 0/0 finished"])
    }

    @Test("An upload whose body breaks has failed", arguments: [TransferProgress.View.consumer, .wire])
    func broken(view: TransferProgress.View) async throws {
        transport.enqueue(.ok)
        let feed = ChunkFeed()
        feed.send("abc")
        feed.fail(Provoked())
        await #expect(throws: Provoked.self) {
            try await chain(view).send(.sampleUpload(feed.body).observed(by: log))
        }
        #expect(log.lines == ["up 0/?", "up 3/?", "up 3/? failed"])
        #expect(log.reports.last?.error is Provoked)
    }

    @Test("A typed value has bytes as soon as a serializer has made them")
    func typedValue() async throws {
        let serializer = ClosureMiddleware("Serializer", phase: .decode) { request, next in
            #expect(request.body.value != nil)
            request.setContent("12345")
            var response = try await next(request)
            response.body = HTTPBody(try await response.body.collect())
            response.options[DecodedValueFact.self] = 5
            return response
        }
        transport.enqueue(.text("five"))
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            serializer
            ProgressMiddleware(.wire, reportsPerSecond: 0)
        }
        let value = try await chain.send(.sampleUpload(.value(5)).observed(by: log), as: Int.self)
        #expect(value == 5)
        #expect(
            log.lines(.consumer) == [
                "up 0/?", "up 0/5", "up 5/5", "up 5/5 finished", "down 0/4", "down 4/4", "down 4/4 finished",
            ]
        )
        #expect(
            log.lines(.wire) == [
                "up 0/5", "up 5/5", "up 5/5 finished", "down 0/4", "down 4/4", "down 4/4 finished",
            ]
        )
        #expect(log.reports.last?.view == .consumer)
    }

    @Test("An upload that is sent again begins again, as another attempt")
    func sentAgain() async throws {
        for _ in 1...2 { transport.enqueue(.ok) }
        let chain = try Chain(transport: transport) {
            ProgressMiddleware(reportsPerSecond: 0)
            resending(2)
        }
        _ = try await chain.send(.sampleUpload(body(3, 4, declaring: 7)).observed(by: log))
        #expect(
            log.lines == [
                "up 0/7", "up 3/7", "up 7/7", "up 0/7, attempt 2", "up 3/7, attempt 2", "up 7/7, attempt 2",
                "up 7/7 finished, attempt 2", "down 0/0, attempt 2",
                "down 0/0 finished, attempt 2",
            ]
        )
    }

    @Test("A reader that was overtaken by another is not told of any more")
    func overtaken() async throws {
        let twice = ClosureTransport(capabilities: [.streamsUploads]) { request in
            var first = try await request.body.makeReader()
            _ = try await first.read()
            var second = try await request.body.makeReader()
            _ = try await first.read()
            _ = try await second.read()
            return Response(.ok)
        }
        let chain = try Chain(transport: twice) { ProgressMiddleware(reportsPerSecond: 0) }
        _ = try await chain.send(.sampleUpload(body(3, 4, declaring: 7)).observed(by: log))
        #expect(
            log.lines.prefix(5) == [
                "up 0/7", "up 3/7", "up 0/7, attempt 2", "up 3/7, attempt 2", "up 3/7 cancelled, attempt 2",
            ]
        )
    }

    @Test("Over a transport that does not say what it sends, the wire's view counts what it reads")
    func wireAsRead() async throws {
        let silent = ClosureTransport(capabilities: [.streamsUploads]) { request in
            let bytes = try await request.body.collect()
            #expect(bytes.count == 7)
            return Response(.ok)
        }
        let chain = try Chain(transport: silent) {
            ProgressMiddleware(reportsPerSecond: 0)
            resending(2)
            ProgressMiddleware(.wire, countsUploadsAsRead: true, reportsPerSecond: 0)
        }
        _ = try await chain.send(.sampleUpload(body(3, 4, declaring: 7)).observed(by: log))
        #expect(log.lines(.wire).prefix(4) == ["up 0/7", "up 3/7", "up 7/7", "up 7/7 finished"])
        #expect(log.lines(.wire).dropFirst(6).first == "up 0/7, attempt 2")
    }

    @Test("What the transport has sent counts, and bytes stay bytes and a file a file")
    func asSent() async throws {
        let seen = ClosureTransport(capabilities: .inMemory) { request in
            #expect(request.body.bytes == Data("abcdefg".utf8))
            let report = request.beginUploadReport()
            report?(2, 7)
            return Response(.ok)
        }
        let chain = try Chain(transport: seen) { ProgressMiddleware(reportsPerSecond: 0) }
        _ = try await chain.send(.sampleUpload("abcdefg").observed(by: log))
        #expect(log.lines.prefix(3) == ["up 0/7", "up 2/7", "up 7/7 finished"])
    }

    @Test("A size that only the transport knows is told with its first bytes")
    func sizeFromTheTransport() async throws {
        let storing = ClosureTransport(capabilities: .inMemory) { request in
            request.beginUploadReport()?(4, 8)
            return Response(.ok)
        }
        let chain = try Chain(transport: storing) { ProgressMiddleware(reportsPerSecond: 0) }
        _ = try await chain.send(.sampleUpload(body(4, 4, replayable: false)).observed(by: log))
        #expect(log.lines.prefix(3) == ["up 0/?", "up 4/8", "up 8/8 finished"])
    }

    @Test(
        "Bytes that were compressed count for so many of the caller's",
        arguments: [(sent: 5, of: 10, is: 50), (10, 10, 100), (0, 10, 0), (3, nil, 3), (3, 0, 3)]
            as [(Int64, Int64?, Int64)]
    )
    func scaled(sent: Int64, expected: Int64?, count: Int64) {
        #expect(ContentCounter.count(sent: sent, of: expected, for: 100) == count)
    }

    @Test("Of two attempts at once, the later is told of")
    func twoAtOnce() async throws {
        let hedging = ClosureTransport(capabilities: .inMemory) { request in
            let first = request.beginUploadReport()
            first?(3, 7)
            let second = request.beginUploadReport()
            first?(7, 7)
            second?(3, 7)
            return Response(.ok)
        }
        let chain = try Chain(transport: hedging) { ProgressMiddleware(reportsPerSecond: 0) }
        _ = try await chain.send(.sampleUpload(body(3, 4, declaring: 7)).observed(by: log))
        #expect(log.lines.prefix(4) == ["up 0/7", "up 3/7", "up 0/7, attempt 2", "up 3/7, attempt 2"])
    }
}
#endif
