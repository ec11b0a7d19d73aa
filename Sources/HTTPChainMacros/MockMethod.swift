#if Macros
import HTTPChainSupport
public import HTTPChain

/// A method of a mock: answers as a test says, and counts its calls.
///
/// ```swift
/// let mock = PlantServiceMock()
/// mock.on.plant.returns(Plant(id: 7, name: "Rose"))
/// mock.on.search.answers { input in [Plant(id: input.page, name: input.name)] }
/// ```
///
/// What was queued is given first, each once; then what ``answers(_:)`` says; then the call fails with
/// ``UnscriptedCallError``.
public final class MockMethod<Input: Sendable, Output: Sendable>: Sendable {
    private struct State: Sendable {
        var queue: [Result<Output, any Error>] = []
        var answer: (@Sendable (Input) async throws -> Output)?
        var calls: [Input] = []
    }

    private let name: String
    private let state = Locked(State())

    /// Makes a method without answers.
    public init(_ name: String) {
        self.name = name
    }

    /// The parameters of each call, in order.
    public var calls: [Input] { state.withLock { $0.calls } }

    /// The number of times that it was called.
    public var callCount: Int { state.withLock { $0.calls.count } }

    /// Queues the output of one call.
    public func returns(_ output: Output) {
        state.withLock { $0.queue.append(.success(output)) }
    }

    /// Queues the error of one call.
    public func fails(_ error: any Error) {
        state.withLock { $0.queue.append(.failure(error)) }
    }

    /// Answers all calls for which nothing is queued.
    public func answers(_ answer: @escaping @Sendable (_ input: Input) async throws -> Output) {
        state.withLock { $0.answer = answer }
    }

    /// Answers one call, as the mock does.
    ///
    /// - Throws: What was queued or is thrown by the answer; ``UnscriptedCallError`` where there is neither;
    ///   `CancellationError` when the task is cancelled.
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
    /// Queues the end of one call, without an error.
    public func returns() { returns(()) }
}

/// A mock was called, and nothing says what it answers.
public struct UnscriptedCallError: HTTPChainError, Hashable {
    /// The method: "PlantService.plant(id:)".
    public let method: String

    /// Always "Mock".
    public var stage: String { "Mock" }

    /// The method that was called.
    public var reason: String { "\(method) was called, and nothing says what it answers" }

    /// To script it.
    public var recoverySuggestion: String? {
        "queue an answer with returns(_:), or give one for all calls with answers(_:)"
    }
}
#endif
