import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private struct Unpaid: Error, Equatable {
    var price: Int
}

private struct PlantError: Decodable, Sendable, Equatable {
    var code: Int
}

private let problem = #"{"title": "Gone", "token": "hunter2"}"#

@Suite("Which handler decides")
struct HandlerChoiceTests {
    private let stage = ErrorHandlerMiddleware(
        .problemDetails,
        .jsonAPI,
        .oData,
        .decoding(PlantError.self).limited(to: .clientError),
        .map { $0.status?.code == 402 ? Unpaid(price: 7) : nil }
    )

    @Test(
        "The first handler that takes the content type, the status and the content decides",
        arguments: [
            (410, "application/problem+json", "{}", "ProblemDetails"),
            (410, "application/vnd.api+json", #"{"errors": [{}]}"#, "JSONAPIErrors"),
            (410, "application/json", #"{"error": {"code": "x"}}"#, "ODataError"),
            (410, "application/json", #"{"code": 7}"#, "PlantError"),
            (410, "application/vnd.plant+json", #"{"code": 7}"#, "PlantError"),
            (503, "application/json", #"{"code": 7}"#, "none"),
            (410, "application/json", #"{"code": "seven"}"#, "none"),
            (410, "text/html", "<html>", "none"),
            (402, "text/html", "<html>", "Unpaid"),
            (402, "application/json", #"{"code": 7}"#, "PlantError"),
        ]
    )
    func choice(status: Int, type: String, text: String, expected: String) async {
        let decided: String
        do {
            _ = try await send(answered: .init(code: status), text, as: type, through: stage)
            decided = "an answer"
        } catch is ServiceError<ProblemDetails> {
            decided = "ProblemDetails"
        } catch is ServiceError<JSONAPIErrors> {
            decided = "JSONAPIErrors"
        } catch is ServiceError<ODataError> {
            decided = "ODataError"
        } catch is ServiceError<PlantError> {
            decided = "PlantError"
        } catch is ServiceError<Unpaid> {
            decided = "Unpaid"
        } catch is StatusFailure {
            decided = "none"
        } catch {
            decided = "\(error)"
        }
        #expect(decided == expected)
    }

    @Test("A call's own handlers are asked first")
    func callFirst() async {
        let request = Request.get("https://api.example.com/a").errorHandlers(.map { _ in Unpaid(price: 1) })
        await #expect(throws: ServiceError<Unpaid>.self) {
            try await send(request, answered: .gone, "{}", as: "application/problem+json", through: stage)
        }
    }

    @Test("A call may have no handlers but its own, or none at all")
    func callOnly() async {
        for (request, expectsOriginal) in [
            (Request.get("https://a.example/").errorHandlers(only: []), true),
            (
                Request.get("https://a.example/").errorHandlers(only: []).errorHandlers(.map { _ in Unpaid(price: 1) }),
                false
            ),
        ] {
            do {
                _ = try await send(request, answered: .gone, "{}", as: "application/problem+json", through: stage)
                Issue.record("an error is an answer")
            } catch {
                #expect((error is StatusFailure) == expectsOriginal)
            }
        }
    }

    @Test("A failure without a response is for handlers that need none")
    func withoutResponse() async throws {
        let lost = TransportError(.connectionLost, sent: .maybe, stage: "test")
        await #expect(throws: TransportError.self) { try await send(failing: lost, through: self.stage) }
        let stage = ErrorHandlerMiddleware(
            .problemDetails,
            .map { failure in
                (failure.error as? TransportError).map { Unpaid(price: $0.kind == .connectionLost ? 1 : 2) }
            }
        )
        let error = await #expect(throws: ServiceError<Unpaid>.self) { try await send(failing: lost, through: stage) }
        #expect(error?.details == Unpaid(price: 1))
        #expect((error?.original as? TransportError)?.kind == .connectionLost)
        #expect(error?.status == nil)
    }

    @Test("A handler that validates sees every response with its content, whoever else refuses it")
    func validating() async throws {
        let stage = ErrorHandlerMiddleware(
            .problemDetails,
            .validating { response, content in
                let text = content.map { String(decoding: $0, as: UTF8.self) }
                if response.status == .ok, text?.contains("\"ok\":false") != true { return }
                throw Unpaid(price: response.status.code + (text == nil ? 1000 : 0))
            },
            contentLimit: ByteCount(20)
        )
        let harness = StageHarness(stage)
        let url = "https://a.example/"
        let valid = await harness.send(.get(url), answering: .status(.ok, body: #"{"ok":true}"#))
        #expect(try await valid.response().body.text() == #"{"ok":true}"#)
        let refused = await harness.send(.get(url), answering: .status(.ok, body: #"{"ok":false}"#))
        #expect(refused.error as? Unpaid == Unpaid(price: 200))
        let accepted = await harness.send(.get(url), answering: .status(.accepted, body: "later"))
        #expect(accepted.error as? Unpaid == Unpaid(price: 202))
        let long = await harness.send(
            .get(url),
            answering: .status(.accepted, body: HTTPBody(String(repeating: "a", count: 30)))
        )
        #expect(long.error as? Unpaid == Unpaid(price: 1202))
        let gone = await #expect(throws: Unpaid.self) {
            try await send(.get(url), answered: .gone, "x", as: "text/plain", through: stage)
        }
        #expect(gone == Unpaid(price: 410))
        let lost = TransportError(.connectionLost, sent: .maybe, stage: "test")
        await #expect(throws: TransportError.self) { try await send(failing: lost, through: stage) }
        let limited = ErrorHandlerMiddleware(.validating { _, _ in throw Unpaid(price: 1) }.limited(to: [202, 410]))
        #expect(try await StageHarness(limited).send(.get(url), answering: .status(.ok)).response().status == .ok)
        let limitedOutcome = await StageHarness(limited).send(.get(url), answering: .status(.accepted))
        #expect(limitedOutcome.error as? Unpaid == Unpaid(price: 1))
        let unheard = await harness.send(Request.get(url).errorHandlers(only: []), answering: .status(.accepted))
        #expect(try unheard.response().status == .accepted)
    }

    @Test("Cancellation is never handled, and neither is a response")
    func untouched() async throws {
        let stage = ErrorHandlerMiddleware(.recover { _ in Response(.ok) })
        await #expect(throws: CancellationError.self) { try await send(failing: CancellationError(), through: stage) }
        let outcome = await StageHarness(stage).send(.get("https://a.example/"), answering: .status(500))
        #expect(try outcome.response().status == 500)
    }
}

@Suite("The error that is made")
struct ServiceErrorTests {
    @Test("The error has the original as its cause, the exchange, and the whole response")
    func keepsAll() async throws {
        var response = Response(.gone, headers: [.contentType: "application/problem+json"])
        response.body = .once(
            chunks: AsyncStream {
                $0.yield(Data(problem.utf8)); $0.finish()
            }
        )
        let original = StatusFailure(response: response)
        let error = try #require(
            await #expect(throws: ServiceError<ProblemDetails>.self) {
                try await send(failing: original, through: ErrorHandlerMiddleware(.problemDetails))
            }
        )
        #expect(error.details.title == "Gone")
        #expect(error.status == .gone)
        #expect(try await error.response?.body.text() == problem)
        let cause = try #require(error.underlyingError as? StatusFailure)
        #expect(cause.exchange == original.exchange)
        #expect(error.exchange == original.exchange)
        #expect(error.description.contains("Gone"))
        #expect(error.description.contains("caused by: Test: the status is 410"))
    }

    @Test("A secret in the details' text is not shown")
    func secrets() async throws {
        let text = #"{"title": "Denied", "detail": "{\"password\": \"hunter2\"} is wrong"}"#
        let error = await #expect(throws: ServiceError<ProblemDetails>.self) {
            try await send(
                answered: .forbidden,
                text,
                as: "application/problem+json",
                through: ErrorHandlerMiddleware(.problemDetails)
            )
        }
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.description.contains("Denied") == true)
    }

    @Test("An original error that goes on has its body whole, though handlers looked at it")
    func originalIsWhole() async throws {
        var response = Response(.gone, headers: [.contentType: "application/problem+json"])
        response.body = .once(
            chunks: AsyncStream {
                $0.yield(Data("not JSON".utf8)); $0.finish()
            }
        )
        let failure = StatusFailure(response: response)
        let error = await #expect(throws: StatusFailure.self) {
            try await send(failing: failure, through: ErrorHandlerMiddleware(.problemDetails))
        }
        #expect(try await error?.response.body.text() == "not JSON")
    }

    @Test("Content over the limit is not read on, and can be read from the error")
    func limit() async throws {
        let long = #"{"title": ""# + String(repeating: "x", count: 5000) + #""}"#
        let stage = ErrorHandlerMiddleware(.problemDetails, contentLimit: 100)
        let error = await #expect(throws: StatusFailure.self) {
            try await send(answered: .gone, long, as: "application/problem+json", through: stage)
        }
        #expect(try await error?.response.body.text() == long)
    }

    @Test("Content that breaks isn't handled; reading the error's body gives the received bytes, then the failure")
    func brokenContent() async throws {
        var response = Response(.gone, headers: [.contentType: "application/problem+json"])
        response.body = .once(
            chunks: AsyncThrowingStream<Data, any Error> {
                $0.yield(Data("{}".utf8))
                $0.finish(throwing: TransportError(.connectionLost, sent: .answered, stage: "test"))
            }
        )
        let failure = StatusFailure(response: response)
        let error = await #expect(throws: StatusFailure.self) {
            try await send(failing: failure, through: ErrorHandlerMiddleware(.problemDetails))
        }
        var reader = try #require(try await error?.response.body.makeReader())
        #expect(try await reader.read() == Data("{}".utf8))
        await #expect(throws: TransportError.self) { try await reader.read() }
    }
}

@Suite("Recovery")
struct RecoveryTests {
    @Test("A handler may answer the call instead")
    func response() async throws {
        let stage = ErrorHandlerMiddleware(
            .recover { $0.error is TransportError ? Response(.ok, body: "[]") : nil },
            .problemDetails
        )
        let lost = TransportError(.cannotConnect, sent: .nothing, stage: "test")
        #expect(try await send(failing: lost, through: stage).body.text() == "[]")
        await #expect(throws: ServiceError<ProblemDetails>.self) {
            try await send(answered: .gone, "{}", as: "application/problem+json", through: stage)
        }
    }

    @Test("A fallback value is what a caller gets who asks for its type")
    func value() async throws {
        let transport = ClosureTransport { _ in throw StatusFailure(response: Response(.notFound)) }
        let chain = try Chain(transport: transport, order: .unchecked) {
            ErrorHandlerMiddleware(.fallback(["fern"], for: [404]))
        }
        #expect(try await chain.send(.get("https://a.example/plants"), as: [String].self) == ["fern"])
    }

    @Test("A fallback is not for other statuses")
    func otherStatus() async {
        await #expect(throws: StatusFailure.self) {
            try await send(
                answered: .gone,
                "",
                as: nil,
                through: ErrorHandlerMiddleware(.fallback(["fern"], for: [404]))
            )
        }
    }
}

