#if Macros
import HTTPChainSupport
public import HTTPChain

/// A method of a mock, which returns scripted outputs and records its calls.
///
/// ```swift
/// let mock = PlantServiceMock()
/// mock.on.plant.returns(Plant(id: 7, name: "Rose"))
/// mock.on.search.answers { input in [Plant(id: input.page, name: input.name)] }
/// ```
///
/// Queued outputs and errors are used first, once each. Then the closure of ``answers(_:)`` is called. If there is
/// neither, the call fails with ``UnscriptedCallError``.
public final class MockMethod<Input: Sendable, Output: Sendable>: Sendable {
    private struct State: Sendable {
        var queue: [Result<Output, any Error>] = []
        var answer: (@Sendable (Input) async throws -> Output)?
        var calls: [Input] = []
    }

    private let name: String
    private let state = Locked(State())

    /// Creates an unscripted method.
    public init(_ name: String) {
        self.name = name
    }

    /// The parameters of each call, in order.
    public var calls: [Input] { state.withLock { $0.calls } }

    /// Queues the output of one call.
    public func returns(_ output: Output) {
        state.withLock { $0.queue.append(.success(output)) }
    }

    /// Queues the error of one call.
    public func fails(_ error: any Error) {
        state.withLock { $0.queue.append(.failure(error)) }
    }

    /// Sets the closure that is used for all calls when nothing is queued.
    public func answers(_ answer: @escaping @Sendable (_ input: Input) async throws -> Output) {
        state.withLock { $0.answer = answer }
    }

    /// Performs one call of the mock.
    ///
    /// - Throws: The queued error or the closure's error; ``UnscriptedCallError`` if nothing is scripted;
    ///   `CancellationError` if the task is cancelled.
    public func answer(_ input: Input) async throws -> Output {
        try Task.checkCancellation()
        let (queued, answer) = state.withLock { state in
            state.calls.append(input)
            return (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.answer)
        }
        if let queued { return try queued.get() }
        guard let answer else { throw UnscriptedCallError(method: name) }
        return try await answer(input)
    }
}

extension MockMethod where Output == Void {
    /// Queues the successful end of one call.
    public func returns() { returns(()) }
}

/// An error for an unscripted call of a mock.
public struct UnscriptedCallError: ExplainedError, Hashable {
    /// The name of the method, such as "PlantService.plant(id:)".
    package let method: String

    /// Always "Mock".
    package var failedStage: String { "Mock" }

    package var explanation: Explanation {
        Explanation(
            "\(method) was called, but no result was scripted for it",
            "queue a result with returns(_:), or give one for all calls with answers(_:)"
        )
    }
}
#endif
