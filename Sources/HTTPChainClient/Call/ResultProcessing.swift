public import Dispatch
import HTTPChainCore
import HTTPChainSupport

/// The place where results are decoded (including by the chain's serializer) and mapped to the application's types.
///
/// The caller's actor is used only if you choose it. Values of a stream are decoded by its reader, not here.
public enum ResultProcessing: Sendable {
    /// On Swift's concurrent pool.
    case concurrent
    /// On a queue, such as a serial low-priority one for slow results.
    case queue(DispatchQueue)
    /// On an actor, including the main actor (`MainActor.shared`).
    case actor(any Actor)

    /// Whether this differs from the place where calls run.
    var isElsewhere: Bool { if case .concurrent = self { false } else { true } }

    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        switch self {
        case .concurrent: return try work()
        case .queue(let queue): return try await Self.waiting(for: work) { queue.async(execute: $0) }
        case .actor(let actor):
            return try await Self.waiting(for: work) { job in Task { await Self.run(on: actor, job) } }
        }
    }

    /// Waits for work in another place, or until the task is cancelled, because the place may be busy for a long time.
    private static func waiting<Value: Sendable>(
        for work: @escaping @Sendable () throws -> Value,
        _ begin: (_ job: @escaping @Sendable () -> Void) -> Void
    ) async throws -> Value {
        let outcome = Handover<Result<Value, any Error>>()
        begin {
            if outcome.isWanted { _ = outcome.give(Result(catching: work)) }
        }
        return try await outcome.value().get()
    }

    private static func run(on actor: isolated any Actor, _ job: @Sendable () -> Void) { job() }
}

extension ResultProcessing: DecodingPlace {}
