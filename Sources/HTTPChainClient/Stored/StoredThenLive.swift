public import Foundation
import HTTPChainCore

/// A rule for when a stored reply is dropped that comes later than the live one, or is asked for later.
public enum StoredReplyDependency: Sendable, Hashable {
    /// Never: the live reply waits for the store.
    case never
    /// The reply is dropped when the live call has succeeded. What is old is not shown after what is new.
    case onSuccess
    /// The reply is dropped when the live call has succeeded, was cancelled, or was refused as a duplicate. Whoever
    /// cancels a call does not want to see anything of it, and the call that a duplicate repeats shows the stored reply
    /// already.
    case onSuccessOrCancellation
}

/// The reply of a call as far as it is known: what was stored, then what has come.
public struct ReplyUpdate<Output: Sendable>: Sendable {
    /// The output.
    public let value: Output
    /// The date when it was stored; `nil` for what came from the service now.
    public let storedAt: Date?

    /// Whether it was stored, and not sent now.
    public var isStored: Bool { storedAt != nil }
}

/// One step of a call whose stored reply is shown first; ``StoredThenLive/steps`` gives them.
public enum StoredThenLiveStep<Output: Sendable>: Sendable {
    /// The stored reply.
    case stored(StoredReply<Output>)
    /// There is no stored reply to show.
    case notStored(NoStoredReply)
    /// The outcome of the live call; this is the last.
    case live(CallOutcome<Output>)
}

/// Why there is no stored reply to show.
public enum NoStoredReply: Sendable {
    /// Nothing is stored for the request.
    case nothing
    /// It was dropped, as the ``StoredReplyDependency`` says.
    case dropped
    /// It could not be read.
    case failed(any Error)
}

/// The stored reply of a call, and then the live one; ``Call/storedThenLive(dropping:)`` makes it.
///
/// ```swift
/// for try await reply in client.call(ListPlants()).storedThenLive() {
///     list.show(reply.value, isOld: reply.isStored)
/// }
/// ```
///
/// It gives data alone: one reply or two. Where nothing is stored, or it cannot be read, the live reply comes alone;
/// what the live call fails with is thrown, after the stored reply. ``steps`` tells everything.
///
/// Each iteration sends the request, and reads the store at the same time. The call is cancelled when the iterator
/// goes away, and when the task is cancelled, which is thrown.
public struct StoredThenLive<Kind: StoredRequest>: AsyncSequence, Sendable {
    /// A reply.
    public typealias Element = ReplyUpdate<Kind.Output>
    /// The error that the live call throws.
    public typealias Failure = any Error

    let call: Call<Kind>
    let dependency: StoredReplyDependency

    /// The steps of the call, with errors and with replies that are missing.
    public var steps: StoredThenLiveSteps<Kind> { StoredThenLiveSteps(call: call, dependency: dependency) }

    /// Begins an iteration; the request is sent when the first reply is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: call.client, run: StoredThenLiveRun(of: call, dependency))
    }

    /// Gives the replies.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Kept, so that its calls are not cancelled while somebody waits for one.
        let client: Client
        let run: StoredThenLiveRun<Kind>

        /// The next reply; `nil` at the end.
        public mutating func next() async throws -> ReplyUpdate<Kind.Output>? { try await run.nextReply() }

        /// The next reply; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ReplyUpdate<Kind.Output>? {
            try await run.nextReply()
        }
    }
}

/// The steps of a call whose stored reply is shown first; ``StoredThenLive/steps`` is it.
///
/// It has a step about the stored reply, and then one about the live one. It ends without the rest when the task is
/// cancelled.
public struct StoredThenLiveSteps<Kind: StoredRequest>: AsyncSequence, Sendable {
    /// A step.
    public typealias Element = StoredThenLiveStep<Kind.Output>
    /// Nothing is thrown; a failure is a step.
    public typealias Failure = Never

    let call: Call<Kind>
    let dependency: StoredReplyDependency

    /// Begins an iteration; the request is sent when the first step is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(client: call.client, run: StoredThenLiveRun(of: call, dependency))
    }

    /// Gives the steps.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Kept, so that its calls are not cancelled while somebody waits for one.
        let client: Client
        let run: StoredThenLiveRun<Kind>

        /// The next step; `nil` at the end.
        public mutating func next() async -> StoredThenLiveStep<Kind.Output>? { try? await run.nextStep() }

        /// The next step; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StoredThenLiveStep<Kind.Output>? {
            try? await run.nextStep()
        }
    }
}
