public import Dispatch

/// Where the results of calls are made: text is decoded, values are mapped to the application's types.
///
/// It is never the actor of the caller by accident.
public enum ResultProcessing: Sendable {
    /// On Swift's concurrent pool.
    case concurrent
    /// On a queue, such as a serial one of low priority for results that take long.
    case queue(DispatchQueue)
    /// On an actor, also the main one if that is really wanted (`MainActor.shared`).
    case actor(any Actor)

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        switch self {
        case .concurrent: return try work()
        case .queue(let queue):
            return try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result(catching: work)) }
            }
        case .actor(let actor): return try await Self.run(on: actor, work)
        }
    }

    private static func run<Value: Sendable>(
        on actor: isolated any Actor,
        _ work: @Sendable () throws -> Value
    ) throws -> Value {
        try work()
    }
}
