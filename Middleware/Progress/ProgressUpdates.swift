/// The progress of one call, as it goes on; ``HTTPChainCore/Request/observingProgress()`` makes it.
///
/// It holds a few reports at most: newer ones take the place of older ones. One task at a time iterates.
public struct ProgressUpdates: AsyncSequence, Sendable {
    /// One report.
    public typealias Element = TransferProgress
    /// Nothing is thrown; a failure is a report.
    public typealias Failure = Never

    let observer: ProgressObserver

    /// Gives the reports of a call one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: ProgressObserver

        /// The next report; `nil` after the last, and when the task is cancelled.
        public mutating func next() async -> TransferProgress? {
            await observer.next()
        }

        /// The next report; `nil` after the last, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TransferProgress? {
            await observer.next()
        }
    }

    /// Begins to iterate, with what is there already.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(observer: observer)
    }
}
