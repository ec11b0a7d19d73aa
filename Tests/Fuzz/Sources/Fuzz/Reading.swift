import Dispatch
import Foundation
import HTTPChainCore

/// Waits for asynchronous work, as the fuzzer may: it calls from a thread that is no task's.
func finish<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
    let result = Locked<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
        let value = await work()
        result.withLock { $0 = value }
        done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { fatalError("the work has ended without a value") }
    return value
}

extension HTTPBody {
    /// A body that gives these pieces.
    static func pieces(_ pieces: [Data]) -> HTTPBody {
        .replayable { PieceReader(rest: pieces.filter { !$0.isEmpty }[...]) }
    }
}

private struct PieceReader: BodyReader {
    var rest: ArraySlice<Data>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        rest.popFirst()
    }
}
