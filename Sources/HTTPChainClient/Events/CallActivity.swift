import HTTPChainCore

/// The number of running calls of a client that show activity, now and as it changes; see ``Client/activity``.
///
/// ```swift
/// for await count in client.activity { indicator.isVisible = count > 0 }
/// ```
///
/// An iteration starts with the current count, then returns the newest count whenever it has changed; a slow loop skips
/// short-lived counts. It ends when the client has been deallocated and its last call has ended, or when the task is
/// cancelled. ``Endpoint/showingActivity(_:)`` excludes an endpoint.
public struct CallActivity: AsyncSequence, Sendable {
    struct State: Sendable {
        var count = 0
        var isOver = false
        /// Whether there has ever been a listener; until then, calls skip the search for listeners.
        var isHeard = false
    }

    let state: Watched<State>

    /// The number of running calls that show activity.
    package var count: Int { state.read(\.count) }

    /// An iterator over the counts.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let state: Watched<State>
        private var last: Int?

        init(state: Watched<State>) { self.state = state }

        /// Returns the newest count when it differs from the last; `nil` at the end.
        public mutating func next() async -> Int? {
            last = await Self.newest(of: state, after: last)
            return last
        }

        /// Returns the newest count when it differs from the last; `nil` at the end.
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

    /// Starts an iteration with the current count.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(state: state) }
}
