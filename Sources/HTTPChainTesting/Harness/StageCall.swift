public import HTTPChainCore

/// A stage's call of `next`, for which the stage is waiting.
///
/// Only the first response or error has an effect. Cancelling the stage's task ends the call with `CancellationError`,
/// as with a transport.
public final class StageCall: Sendable {
    private enum Settlement: Sendable {
        case open
        case held
        case settled(Result<Response, any Error>)
    }

    /// The request that the stage passed on.
    public let request: Request
    /// The number of the call to `next`, counted from 1.
    package let number: Int

    private let settlement = Watched(Settlement.open)
    private let onChange: @Sendable () -> Void

    init(_ request: Request, number: Int, onChange: @escaping @Sendable () -> Void) {
        self.request = request
        self.number = number
        self.onChange = onChange
    }

    /// Returns a response to the stage.
    ///
    /// - Returns: Whether the call was still waiting; `false` if it was already settled.
    @discardableResult
    public func answer(_ response: Response) -> Bool {
        settle(.success(response))
    }

    /// Makes the call throw an error to the stage.
    ///
    /// - Returns: Whether the call was still waiting; `false` if it was already settled.
    @discardableResult
    public func fail(_ error: any Error) -> Bool {
        settle(.failure(error))
    }

    /// Marks the call as deliberately unanswered, so that the script can continue, for now or until the stage cancels
    /// the call.
    public func hold() {
        settlement.update { if case .open = $0 { $0 = .held } }
    }

    /// Waits until the call was answered, or cancelled by the stage.
    ///
    /// - Throws: `CancellationError` if the test is cancelled.
    package func waitUntilSettled() async throws {
        try await settlement.wait { if case .settled = $0 { () } else { nil } }
    }

    /// Whether the call was answered, or cancelled by the stage.
    package var isSettled: Bool {
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
            // Only settling ends this wait, so that a response given at the moment of cancellation isn't lost. The
            // cancellation handler settles the call, too.
            await settlement.waitUninterrupted { settlement -> Result<Response, any Error>? in
                if case .settled(let result) = settlement { result } else { nil }
            }
        } onCancel: {
            _ = settle(.failure(CancellationError()))
        }
        return try result.get()
    }
}
