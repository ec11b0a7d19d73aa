#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Testing

@testable import HTTPChainResumableUpload

@Suite("Resumable uploads by the draft", .timeLimit(.minutes(10)))
struct DraftTests {
    private let url = "https://example.com/files"
    private let bytes = Data((0..<40).map { UInt8($0) })

    private func request(_ body: HTTPBody? = nil) -> Request {
        var request = Request.put(url, headers: [.contentType: "image/png"], body: body ?? HTTPBody(bytes))
        request.environment = .virtual(.automatic())
        return request.resumableUpload()
    }

    private func send(
        _ request: Request,
        to server: UploadServer,
        options: ResumableUploadOptions = ResumableUploadOptions()
    ) async throws -> Response {
        let stage = ResumableUploadMiddleware(.draft, options: options)
        return try await stage.intercept(request, next: Next(to: server))
    }

    @Test("An upload is created by an empty request like the caller's, and its last append brings the answer")
    func whole() async throws {
        let server = UploadServer(.draft)
        var request = request()
        request.headers[field("Repr-Digest")] = "sha-256=:AA==:"
        request.headers[field("Content-Digest")] = "sha-256=:AA==:"
        let response = try await send(request, to: server)
        #expect(try await response.body.text() == "the answer")
        #expect(response.headers[.location] == nil)
        #expect(server.methods == ["PUT", "PATCH"] && server.content == bytes)
        let requests = server.seen.requests.map(\.headerFields)
        #expect(requests.map { $0[field("Upload-Draft-Interop-Version")] } == ["8", "8"])
        #expect(requests.map { $0[field("Upload-Complete")] } == ["?0", "?1"])
        #expect(requests.map { $0[.contentType] } == ["image/png", "application/partial-upload"])
        #expect(requests.map { $0[field("Upload-Length")] } == ["40", nil])
        #expect(requests.map { $0[field("Repr-Digest")] } == ["sha-256=:AA==:", nil])
        #expect(requests.allSatisfy { !$0.contains(field("Content-Digest")) })
    }

    @Test("The content is whole wherever the connection is lost, and whichever answer is")
    func faults() async throws {
        for cut in 0...10 as ClosedRange<Int64> {
            for number in 0..<6 {
                let server = UploadServer(.draft, faults: [number: .cut(after: cut)])
                _ = try await send(request(), to: server, options: ResumableUploadOptions(partSize: 10))
                let complete = server.seen.uploads.values.filter(\.isComplete)
                #expect(complete.map(\.bytes) == [bytes], "\(cut) of request \(number)")
            }
        }
        for number in 0..<5 {
            let server = UploadServer(.draft, faults: [number: .lostAnswer])
            let response = try await send(request(), to: server, options: ResumableUploadOptions(partSize: 10))
            #expect(response.upload?.isComplete == true, "\(number)")
            #expect(server.seen.uploads.values.filter(\.isComplete).map(\.bytes) == [bytes], "\(number)")
        }
    }

    @Test("A server that forgets what is complete is not sent it twice")
    func forgotten() async throws {
        let server = UploadServer(.draft, faults: [1: .lostAnswer]) { $0.forgetsComplete = true }
        let error = await #expect(throws: UploadError.self) { try await send(request(), to: server) }
        #expect(error?.problem == .outcomeUnknown && server.seen.created == 1)
    }

    @Test("Parts keep to the limits that the server tells with the creation")
    func limits() async throws {
        let server = UploadServer(.draft) { $0.fields[field("Upload-Limit")] = "max-append-size=15, max-age=60, x=1" }
        let response = try await send(request(), to: server)
        #expect(response.upload?.isComplete == true)
        #expect(server.methods == ["PUT", "PATCH", "PATCH", "PATCH"])
        let small = UploadServer(.draft) { $0.fields[field("Upload-Limit")] = "max-size=39" }
        let error = await #expect(throws: UploadError.self) { try await send(request(), to: small) }
        #expect(error?.problem == .tooLarge(length: 40, limit: 39))
        #expect(small.methods == ["PUT", "DELETE"] && small.seen.uploads.isEmpty)
    }

