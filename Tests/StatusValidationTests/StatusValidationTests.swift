import Foundation
import HTTPChainCore
import HTTPChainStatusValidation
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/plants/7"

@Suite("Which statuses are accepted")
struct AcceptanceTests {
    private func isAccepted(_ status: HTTPResponse.Status, _ request: Request, by stage: StatusValidationMiddleware)
        async throws -> Bool
    {
        let outcome = await StageHarness(stage).send(request, answering: .status(status))
        if let error = outcome.error {
            #expect(try #require(error as? StatusError).status == status)
            return false
        }
        return try outcome.response().status == status
    }

    @Test("By default the statuses from 200 to 299 are accepted")
    func byDefault() async throws {
        let stage = StatusValidationMiddleware()
        for (status, accepted) in [
            (200, true), (204, true), (299, true), (199, false), (300, false), (304, false), (500, false),
        ] {
            #expect(try await isAccepted(.init(code: status), .get(url), by: stage) == accepted, "\(status)")
        }
    }

    @Test("A client may accept others")
    func perClient() async throws {
        let stage = StatusValidationMiddleware(accepting: [200, 404])
        for (status, accepted) in [(200, true), (404, true), (201, false)] {
            #expect(try await isAccepted(.init(code: status), .get(url), by: stage) == accepted, "\(status)")
        }
    }

    @Test("A call may accept more")
    func adding() async throws {
        let request = Request.get(url).statuses(adding: [404]).statuses(adding: .serverError)
        for (status, accepted) in [(200, true), (404, true), (503, true), (400, false)] {
            #expect(try await isAccepted(.init(code: status), request, by: StatusValidationMiddleware()) == accepted)
        }
    }

    @Test("A call may accept others alone, and more than those")
    func replacing() async throws {
        let request = Request.get(url).statuses(only: [404])
        for (status, accepted) in [(200, false), (404, true)] {
            #expect(try await isAccepted(.init(code: status), request, by: StatusValidationMiddleware()) == accepted)
        }
        let more = request.statuses(adding: [410])
        for (status, accepted) in [(200, false), (404, true), (410, true)] {
            #expect(try await isAccepted(.init(code: status), more, by: StatusValidationMiddleware()) == accepted)
        }
        #expect(try await !isAccepted(410, more.statuses(only: [404]), by: StatusValidationMiddleware()))
        var direct = Request.get(url)
        direct.options[StatusesOption.self] = .value(.all)
        #expect(try await isAccepted(599, direct, by: StatusValidationMiddleware()))
    }

    @Test("An accepted response passes untouched, its body unread")
    func untouched() async throws {
        let opened = Locked(0)
        let body = HTTPBody.once {
            opened.withLock { $0 += 1 }
            return ChunkReader(["whole"])
        }
        let outcome = await StageHarness(StatusValidationMiddleware()).send(.get(url), answering: .ok(body))
        #expect(opened.withLock { $0 } == 0)
        #expect(try await outcome.response().body.text() == "whole")
    }

    @Test("An error of the exchange passes untouched")
    func transportError() async {
        let error = TransportError(.timedOut, sent: .maybe, stage: "test")
        let outcome = await StageHarness(StatusValidationMiddleware()).send(.get(url), answering: .failure(error))
        #expect((outcome.error as? TransportError)?.kind == .timedOut)
    }
}

@Suite("The error for a status", .timeLimit(.minutes(10)))
struct StatusErrorTests {
    private func refusal(
        _ answer: StageHarness.Answer,
        of request: Request = .get(url),
        by stage: StatusValidationMiddleware = StatusValidationMiddleware()
    ) async throws -> StatusError {
        try #require(await StageHarness(stage).send(request, answering: answer).error as? StatusError)
    }

