public import HTTPChainCore

/// One call of `next` that a stage made and that waits for its answer.
///
/// The first answer counts; cancelling the stage's task ends the call with `CancellationError`, as a transport does.
public final class StageCall: Sendable {
    private enum Settlement: Sendable {
        case open
        case held
        case settled(Result<Response, any Error>)
    }

    /// The request that the stage passed on.
    public let request: Request
    /// The number of the call of `next`; the first is 1.
    public let number: Int

    private let settlement = Watched(Settlement.open)
    private let onChange: @Sendable () -> Void

    init(_ request: Request, number: Int, onChange: @escaping @Sendable () -> Void) {
        self.request = request
        self.number = number
        self.onChange = onChange
    }

    /// Returns a response to the stage.
    ///
    /// - Returns: Whether it was the first answer, and the stage still waiting.
    @discardableResult
    public func answer(_ response: Response) -> Bool {
        settle(.success(response))
    }

    /// Throws an error to the stage.
    ///
    /// - Returns: Whether it was the first answer, and the stage still waiting.
    @discardableResult
    public func fail(_ error: any Error) -> Bool {
        settle(.failure(error))
    }

    /// Declares that the call is to wait, for now or until the stage gives it up, while the script goes on.
    public func hold() {
        settlement.update { if case .open = $0 { $0 = .held } }
    }

    /// Waits until the stage has given the call up by cancelling it, or it was answered.
    ///
    /// - Throws: `CancellationError` when the test is cancelled.
    public func waitUntilSettled() async throws {
        try await settlement.wait { if case .settled = $0 { () } else { nil } }
    }

    /// Whether the call was answered, or given up by the stage.
    public var isSettled: Bool {
        if case .settled = settlement.value { true } else { false }
    }

    var isForgotten: Bool {
        if case .open = settlement.value { true } else { false }
    }

    var unanswered: StageHarnessError {
        StageHarnessError(.unanswered(call: number, request: request.summary))
    }

    private func settle(_ result: Result<Response, any Error>) -> Bool {
        let isFirst = settlement.update { settlement in
            if case .settled = settlement { return false }
            settlement = .settled(result)
            return true
        }
        if isFirst { onChange() }
        return isFirst
    }

    func result() async throws -> Response {
        let result = await withTaskCancellationHandler {
            // Waited for in a way that only settling ends, so that an answer given at the moment of cancellation is
            // never lost: the handler settles too.
            await settlement.waitUninterrupted { settlement -> Result<Response, any Error>? in
                if case .settled(let result) = settlement { result } else { nil }
            }
        } onCancel: {
            _ = settle(.failure(CancellationError()))
        }
        return try result.get()
    }
}