    @Test("Settings that only tus has are warned of, and aren't listed")
    func settingsOfTus() throws {
        let options = ResumableUploadOptions(createsWithContent: true, checksum: .sha256)
        for (name, count) in [(UploadProtocol.draft, 2), (.tus, 0)] {
            let stage = ResumableUploadMiddleware(name, options: options)
            let chain = try Chain(transport: UploadServer(.tus)) { stage }
            let warnings = chain.warnings.map(\.problem)
            #expect(warnings.count == count && warnings.allSatisfy { $0.contains("only tus has") }, "\(warnings)")
            #expect(stage.summary.settings.first { $0.name == "checksum" }?.value == (count == 0 ? "sha256" : "none"))
        }
    }

    @Test("An upload of nothing is created and completed")
    func empty() async throws {
        let server = UploadServer(.draft)
        let response = try await send(request(.empty), to: server)
        #expect(response.upload?.isComplete == true && server.methods == ["PUT", "PATCH"])
    }

    @Test("Problems tell where to go on, and a response with another one still has all of its content")
    func problems() async throws {
        let problem = "https://iana.org/assignments/http-problem-types#mismatching-upload-offset"
        let document = #"{"type": "\#(problem)", "expected-offset": 12}"#
        let json: HTTPFields = [.contentType: "application/problem+json"]
        let stage = ResumableUploadMiddleware(.draft)
        let created = StageHarness.Answer.status(.created, headers: [.location: "/uploads/1"])
        let outcome = await StageHarness(stage).send(
            request(),
            answering: created,
            .status(.conflict, headers: json, body: HTTPBody(document)),
            .status(.ok, headers: [field("Upload-Complete"): "?1"])
        )
        #expect(outcome.requests.last?.headers[field("Upload-Offset")] == "12")
        #expect(outcome.requests.last?.body.bytes == bytes.dropFirst(12))
        let other = #"{"type": "about:blank", "title": "\#(String(repeating: "long ", count: 10_000))"}"#
        let refused = await StageHarness(stage).send(
            request(),
            answering: created,
            .status(.badRequest, headers: json, body: HTTPBody(other))
        )
        #expect(try await refused.response().body.text() == other)
    }

    @Test(
        "Fields that are not of their type count as missing",
        arguments: [
            ("5", Int64(5)), ("-1", nil), ("5.0", nil), ("\"5\"", nil), ("5, 5", nil), ("", nil), ("5;a=1", 5),
            ("1000000000000000", nil),
        ] as [(String, Int64?)]
    )
    func offsets(text: String, offset: Int64?) {
        let head = HTTPResponse(status: .ok, headerFields: [field("Upload-Offset"): text])
        #expect(Draft().answer(head, now: Date()).offset == offset)
    }

    @Test(
        "Limits of which one is no number are no limits",
        arguments: [
            (
                "max-size=5, min-size=1, max-append-size=4, min-append-size=2",
                UploadLimits(
                    maximumSize: 5,
                    minimumSize: 1,
                    maximumPart: 4,
                    minimumPart: 2
                )
            ),
            ("max-size=5, max-append-size=?1", UploadLimits()), ("max-size=-5", UploadLimits()),
            ("max-size=5, other=?1", UploadLimits(maximumSize: 5)), ("max-size", UploadLimits()),
            ("=", UploadLimits()),
        ]
    )
    func limitFields(text: String, limits: UploadLimits) {
        let head = HTTPResponse(status: .ok, headerFields: [field("Upload-Limit"): text])
        #expect(Draft().answer(head, now: Date()).limits == limits)
    }

    @Test("The problem types are those of the draft, and anything else is none")
    func problemTypes() {
        let prefix = "https://iana.org/assignments/http-problem-types#"
        func problem(_ text: String) -> UploadProblem? { Draft.problem(in: Data(text.utf8)) }
        #expect(problem(#"{"type": "\#(prefix)completed-upload"}"#) == .completed)
        #expect(problem(#"{"type": "\#(prefix)inconsistent-upload-length"}"#) == .inconsistentLength)
        #expect(
            problem(#"{"type": "\#(prefix)mismatching-upload-offset", "expected-offset": -1}"#)
                == .mismatchingOffset(expected: nil)
        )
        #expect(problem(#"{"type": "\#(prefix)other"}"#) == nil)
        #expect(problem("[]") == nil && problem("{") == nil && problem("") == nil)
    }
}
#endif