    @Test("The error shows method, URL, status, content type and how the body begins, and no secrets")
    func message() async throws {
        let error = try await refusal(
            .status(
                404,
                headers: [.contentType: "application/json", .setCookie: "a=secret"],
                body: #"{"error":"no plant"}"#
            ),
            of: .delete(url + "?token=secret", headers: [.authorization: "Bearer secret"])
        )
        #expect(
            error.description == """
                StatusValidationMiddleware: the status 404 is not accepted (accepted: 200...299); \
                handle StatusError, or accept it for this call with statuses(adding: [404])
                  DELETE https://api.example.com/plants/7?token=<redacted> → 404, application/json: \
                {"error":"no plant"}
                """
        )
        #expect(error.exchange?.requestFields == [.authorization: "<redacted>"])
        #expect(error.exchange?.response?.headerFields[.setCookie] == "<redacted>")
        #expect(error.response.headers[.setCookie] == "a=secret")
        #expect(error.underlyingError == nil)
    }

    @Test("The error says what was accepted for the call")
    func accepted() async throws {
        #expect(try await refusal(.status(500), of: .get(url).statuses(adding: [404])).accepted == [.success, 404])
        #expect(try await refusal(.status(200), of: .get(url).statuses(only: [404])).accepted == [404])
    }

    @Test("The body is still whole for an error handler, read once or kept in memory", arguments: [true, false])
    func bodyIsReadable(isOneShot: Bool) async throws {
        let text = String(repeating: "0123456789", count: 1000)
        let body =
            isOneShot
            ? HTTPBody.chunks([String(text.prefix(3000)), String(text.dropFirst(3000))]) : HTTPBody(text)
        let error = try await refusal(.status(500, body: body))
        #expect(error.preview?.bytes.count == 4096)
        #expect(error.preview?.isTruncated == true)
        #expect(try await error.response.body.text() == text)
        #expect(error.response.body.isReplayable == !isOneShot)
    }

    @Test("The preview is as long as was asked for")
    func previewLimit() async throws {
        let short = StatusValidationMiddleware(previewLimit: 5)
        let error = try await refusal(.status(500, body: "0123456789"), by: short)
        #expect(error.preview.map { "\($0)" } == "01234…")
        let whole = try await refusal(.status(500, body: "01234"), by: short)
        #expect(whole.preview.map { "\($0)" } == "01234")
        let empty = try await refusal(.status(500), by: short)
        #expect(empty.preview?.isTruncated == false)
    }

    @Test("With a preview of no bytes the body is left alone")
    func noPreview() async throws {
        let opened = Locked(0)
        let body = HTTPBody.once {
            opened.withLock { $0 += 1 }
            return ChunkReader(["text"])
        }
        let error = try await refusal(.status(500, body: body), by: StatusValidationMiddleware(previewLimit: 0))
        #expect(opened.withLock { $0 } == 0)
        #expect(error.preview == nil)
        #expect(try await error.response.body.text() == "text")
    }

    @Test("A body without an end is read to the limit and no further")
    func endless() async throws {
        let reads = Locked(0)
        let error = try await refusal(.status(500, body: .once { EndlessReader(reads: reads) }))
        #expect(error.preview?.bytes.count == 4096)
        #expect(reads.withLock { $0 } == 5, "4096 bytes in chunks of 1000")
        #expect(error.preview?.isTruncated == true)
    }

    @Test("A body that breaks at once or later does not hide the status", arguments: [[], ["the first ", "bytes"]])
    func brokenBody(chunks: [String]) async throws {
        let lost = TransportError(.connectionLost, sent: .answered, stage: "test")
        let body = HTTPBody.chunks(chunks, failing: lost)
        let error = try await refusal(.status(503, body: body))
        #expect(error.status == .serviceUnavailable)
        #expect((error.underlyingError as? TransportError)?.kind == .connectionLost)
        #expect(error.preview.map { String(decoding: $0.bytes, as: UTF8.self) } == chunks.joined())
        #expect(error.preview?.isTruncated == true)
        #expect(error.description.contains("caused by: test: the connection ended"))
        var seen = Data()
        await #expect(throws: TransportError.self) {
            for try await chunk in error.response.body { seen.append(chunk) }
        }
        #expect(String(decoding: seen, as: UTF8.self) == chunks.joined())
    }

    @Test("A body that is shorter than its length, or was read before, does not hide the status")
    func unreadableBody() async throws {
        let short = HTTPBody.chunks(["123"], length: 10)
        #expect(
            (try await refusal(.status(500, body: short)).underlyingError as? BodyError)?.problem
                == .shorterThanDeclared(declared: 10, actual: 3)
        )
        let spent = HTTPBody.chunks([String]())
        _ = try await spent.collect()
        #expect(
            (try await refusal(.status(500, body: spent)).underlyingError as? BodyError)?.problem == .alreadyRead
        )
    }

    @Test("Cancellation while the body is looked at is cancellation of the call", arguments: [true, false])
    func cancellation(disguised: Bool) async throws {
        let clock = VirtualClock()
        let body = HTTPBody.once { StalledReader(clock: clock, isDisguised: disguised) }
        await #expect(throws: CancellationError.self) {
            try await StageHarness(StatusValidationMiddleware()).drive(.get(url)) { run in
                try await run.nextCall().answer(Response(.badGateway, body: body))
                try await clock.waitForSleepers()
                run.cancel()
                _ = try await run.response()
            }
        }
    }
}

