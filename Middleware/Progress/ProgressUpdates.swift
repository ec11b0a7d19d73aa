package import HTTPChainCore

/// The progress of a single call, made by ``HTTPChainCore/Request/observingProgress()``.
///
/// It holds only a few reports, of which newer ones replace older ones. Only one task at a time can iterate.
public struct ProgressUpdates: AsyncSequence, Sendable {
    let observer: ProgressObserver

    init(observer: ProgressObserver) {
        self.observer = observer
    }

    /// Makes the progress of a call that is made later.
    package init() {
        self.init(observer: ProgressObserver())
    }

    /// Returns a request that reports its progress here.
    package func observing(_ request: consuming Request) -> Request {
        request.add(observer)
        return request
    }

    /// Iterates over the reports of a call.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: ProgressObserver

        /// Returns the next report; `nil` after the last, or when the task is cancelled.
        public mutating func next() async -> TransferProgress? {
            await observer.next()
        }

        /// Returns the next report; `nil` after the last, or when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferProgress? {
            await observer.next()
        }
    }

    /// Begins to iterate, starting with the reports that are already waiting.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(observer: observer)
    }
}
