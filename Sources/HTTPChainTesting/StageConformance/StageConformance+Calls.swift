import HTTPChainCore
import HTTPTypes

/// The error that `next` throws in the checks.
struct ProvokedError: Error, Hashable, CustomStringConvertible {
    let number: Int
    var description: String { "the error that the check made next throw" }
}

extension StageConformance {
    /// Starts a call of a stage.
    func start(
        _ check: Check,
        _ stage: any Middleware,
        _ next: ConformanceNext,
        change: (inout Request) -> Void = { _ in }
    ) throws -> ConformanceCall {
        var request = try makeRequest()
        if !request.options.contains(EnvironmentNote.self) { request.environment = .virtual(makeClock()) }
        change(&request)
        return ConformanceCall(request, through: stage, next: next, check: check, suite: self)
    }

    /// The declared answers; there is always at least one.
    var answers: [StageHarness.Answer] {
        let answers = makeAnswers()
        return answers.isEmpty ? Self.defaultAnswers : answers
    }

    /// The content of all answers except the last.
    static var provokingText: HTTPBody { "what an answer says that is not the last" }

    /// The declared answers, alone and after an answer that makes many stages call `next` again.
    var provokingAnswers: [[StageHarness.Answer]] {
        let text = Self.provokingText
        return [
            answers,
            [.status(.serviceUnavailable, headers: [.retryAfter: "0"], body: text)] + answers,
            [.status(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=\"conformance\""], body: text)] + answers,
            [.status(.temporaryRedirect, headers: [.location: "/items/elsewhere"], body: text)] + answers,
        ]
    }

    func verifyCancellationReachesNext() async throws {
        let next = ConformanceNext(.suspend)
        let call = try start(.cancellationReachesNext, try makeStage(), next)
        guard try await call.untilSuspended() else {
            if calls == .exactlyOnce { throw call.failure("the call ended before next was called") }
            return
        }
        call.cancel()
        switch try await call.result("the cancelled call to end") {
        case .failure(is CancellationError): return
        case let other: throw call.failure("the cancelled call \(other.summary)")
        }
    }

    func verifyCancellationFromNext() async throws {
        let next = ConformanceNext(.fail(CancellationError()))
        let call = try start(.cancellationFromNextPassesOn, try makeStage(), next)
        let result = try await call.result()
        let count = next.state.value.callCount
        if count == 0, calls != .exactlyOnce { return }
        guard case .failure(is CancellationError) = result else { throw call.failure("the call \(result.summary)") }
        guard count == 1 else { throw call.failure("next was called \(count) times") }
    }

    func verifyCalls() async throws {
        let behaviours =
            provokingAnswers.map { ConformanceNext.Behaviour.answer($0) } + [.fail(ProvokedError(number: 0))]
        for behaviour in behaviours {
            let next = ConformanceNext(behaviour)
            let call = try start(.nextIsCalledAsDeclared, try makeStage(), next)
            let result = try await call.result()
            let count = next.state.value.callCount
            let isAsDeclared =
                switch calls {
                case .exactlyOnce: count == 1
                case .atMostOnce: count <= 1
                case .any: true
                }
            guard isAsDeclared else {
                throw call.failure(
                    "next was called \(count) times, but \(calls) was declared; the call \(result.summary)"
                )
            }
        }
    }

    func verifyErrors() async throws {
        let lost = TransportError(.connectionLost, sent: .nothing, stage: "conformance", detail: "provoked")
        let errors: [(any Error, (any Error) -> Bool)] = [
            (ProvokedError(number: 1), { $0 as? ProvokedError == ProvokedError(number: 1) }),
            (lost, { ($0 as? TransportError)?.detail == lost.detail }),
        ]
        for (error, isTheSame) in errors {
            let next = ConformanceNext(.fail(error))
            let call = try start(.errorsPassOn, try makeStage(), next)
            let result = try await call.result()
            if next.state.value.callCount == 0, calls != .exactlyOnce { continue }
            switch result {
            case .success:
                if recoversFromErrors { continue }
                throw call.failure("next threw \(error), and the call \(result.summary)")
            case .failure(let thrown):
                guard thrown.causes.contains(where: isTheSame) else {
                    throw call.failure("next threw \(error), and the call \(result.summary) which does not contain it")
                }
            }
        }
    }
}
