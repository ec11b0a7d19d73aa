public import Dispatch
import HTTPChainCore
import HTTPChainSupport

/// The place where the results of calls are made: values are decoded, with a serializer of the chain too, and mapped to
/// the application's types.
///
/// It is never the actor of the caller by accident. Values of a stream are decoded by whoever reads them.
public enum ResultProcessing: Sendable {
    /// On Swift's concurrent pool.
    case concurrent
    /// On a queue, such as a serial one of low priority for results that take long.
    case queue(DispatchQueue)
    /// On an actor, also the main one if that is really wanted (`MainActor.shared`).
    case actor(any Actor)

    /// Whether it is another place than the one where a call goes on by itself.
    var isElsewhere: Bool { if case .concurrent = self { false } else { true } }

    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        switch self {
        case .concurrent: return try work()
        case .queue(let queue): return try await Self.waiting(for: work) { queue.async(execute: $0) }
        case .actor(let actor):
            return try await Self.waiting(for: work) { job in Task { await Self.run(on: actor, job) } }
        }
    }

    /// Waits for work elsewhere, but not beyond the end of the task: the place may be busy for long.
    private static func waiting<Value: Sendable>(
        for work: @escaping @Sendable () throws -> Value,
        _ begin: (_ job: @escaping @Sendable () -> Void) -> Void
    ) async throws -> Value {
        let outcome = Watched<Result<Value, any Error>?>(nil)
        let isWanted = Locked(true)
        defer { isWanted.withLock { $0 = false } }
        begin {
            guard isWanted.withLock({ $0 }) else { return }
            let result = Result(catching: work)
            outcome.update { $0 = result }
        }
        return try await outcome.wait { $0 }.get()
    }

    private static func run(on actor: isolated any Actor, _ job: @Sendable () -> Void) { job() }
}

extension ResultProcessing: DecodingPlace {}
