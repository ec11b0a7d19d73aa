#if AllTests
import Foundation
import HTTPChain
import HTTPChainResumableUpload
import TestSupport
import Testing

@Suite("Against tuspyserver", .heavy, .timeLimit(.minutes(10)))
struct TusTests {
    /// 1 MB that compresses badly, so that a byte in the wrong place shows.
    private let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })

    /// What the server has of an upload.
    private func stored(_ response: Response, _ base: String, _ carrier: Carrier) async throws -> Data {
        let name = try #require(response.headers[.location]?.split(separator: "/").last)
        let answer = try await Chain(transport: carrier.transport) {}.send(.get("\(base)/stored/\(name)"))
        #expect(answer.status == .ok)
        return try await answer.body.collect()
    }

    /// A request for an upload whose content tells it from those of other tests.
    private func request(_ base: String, _ carrier: Carrier, _ name: String) throws -> Request {
        let content = bytes + Data("\(name) \(carrier.rawValue)".utf8)
        let upload = ResumableUpload(metadata: ["filename": "\(name).bin", "filetype": "application/octet-stream"])
        return Request.post("\(base)/files/", body: HTTPBody(content)).resumableUpload(upload)
    }

    @Test(
        "What is uploaded is what the server has, in one go, in parts, and with the creation",
        arguments: Carrier.allCases,
        [(nil, false), (.kibibytes(300), false), (.kibibytes(300), true)] as [(ByteCount?, Bool)]
    )
    func upload(carrier: Carrier, way: (part: ByteCount?, createsWithContent: Bool)) async throws {
        guard let base = Server.tus.base() else { return }
        let options = ResumableUploadOptions(
            partSize: way.part,
            createsWithContent: way.createsWithContent,
            asksForLimits: true
        )
        let chain = try Chain(transport: carrier.transport) { ResumableUploadMiddleware(.tus, options: options) }
        let request = try request(base, carrier, "whole")
        let response = try await chain.send(request)
        #expect(response.upload?.isComplete == true && response.upload?.attempts == 0)
        #expect(try await stored(response, base, carrier) == request.body.bytes)
    }

    @Test("An upload that breaks off goes on, in its call and in another chain", arguments: Carrier.allCases)
    func broken(carrier: Carrier) async throws {
        guard let base = Server.tus.base() else { return }
        let scratch = ScratchDirectory()
        func chain(_ options: ResumableUploadOptions, breaking parts: Set<Int>) throws -> Chain {
            let count = Counter()
            return try Chain(transport: carrier.transport) {
                ResumableUploadMiddleware(.tus, store: FileUploadStore(directory: scratch.url), options: options)
                ClosureMiddleware("Breaking", phase: .wire) { request, next in
                    if request.method == .patch, parts.contains(count.add()) {
                        request.body = request.body.transformed(length: request.body.length) { BreakingReader($0) }
                    }
                    return try await next(request)
                }
            }
        }
        var options = ResumableUploadOptions(partSize: .kibibytes(300))
        options.backoff = Backoff(base: .milliseconds(1), cap: .seconds(30))
        let request = try request(base, carrier, "broken")
        options.maximumAttempts = 1
        let error = await #expect(throws: UploadError.self) {
            try await chain(options, breaking: [2, 3]).send(request)
        }
        guard case .interrupted(let offset, _) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(offset >= 300 * 1024)
        options.maximumAttempts = 10
        let response = try await chain(options, breaking: [1]).send(request)
        // The server may hold the lock of a part that broke off for half a minute, and then answers 503.
        #expect(response.upload?.attempts ?? 0 >= 1 && response.upload?.resumedAt ?? 0 >= offset)
        #expect(try await stored(response, base, carrier) == request.body.bytes)
        #expect(scratch.names.isEmpty)
    }

    @Test("What is larger than the server takes is not begun", arguments: Carrier.allCases)
    func tooLarge(carrier: Carrier) async throws {
        guard let base = Server.tus.base() else { return }
        let options = ResumableUploadOptions(asksForLimits: true)
        let chain = try Chain(transport: carrier.transport) { ResumableUploadMiddleware(.tus, options: options) }
        let request = Request.post("\(base)/files/", body: HTTPBody(Data(count: 4_000_001))).resumableUpload()
        let error = await #expect(throws: UploadError.self) { try await chain.send(request) }
        #expect(error?.problem == .tooLarge(length: 4_000_001, limit: 4_000_000))
    }

    @Test("An upload that is cancelled is removed from the server", arguments: Carrier.allCases)
    func termination(carrier: Carrier) async throws {
        guard let base = Server.tus.base() else { return }
        let store = MemoryUploadStore()
        let urls = Events<String>()
        let options = ResumableUploadOptions(partSize: .kibibytes(300), cancellation: .terminates)
        let chain = try Chain(transport: carrier.transport) {
            ResumableUploadMiddleware(.tus, store: store, options: options)
            ClosureMiddleware("Waiting", phase: .wire) { request, next in
                if request.method == .patch, request.headers[.init("Upload-Offset")!] != "0" {
                    urls.add(request.url)
                    try await Task.sleep(for: .seconds(3600))
                }
                return try await next(request)
            }
        }
        let call = Task { [request = try request(base, carrier, "cancelled")] in try await chain.send(request) }
        let url = try await urls.next()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        let plain = try Chain(transport: carrier.transport) {}
        var head = Request.head(url)
        head.headers[.init("Tus-Resumable")!] = "1.0.0"
        #expect(try await plain.send(head).status == .notFound)
        #expect(store.count == 0)
    }
}

/// Loses the connection in the middle of a content.
private struct BreakingReader: BodyReader {
    private var inner: any BodyReader
    private var count = 0

    init(_ inner: sending any BodyReader) {
        self.inner = inner
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard count < 100_000, let chunk = try await inner.read() else {
            throw TransportError(.connectionLost, sent: .maybe, stage: "BreakingReader")
        }
        count += chunk.count
        return chunk
    }
}
#endif
