/// A sequence of updates about calls, as returned by ``Client/events(limit:)``, ``Client/activity`` and
/// ``StoredThenLive/steps``.
///
/// The sequence ends if the iterating task is cancelled.
public struct CallUpdates<Element: Sendable>: AsyncSequence, Sendable {
    typealias Read = @Sendable () async -> Element?

    private let begin: @Sendable () -> Read
    private let readDropped: @Sendable () -> Int

    /// - Parameters:
    ///   - dropped: A closure that returns the number of values that were dropped because nobody read them.
    ///   - begin: A closure that starts an iteration, and returns a closure for the next value.
    init(dropped: @escaping @Sendable () -> Int = { 0 }, begin: @escaping @Sendable () -> Read) {
        self.begin = begin
        readDropped = dropped
    }

    /// The number of values dropped because more than the limit were waiting to be read.
    package var dropped: Int { readDropped() }

    /// An iterator over the values.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let read: Read

        /// The next value; `nil` at the end.
        public mutating func next() async -> Element? { await read() }
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(read: begin()) }
}