@Suite("The stage in a chain")
struct ErrorHandlerPlaceTests {
    private struct Validation: Middleware {
        var phase: Phase { .validate }
        func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
    }

    private let transport = ClosureTransport { _ in throw CancellationError() }

    @Test("Handlers of responses alone need a stage that makes errors of statuses")
    func needsValidation() throws {
        let error = #expect(throws: ChainOrderError.self) {
            try Chain(transport: transport) { ErrorHandlerMiddleware(.problemDetails) }
        }
        #expect(error?.description.contains("add StatusValidationMiddleware inside it") == true)
        _ = try Chain(transport: transport) {
            ErrorHandlerMiddleware(.problemDetails)
            Validation()
        }
        _ = try Chain(transport: transport) { ErrorHandlerMiddleware(.problemDetails, .recover { _ in nil }) }
        let inner = try Chain(transport: transport) { Validation() }
        _ = try Chain(transport: inner) { ErrorHandlerMiddleware(.problemDetails) }
    }

    @Test("explain() names the handlers in their order")
    func summary() {
        let stage = ErrorHandlerMiddleware(.problemDetails, .decoding(PlantError.self).limited(to: [404]))
        #expect(stage.summary.settings.first?.value == "problem details, PlantError for 404")
    }

    @Test("The stage keeps the rules of every stage", arguments: StageConformance.Check.allCases)
    func conformance(check: StageConformance.Check) async throws {
        try await StageConformance { ErrorHandlerMiddleware(.problemDetails, .jsonAPI, .oData) }.verify(check)
    }
}
