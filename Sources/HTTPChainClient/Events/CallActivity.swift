import HTTPChainCore

/// The number of running calls of a client that show activity, now and as it changes; ``Client/activity`` is it.
///
/// ```swift
/// for await count in client.activity { indicator.isVisible = count > 0 }
/// ```
///
/// An iteration begins with the count as it is, and goes on with the newest whenever it has changed; counts that lasted for
/// shorter than the loop needs are passed over. It ends when the client has gone away and its last call has ended, and
/// when the task is cancelled. ``Endpoint/showingActivity(_:)`` leaves an endpoint out.
public struct CallActivity: AsyncSequence, Sendable {
    /// A count.
    public typealias Element = Int
    /// Nothing is thrown.
    public typealias Failure = Never

    struct State: Sendable {
        var count = 0
        var isOver = false
        /// Whether somebody has ever listened to events: until then a call looks for nobody who does.
        var isHeard = false
    }

    let state: Watched<State>

    /// The number of running calls that show activity.
    public var count: Int { state.read(\.count) }

    /// Gives the counts one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let state: Watched<State>
        private var last: Int?

        init(state: Watched<State>) { self.state = state }

        /// The newest count, when it is another than the last; `nil` at the end.
        public mutating func next() async -> Int? {
            last = await Self.newest(of: state, after: last)
            return last
        }

        /// The newest count, when it is another than the last; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
            last = await Self.newest(of: state, after: last)
            return last
        }

        private static func newest(of state: Watched<State>, after last: Int?) async -> Int? {
            let next: Int?? = try? await state.wait { state in
                if state.count != last { return .some(state.count) }
                return state.isOver && state.count == 0 ? .some(nil) : nil
            }
            return next ?? nil
        }
    }

    /// Begins to iterate, with the count as it is.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(state: state) }
}
