import HTTPChainCore
import HTTPTypes

/// A request option that detects when the request is released.
enum ConformanceLifelineNote: RequestNote {
    static var defaultValue: Lifeline? { nil }
    static var affectsResponse: Bool { false }
}

extension StageConformance {
    func verifyRequestIsNotKept() async throws {
        let isReleased = Locked(false)
        let stage = try makeStage()
        let next = ConformanceNext(.answer(answers))
        let call = try start(.requestIsNotKept, stage, next) { request in
            request.options[ConformanceLifelineNote.self] = Lifeline { isReleased.withLock { $0 = true } }
        }
        if case .success(let response) = try await call.result() {
            _ = try? await response.body.collect()
        }
        guard try await patience.settle({ isReleased.withLock { $0 } }) else {
            throw call.failure("the request, or its options, are still referenced when the call is over")
        }
        // The stage must outlive the check, because it may be what retains the request.
        withExtendedLifetime(stage) {}
    }

    func verifyConcurrentCalls() async throws {
        let stage = try makeStage()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...32 {
                group.addTask { try await verifyCall(number, of: stage) }
            }
            try await group.waitForAll()
        }
    }

    private func verifyCall(_ number: Int, of stage: any Middleware) async throws {
        let yielding = answers.map { answer in
            StageHarness.Answer.perform { request in
                for _ in 0..<number % 4 { await Task.yield() }
                return try await answer.response(to: request)
            }
        }
        let next = ConformanceNext(.answer(yielding))
        let call = try start(.concurrentCallsStayApart, stage, next) { request in
            request.head.headerFields[.conformanceCall] = "\(number)"
            request.url += (request.url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "conformance=\(number)"
        }
        switch try await call.result() {
        case .failure(let error):
            throw call.failure("call \(number) of 32 at a time threw \(error)")
        case .success(let response):
            guard let answered = response.headers[.conformanceCall], answered != "\(number)" else { return }
            throw call.failure("call \(number) got the response to call \(answered)")
        }
    }
}
