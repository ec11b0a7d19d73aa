public import HTTPChainCore
public import HTTPTypes

/// A harness that runs a single stage, without a chain and a network.
///
/// With the responses to `next` given in advance:
///
/// ```swift
/// let outcome = await StageHarness(RetryMiddleware()).send(.get("https://example.com"), answering: .status(503), .ok)
/// #expect(outcome.requests.count == 2)
/// #expect(try outcome.response().status == .ok)
/// ```
///
/// To answer each call of `next` by hand instead, use ``drive(_:script:)``.
///
/// The request gets a virtual environment with ``clock``, unless it already has an environment.
public struct StageHarness: Sendable {
    /// The stage under test.
    package let stage: any Middleware
    /// The clock that the stage sees.
    public let clock: VirtualClock
    private let environment: ChainEnvironment

    /// Creates a harness for a stage.
    ///
    /// - Parameters:
    ///   - stage: The stage.
    ///   - clock: The clock that the stage sees. Defaults to an automatic one, on which every wait ends immediately.
    ///   - seed: The seed of the random numbers that the stage sees.
    public init(_ stage: any Middleware, clock: VirtualClock = .automatic(), seed: UInt64 = 0) {
        self.stage = stage
        self.clock = clock
        environment = .virtual(clock, seed: seed)
    }

    /// A result of the rest of the chain for a call of `next`.
    public enum Answer: Sendable {
        /// Returns a response.
        case response(Response)
        /// Throws an error.
        case failure(any Error)
        /// Calls the closure with the request that the stage passed on.
        case perform(@Sendable (Request) async throws -> Response)

        /// 200 with no body.
        public static var ok: Answer { .response(Response(.ok)) }

        /// 200 with a body.
        package static func ok(_ body: HTTPBody) -> Answer { .response(Response(.ok, body: body)) }

        /// A response with a status, header fields and a body.
        public static func status(
            _ status: HTTPResponse.Status,
            headers: HTTPFields = [:],
            body: HTTPBody = .empty
        ) -> Answer {
            .response(Response(status, headers: headers, body: body))
        }

        func response(to request: Request) async throws -> Response {
            switch self {
            case .response(let response): return response
            case .failure(let error): throw error
            case .perform(let closure): return try await closure(request)
            }
        }
    }

    /// The outcome of a stage for one request.
    public struct Outcome: Sendable {
        /// The requests that the stage passed to `next`, in order.
        ///
        /// Each body has been read, as a transport would do. A body that can be read only once has been buffered, so
        /// that it can be read here, too.
        public let requests: [Request]
        /// The response that the stage returned, or the error that it threw.
        package let result: Result<Response, any Error>
        /// The number of unused answers.
        package let unusedAnswers: Int

        /// Returns the response of the stage.
        ///
        /// - Throws: The error that the stage threw.
        public func response() throws -> Response { try result.get() }

        /// The error that the stage threw; `nil` if it returned a response.
        public var error: (any Error)? {
            if case .failure(let error) = result { error } else { nil }
        }
    }

    /// Sends one request through the stage and answers its calls to `next`, one answer for each.
    ///
    /// If there are more calls than answers, the result is an error, regardless of how the stage handles it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answers: The answers in order; 200 without a body if none are given.
    public func send(_ request: Request, answering answers: Answer...) async -> Outcome {
        await send(request, answering: answers.isEmpty ? [.ok] : answers)
    }

    /// Sends one request through the stage and answers its calls to `next`, one answer for each.
    ///
    /// If there are more calls than answers, the result is an error, regardless of how the stage handles it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - answers: The answers in order; an empty array for a stage that must not call `next`.
    package func send(_ request: Request, answering answers: [Answer]) async -> Outcome {
        let script = ScriptedNext(answers)
        return script.outcome(await Result.of { try await stage.intercept(prepared(request), next: Next(to: script)) })
    }

    func prepared(_ request: Request) -> Request {
        guard !request.options.contains(EnvironmentNote.self) else { return request }
        var request = request
        request.environment = environment
        return request
    }
}

/// The rest of the chain, with answers from a list.
private final class ScriptedNext: Transport {
    private struct State {
        var answers: ArraySlice<StageHarness.Answer>
        var requests: [Request] = []
        var missing: StageHarnessError?
    }

    let capabilities: TransportCapabilities = [.streamsUploads, .keepsRepeatedFields]
    private let state: Locked<State>

    init(_ answers: [StageHarness.Answer]) {
        state = Locked(State(answers: answers[...]))
    }

    func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        if !request.body.isReplayable {
            request.body = HTTPBody(try await request.body.collect())
        } else if request.body.value == nil {
            for try await _ in request.body {}
        }
        let seen = request
        let answer = try state.withLock { state in
            state.requests.append(seen)
            guard let answer = state.answers.popFirst() else {
                let error = StageHarnessError(.noAnswerLeft(call: state.requests.count, request: "\(seen.summary)"))
                state.missing = error
                throw error
            }
            return answer
        }
        return try await answer.response(to: seen)
    }

    func outcome(_ result: Result<Response, any Error>) -> StageHarness.Outcome {
        state.withLock { state in
            StageHarness.Outcome(
                requests: state.requests,
                result: state.missing.map { .failure($0) } ?? result,
                unusedAnswers: state.answers.count
            )
        }
    }
}

extension Request {
    /// The method and URL, with secrets redacted.
    var summary: String { "\(head.method) \(Redaction.standard.url(url))" }
}
