import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainTesting
import Testing

/// What a bar shows of uploads in whole chains, with `ProgressMiddleware()` and no further word.
@Suite("A bar for uploads", .timeLimit(.minutes(10)))
struct UploadProgressTests {
    /// What is told of an upload: one entry for each attempt.
    private struct Shown: Equatable {
        var attempts: [Int] = []
        var isRising = true
        var expected: Int64?
        var completed: Int64 = 0
        var state = TransferProgress.State.running
        /// How many reports show a part of the whole.
        var steps = 0
    }

    private let reports = Locked<[TransferProgress]>([])

    private var shown: Shown {
        var shown = Shown()
        for report in reports.withLock({ $0 }) where report.direction == .upload {
            if shown.attempts.last == report.attempt {
                shown.isRising = shown.isRising && report.completed >= shown.completed
            } else {
                shown.attempts.append(report.attempt)
                shown.steps = 0
            }
            shown.expected = report.expected
            shown.completed = report.completed
            shown.state = report.state
            if let fraction = report.fraction, fraction > 0, fraction < 1 { shown.steps += 1 }
        }
        return shown
    }

    private let form: MultipartForm = [
        .text("title", "Holiday"), .data("photo", Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0) })),
    ]

    private func send(_ request: Request, over transport: InMemoryTransport, compressing: Bool = false) async throws {
        let chain = try Chain(transport: transport, environment: .virtual(.automatic())) {
            ProgressMiddleware(reportsPerSecond: 0)
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://api.example.com")
            MultipartMiddleware()
            RedirectMiddleware()
            GzipMiddleware(requests: compressing ? .standard : nil)
            RetryMiddleware()
        }
        let reports = reports
        _ = try await chain.send(request.progress { report in reports.withLock { $0.append(report) } })
    }

    /// Over a transport that tells what it has sent, and over one that does not.
    static let transports: [TransportCapabilities] = [.inMemory, [.streamsUploads]]

    private func transport(_ capabilities: TransportCapabilities) -> InMemoryTransport {
        InMemoryTransport(capabilities: capabilities)
    }

    @Test("A multipart form counts to its last byte", arguments: transports)
    func form(capabilities: TransportCapabilities) async throws {
        let transport = transport(capabilities)
        transport.enqueue(.ok)
        try await send(.post("photos", multipart: form), over: transport)
        let length = try #require(transport.requests.first?.head.headerFields[.contentLength].flatMap { Int64($0) })
        #expect(length > 400_000)
        let shown = shown
        #expect(shown.attempts == [1] && shown.isRising && shown.state == .finished && shown.steps > 3)
        #expect(shown.expected == length && shown.completed == length)
    }

    @Test("A form that is compressed counts the form's bytes", arguments: transports)
    func compressedForm(capabilities: TransportCapabilities) async throws {
        let transport = transport(capabilities)
        transport.enqueue(.ok)
        try await send(.post("photos", multipart: form), over: transport, compressing: true)
        #expect(transport.requests.first?.head.headerFields[.contentEncoding] == "gzip")
        let shown = shown
        #expect(shown.attempts == [1] && shown.isRising && shown.state == .finished && shown.steps > 3)
        #expect(shown.completed > 400_000 && shown.expected == shown.completed)
    }

    @Test("Bytes that are compressed beforehand count as those that were given", arguments: transports)
    func compressedBytes(capabilities: TransportCapabilities) async throws {
        let transport = transport(capabilities)
        transport.enqueue(.ok)
        let text = String(repeating: "a line of a log\n", count: 20_000)
        try await send(.post("logs", body: HTTPBody(text)), over: transport, compressing: true)
        let shown = shown
        #expect(shown.attempts == [1] && shown.isRising && shown.state == .finished)
        #expect(shown.completed == 320_000 && shown.expected == 320_000)
    }

    @Test("A stream of unknown size counts up, and is whole at its end", arguments: transports)
    func stream(capabilities: TransportCapabilities) async throws {
        let transport = transport(capabilities)
        transport.enqueue(.ok)
        let body = HTTPBody.once(
            chunks: AsyncStream { continuation in
                for _ in 1...5 { continuation.yield(Data(repeating: 0x61, count: 1000)) }
                continuation.finish()
            }
        )
        try await send(.post("stream", body: body), over: transport)
        let shown = shown
        #expect(shown.attempts == [1] && shown.isRising && shown.state == .finished)
        #expect(shown.completed == 5000 && shown.expected == 5000)
    }

    @Test("A value counts as what the serializer makes of it", arguments: transports)
    func value(capabilities: TransportCapabilities) async throws {
        let transport = transport(capabilities)
        transport.enqueue(.ok)
        try await send(.post("plants", body: .value(["name": "fern"])), over: transport)
        #expect(shown.completed == 15 && shown.expected == 15 && shown.state == .finished)
    }

    @Test("A form that a redirect sends on begins again", arguments: transports)
    func redirected(capabilities: TransportCapabilities) async throws {
        let transport = transport(capabilities)
        transport.enqueue(.redirect(to: "/elsewhere", status: .temporaryRedirect))
        transport.enqueue(.ok)
        try await send(.post("photos", multipart: form), over: transport)
        let shown = shown
        #expect(shown.attempts == [1, 2] && shown.isRising && shown.state == .finished && shown.steps > 3)
        #expect(shown.completed > 400_000 && shown.expected == shown.completed)
    }

    @Test("A form that is retried begins again, compressed or not", arguments: transports, [true, false])
    func retried(capabilities: TransportCapabilities, isCompressed: Bool) async throws {
        let transport = transport(capabilities)
        transport.enqueue(.status(.serviceUnavailable))
        transport.enqueue(.status(.serviceUnavailable))
        transport.enqueue(.ok)
        try await send(.put("photos").multipart(form), over: transport, compressing: isCompressed)
        let shown = shown
        #expect(shown.attempts == [1, 2, 3] && shown.isRising && shown.state == .finished && shown.steps > 3)
        #expect(shown.completed > 400_000 && shown.expected == shown.completed)
    }

    @Test("Nothing is drawn for a file that is missing", arguments: [true, false])
    func missingFile(isForm: Bool) async throws {
        let text = Locked("")
        let writer = TerminalProgressWriter(terminalWidth: 80) { new in text.withLock { $0 += new } }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID()).jpg")
        let form: MultipartForm = [.file("photo", file)]
        let request = isForm ? Request.post("photos", multipart: form) : .upload(.post, "photos", file: file)
        await #expect(throws: (any Error).self) {
            try await send(request.progress { writer.show($0) }, over: InMemoryTransport { _ in Response(.ok) })
        }
        #expect(text.withLock { $0 } == "")
    }
}
