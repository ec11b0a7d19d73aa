public import Foundation
import HTTPChainCore

/// A rule for dropping a stored reply that arrives after the live one.
public enum StoredReplyDependency: Sendable, Hashable {
    /// The stored reply is never dropped: the live reply waits for the store.
    case never
    /// The stored reply is dropped if the live call has already succeeded, so that old data isn't shown after new data.
    case onSuccess
    /// The stored reply is dropped if the live call has succeeded, was cancelled, or was refused as a duplicate.
    ///
    /// After a cancellation the caller wants no reply, and the call that was duplicated already shows the stored one.
    case onSuccessOrCancellation
}

/// A reply of a call, stored or live.
public struct ReplyUpdate<Output: Sendable>: Sendable {
    /// The output.
    public let value: Output
    /// The date when it was stored; `nil` for a live reply.
    public let storedAt: Date?
}

/// A step of a call whose stored reply is shown first; see ``StoredThenLive/steps``.
public enum StoredThenLiveStep<Output: Sendable>: Sendable {
    /// The stored reply.
    case stored(StoredReply<Output>)
    /// There is no stored reply to show.
    case notStored(NoStoredReply)
    /// The outcome of the live call; the last step.
    case live(CallOutcome<Output>)
}

/// The reason why there is no stored reply to show.
public enum NoStoredReply: Sendable {
    /// Nothing is stored for the request.
    case nothing
    /// It was dropped according to the ``StoredReplyDependency``.
    case dropped
    /// It couldn't be read.
    case failed(any Error)
}

/// The stored reply of a call and then the live one; created by ``Call/storedThenLive(dropping:)``.
///
/// ```swift
/// for try await reply in client.call(ListPlants()).storedThenLive() {
///     list.show(reply.value, isOld: reply.storedAt != nil)
/// }
/// ```
///
/// The sequence returns only data: the stored and the live reply, or only the live one if nothing is stored or the
/// stored reply can't be read. If the live call fails, its error is thrown after the stored reply. ``steps`` returns
/// everything.
///
/// Each iteration sends the request and reads the store concurrently. The call is cancelled when the iterator is
/// deallocated, or when the task is cancelled, which throws an error.
public struct StoredThenLive<Kind: StoredRequest>: AsyncSequence, Sendable {
    let call: Call<Kind>
    let dependency: StoredReplyDependency

    /// The steps of the call, including errors and missing replies.
    ///
    /// There is a step for the stored reply, and then one for the live reply. They end early if the task is cancelled.
    public var steps: CallUpdates<StoredThenLiveStep<Kind.Output>> {
        CallUpdates { [call, dependency] in
            let run = StoredThenLiveRun(of: call, dependency)
            // The closure retains the client, so that its calls aren't cancelled during the iteration.
            return {
                defer { withExtendedLifetime(call.client) {} }
                return try? await run.nextStep()
            }
        }
    }

    /// Starts an iteration; the request is sent when the first reply is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: call.client, run: StoredThenLiveRun(of: call, dependency))
    }

    /// An iterator over the replies.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// The client, retained so that its calls aren't cancelled during the iteration.
        let client: Client
        let run: StoredThenLiveRun<Kind>

        /// The next reply; `nil` at the end.
        public mutating func next() async throws -> ReplyUpdate<Kind.Output>? { try await run.nextReply() }
    }
}
