public import HTTPChainProgress

/// One step in the life of a typed call of a ``Client``.
///
/// Each call has ``Change-swift.enum/willBegin`` first and exactly one end: succeeded, failed or cancelled. The events of
/// one call come in order.
public struct CallEvent: Sendable {
    /// A description of what happened.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Change: Sendable {
        /// The call is about to begin; nothing was sent, and a duplicate is not found yet.
        case willBegin
        /// The call is in the registry, and its request is sent.
        case didBegin
        /// Bytes went up or down, as `ProgressMiddleware` tells it; without that stage there is none.
        ///
        /// The body of a call whose output is a stream arrives after the call has succeeded, and so does its progress.
        case progress(TransferProgress)
        /// The call takes longer than it should, once: it is time to tell the user, or to let the user cancel it.
        ///
        /// - Parameter after: The time that was set for the client or the call.
        case slow(after: Duration)
        /// The reply of a ``StoredRequest`` could not be stored; the call goes on with it.
        case notStored(any Error)
        /// The call has its output.
        case succeeded
        /// The call failed.
        case failed(any Error)
        /// The call was cancelled, or refused because the same call was running already.
        case cancelled(duplicate: Bool)

        /// Whether the call is over.
        public var isEnd: Bool {
            switch self {
            case .succeeded, .failed, .cancelled: true
            case .willBegin, .didBegin, .progress, .slow, .notStored: false
            }
        }
    }

    /// The number of the call, the same in all its events and different for each call of the client, counted from 1.
    public let call: UInt64
    /// A description of what happened.
    public let change: Change
    /// The call's name in the client's ``Client/registry``, to cancel it by; `nil` before it is there, and for a
    /// duplicate.
    public let id: CallID?
    /// The request.
    public let request: any TypedRequest
    /// The name of the endpoint that serves it.
    public let endpoint: String
    /// The call's key; `nil` unless it was given one.
    public let key: (any Hashable & Sendable)?
    /// The call's tags.
    public let tags: Set<String>
}

/// Is told what happens to the calls of a client: ``Client/addObserver(_:)``.
public protocol CallEventObserver: AnyObject, Sendable {
    /// Something happened to a call.
    ///
    /// It is called at once, on the thread where it happened, and the events of one call come one after the other: it must
    /// be quick. It may cancel the call.
    func callChanged(_ event: CallEvent)
}
