#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainProgress
import HTTPChainResumableUpload
import HTTPChainRetry
import HTTPChainStatusValidation
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

@Suite("Resumable uploads in a chain", .timeLimit(.minutes(10)))
struct ChainTests {
    private let url = "https://example.com/files"
    private let bytes = Data((0..<40).map { UInt8($0) })

    private func request(_ body: HTTPBody? = nil) -> Request {
        var request = Request.post(url, body: body ?? HTTPBody(bytes))
        request.environment = .virtual(.automatic())
        return request.resumableUpload()
    }

    private let parts = ResumableUploadOptions(partSize: 10)

    @Test("A 401 in the middle refreshes the token, and the upload goes on with the new one")
    func refresh() async throws {
        let server = UploadServer(.tus, faults: [2: .answer(401, [.wwwAuthenticate: #"Bearer error="invalid_token""#])])
        let refreshes = Counter()
        let chain = try Chain(transport: server) {
            ResumableUploadMiddleware(.tus, partition: .shared, options: parts)
            RetryMiddleware()
            BearerAuthMiddleware(
                .asking { _, _ in AccessToken(Secret("token-\(refreshes.add())")) },
                for: "https://example.com"
            )
        }
        let response = try await chain.send(request())
        #expect(response.upload?.isComplete == true && response.upload?.attempts == 0)
        #expect(server.content == bytes && server.seen.created == 1)
        let tokens = server.seen.requests.map { $0.headerFields[.authorization] }
        #expect(tokens == Array(repeating: "Bearer token-1", count: 3) + Array(repeating: "Bearer token-2", count: 3))
    }

    @Test("A retry inside sends again what a server has not taken, and what it may have taken is asked for")
    func retryInside() async throws {
        let server = UploadServer(.tus, faults: [1: .answer(503, [.retryAfter: "1"]), 3: .cut(after: 4)])
        let chain = try Chain(transport: server) {
            ResumableUploadMiddleware(.tus, options: parts)
            RetryMiddleware()
        }
        let response = try await chain.send(request())
        #expect(server.methods == ["POST", "PATCH", "PATCH", "PATCH", "HEAD", "PATCH", "PATCH", "PATCH"])
        #expect(response.upload?.attempts == 1 && server.content == bytes)
    }

    @Test("A retry outside goes on where the upload broke off, and does not begin it anew")
    func retryOutside() async throws {
        let faults = Dictionary(uniqueKeysWithValues: (2..<8).map { ($0, UploadServer.Fault.cut(after: 0)) })
        let server = UploadServer(.tus, faults: faults)
        var options = parts
        options.maximumAttemptsWithoutProgress = 2
        let inner = try Chain(transport: server) { ResumableUploadMiddleware(.tus, options: options) }
        let chain = try Chain(transport: inner) { RetryMiddleware(RetryPolicy(maximumAttempts: 5)) }
        let response = try await chain.send(request())
        #expect(response.attempts > 1 && response.upload?.resumedAt == 10)
        #expect(server.seen.created == 1 && server.content == bytes)
    }

    @Test("A part that takes too long is cut off, and the upload goes on")
    func timeout() async throws {
        let clock = VirtualClock()
        let server = UploadServer(.tus)
        let began = Counter()
        let slow = ChangingTransport(server) { number in
            guard number == 1 else { return }
            began.add()
            try await clock.sleep(for: .seconds(3600))
        }
        let chain = try Chain(transport: slow) {
            ResumableUploadMiddleware(.tus)
            AttemptTimeoutMiddleware(.seconds(30))
        }
        var request = request()
        request.environment = .virtual(clock)
        let call = Task { [request] in try await chain.send(request) }
        try await began.wait(until: 1)
        clock.advance(by: .seconds(31))
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        #expect(try await call.value.upload?.attempts == 1)
        #expect(server.content == bytes)
    }

    @Test("The deadline of the call ends an upload, which stays for a later one")
    func deadline() async throws {
        let store = MemoryUploadStore()
        let server = UploadServer(.tus, faults: [2: .answer(503, [.retryAfter: "50"])])
        let chain = try Chain(transport: server) {
            TimeoutMiddleware(.seconds(10))
            ResumableUploadMiddleware(.tus, store: store, options: parts)
        }
        #expect(try await chain.send(request()).status == .serviceUnavailable, "there is no time for the wait")
        #expect(store.count == 1)
    }

    @Test("A status that is the answer is validated outside")
    func validation() async throws {
        let server = UploadServer(.tus, faults: [0: .answer(413)])
        let chain = try Chain(transport: server) {
            StatusValidationMiddleware()
            ResumableUploadMiddleware(.tus)
        }
        let error = await #expect(throws: StatusError.self) { try await chain.send(request()) }
        #expect(error?.response.status == .contentTooLarge)
    }

    @Test(
        "Progress sees each byte of the whole upload once, in one attempt, however it is counted",
        arguments: [[.reportsUploadProgress, .streamsUploads], [.streamsUploads]] as [TransportCapabilities]
    )
    func progress(capabilities: TransportCapabilities) async throws {
        let server = UploadServer(.tus, capabilities: capabilities)
        let chain = try Chain(transport: server) {
            ProgressMiddleware(reportsPerSecond: 0)
            ResumableUploadMiddleware(.tus, options: parts)
        }
        let reports = Locked<[TransferProgress]>([])
        let content = HTTPBody.pieces(bytes, of: 10, length: 40, replayable: true)
        _ = try await chain.send(request(content).progress { report in reports.withLock { $0.append(report) } })
        let uploads = reports.withLock { $0 }.filter { $0.direction == .upload }
        #expect(uploads.map(\.completed) == [0, 10, 20, 30, 40, 40])
        #expect(uploads.allSatisfy { $0.attempt == 1 && $0.expected == 40 })
        #expect(uploads.last?.state == .finished)
        #expect(server.content == bytes)
    }

    @Test("What is sent a second time is not counted a second time")
    func progressAfterFailure() async throws {
        let server = UploadServer(.tus, faults: [2: .cut(after: 3), 4: .cut(after: 0)])
        let chain = try Chain(transport: server) {
            ProgressMiddleware(reportsPerSecond: 0)
            ResumableUploadMiddleware(.tus, options: parts)
        }
        let reports = Locked<[TransferProgress]>([])
        _ = try await chain.send(request().progress { report in reports.withLock { $0.append(report) } })
        let counts = reports.withLock { $0 }.filter { $0.direction == .upload }.map(\.completed)
        #expect(counts == counts.sorted() && counts.last == 40)
    }

    @Test("A chain says where the stage stands, and refuses what goes wrong with it")
    func order() throws {
        let server = UploadServer(.tus)
        let chain = try Chain(transport: server) {
            ResumableUploadMiddleware(.draft, options: parts)
            RetryMiddleware()
        }
        #expect(chain.explain().contains("ResumableUploadMiddleware"))
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: server) {
                RetryMiddleware()
                ResumableUploadMiddleware(.tus)
            }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: server) {
                ResumableUploadMiddleware(.tus)
                ResumableUploadMiddleware(.tus)
            }
        }
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: server) {
                ResumableUploadMiddleware(.tus)
                BearerAuthMiddleware(token: "token", for: "https://example.com")
            }
        }
        #expect(error?.recoverySuggestion?.contains("partition: .shared") == true)
    }
}
#endif
