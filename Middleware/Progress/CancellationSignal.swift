import Foundation
import HTTPChainCore

/// Ends a call from outside its task.
final class CancellationSignal: Sendable {
    private let isRaised = Watched(false)

    func raise() {
        isRaised.update { $0 = true }
    }

    /// Runs `operation`, and cancels it as soon as one of the signals is raised.
    ///
    /// - Throws: Errors from `operation`; `CancellationError` if a signal was raised first.
    static func race<Result: Sendable>(
        _ signals: [CancellationSignal],
        _ operation: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        if signals.contains(where: { $0.isRaised.value }) { throw CancellationError() }
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await operation() }
            for signal in signals {
                group.addTask {
                    try await signal.isRaised.wait { $0 ? () : nil }
                    return nil
                }
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let result = first else { throw CancellationError() }
            return result
        }
    }
}

/// Interrupts a read as soon as a signal is raised.
///
/// To make that possible, each read runs in a child task.
struct CancellableReader: BodyReader {
    /// Stores the reader between reads, which may come from different tasks.
    private actor Inner {
        private var reader: (any BodyReader)?

        init(_ reader: sending any BodyReader) {
            self.reader = reader
        }

        func read() async throws -> Data? {
            guard var current = reader else { return nil }
            // The reader is removed while it reads. If that fails, it is not put back, so that the transfer behind it
            // ends.
            reader = nil
            guard let chunk = try await current.read() else { return nil }
            reader = current
            return chunk
        }
    }

    private let inner: Inner
    private let signals: [CancellationSignal]

    init(_ inner: sending any BodyReader, _ signals: [CancellationSignal]) {
        self.inner = Inner(inner)
        self.signals = signals
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        try await CancellationSignal.race(signals) { [inner] in try await inner.read() }
    }
}
