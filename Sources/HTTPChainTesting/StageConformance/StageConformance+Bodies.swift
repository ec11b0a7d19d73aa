import HTTPChainCore
import HTTPTypes

extension StageConformance {
    func verifyOneShotBody() async throws {
        let lost = TransportError(.connectionLost, sent: .nothing, stage: "conformance", detail: "provoked")
        let scripts = provokingAnswers + [[.failure(lost)] + answers]
        for script in scripts {
            let body = try await oneShotBody()
            let next = ConformanceNext(.answer(script))
            let call = try start(.oneShotBodyIsReadOnce, try makeStage(), next) { request in
                if let body { request.body = body }
            }
            let result = try await call.result()
            if next.state.value.bodyWasReadTwice {
                throw call.failure("the body was sent again after it had been read; the call \(result.summary)")
            }
            if case .failure(let error) = result,
                error.causes.contains(where: { ($0 as? BodyError)?.problem == .alreadyRead })
            {
                throw call.failure("the stage read the body twice; the call \(result.summary)")
            }
        }
    }

    /// Returns the request's content as a one-shot body; `nil` if it is empty or a typed value.
    private func oneShotBody() async throws -> HTTPBody? {
        let original = try makeRequest().body
        guard original.value == nil else { return nil }
        let bytes = try await original.collect()
        return bytes.isEmpty ? nil : BodyProbe().body(bytes)
    }

    func verifyDiscardedResponses() async throws {
        // Most stages don't call `next` again after this status, but stages that encode requests do.
        let refused = StageHarness.Answer.status(.unsupportedMediaType, body: Self.provokingText)
        for script in provokingAnswers + [[refused] + answers] {
            let next = ConformanceNext(.answer(script), limitedToOne: patience)
            let stage = try makeStage()
            let call = try start(.discardedResponsesAreReleased, stage, next)
            try await verifyDiscarded(in: call, next)
            _ = try await patience.settle { next.state.value.probes.allSatisfy(\.isSettled) }
            let open = next.state.value.probes.count { !$0.isSettled }
            if open > 0 {
                throw call.failure("\(open) response \(open == 1 ? "body is" : "bodies are") kept open after the call")
            }
            if next.state.value.overlaps {
                throw call.failure(
                    "next was called again while the previous response was open: with a limit of one the call would "
                        + "wait for itself"
                )
            }
        }
    }

    /// While the caller has the result, one body may be open: that of the returned response, or that in the error.
    private func verifyDiscarded(in call: ConformanceCall, _ next: ConformanceNext) async throws {
        let result = try await call.result()
        _ = try await patience.settle { next.state.value.probes.count { !$0.isSettled } <= 1 }
        var open = next.state.value.probes.count { !$0.isSettled }
        if open <= 1, case .success(let response) = result {
            _ = try? await response.body.collect()
            open = next.state.value.probes.count { !$0.isSettled } + 1
        }
        guard open <= 1 else {
            let others = open - 1
            throw call.failure(
                "\(others) response \(others == 1 ? "body is" : "bodies are") open in addition to the one returned"
            )
        }
    }

    func verifyResponseBody() async throws {
        let next = ConformanceNext(.answer(answers))
        let call = try start(.responseBodyIsWhole, try makeStage(), next)
        guard case .success(let response) = try await call.result() else {
            throw call.failure("the call failed; declare a request and responses that the stage accepts")
        }
        do {
            let bytes = try await response.body.collect()
            let answered = next.state.value.bodies
            if changesResponseBody || next.state.value.callCount == 0 { return }
            if answered.contains(bytes) || (answered.isEmpty && bytes.isEmpty) { return }
            let expected = answered.last?.count ?? 0
            throw call.failure(
                (bytes.count == expected
                    ? "the caller gets different bytes than next gave"
                    : "the caller gets \(bytes.count) bytes and next gave \(expected)")
                    + "; declare changesResponseBody if that is intended"
            )
        } catch let error as StageConformanceFailure {
            throw error
        } catch {
            throw call.failure("reading the body throws \(error)")
        }
    }

    func verifyBrokenBody() async throws {
        let next = ConformanceNext(.answer(answers, breaking: ProvokedError(number: 2)))
        let call = try start(.brokenBodyStaysBroken, try makeStage(), next)
        guard case .success(let response) = try await call.result(), !next.state.value.probes.isEmpty else { return }
        if recoversFromErrors { return }
        guard (try? await response.body.collect()) == nil else {
            throw call.failure("the body that next gave breaks, and the caller reads it to an end without an error")
        }
    }
}