@Suite("Status validation in a chain")
struct StatusValidationInChainTests {
    @Test("The table of the chain shows what is accepted")
    func summary() throws {
        let chain = try Chain(transport: Stub(.ok)) { StatusValidationMiddleware(accepting: [.success, 304]) }
        #expect(chain.explain().contains("accepts: 200...299, 304; preview: 4 KiB"))
    }

    @Test("The stage belongs outside retry and inside the serializer")
    func phase() {
        let stage = { (phase: Phase) in
            ClosureMiddleware("\(phase)", phase: phase) { request, next in try await next(request) }
        }
        #expect(throws: Never.self) {
            try Chain(transport: Stub(.ok)) {
                stage(.decode)
                StatusValidationMiddleware()
                stage(.retry)
            }
        }
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: Stub(.ok)) {
                stage(.retry)
                StatusValidationMiddleware()
            }
        }
    }

    @Test("An error handler outside it can answer from the response in the error")
    func errorHandler() async throws {
        let chain = try Chain(transport: Stub(.notFound, body: "nothing here")) {
            ClosureMiddleware("Handler", phase: .failure) { request, next in
                do {
                    return try await next(request)
                } catch let error as StatusError {
                    return Response(.ok, body: HTTPBody("recovered: " + (try await error.response.body.text())))
                }
            }
            StatusValidationMiddleware()
        }
        #expect(try await chain.send(.get(url)).body.text() == "recovered: nothing here")
    }

    @Test(
        "The stage keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { StatusValidationMiddleware() }.verify(check)
        try await StageConformance { StatusValidationMiddleware(accepting: .all, previewLimit: 0) }.verify(check)
    }

    @Test("The example of the documentation works", arguments: [HTTPResponse.Status.notFound, .tooManyRequests])
    func example(status: HTTPResponse.Status) async throws {
        let transport = Stub(status, body: "slow down")
        let seen = Locked("")
        func print(_ error: StatusError) { seen.withLock { $0 = "\(error)" } }

        let chain = try Chain(transport: transport) {
            StatusValidationMiddleware(accepting: [.success, 304])
        }
        do {
            let response = try await chain.send(.get("https://api.example.com/plants/7").statuses(adding: [404]))
            if response.status == .notFound { seen.withLock { $0 = "there is none" } }
        } catch let error as StatusError where error.status == .tooManyRequests {
            print(error)
        }

        let text = seen.withLock { $0 }
        #expect(status == .notFound ? text == "there is none" : text.contains("429 Too Many Requests: slow down"))
    }
}

/// A transport with one answer.
private struct Stub: Transport {
    let capabilities: TransportCapabilities = []
    let response: Response

    init(_ status: HTTPResponse.Status, body: HTTPBody = .empty) {
        response = Response(status, body: body)
    }

    func send(_ request: consuming Request) async throws -> Response {
        _ = try request.forWire()
        return response
    }
}

private struct EndlessReader: BodyReader {
    let reads: Locked<Int>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        reads.withLock { $0 += 1 }
        return Data(repeating: 0x61, count: 1000)
    }
}

private struct StalledReader: BodyReader {
    struct Interrupted: Error {}
    let clock: VirtualClock
    let isDisguised: Bool

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        do {
            try await clock.sleep(for: .seconds(1))
        } catch {
            throw isDisguised ? Interrupted() : error
        }
        return nil
    }
}
