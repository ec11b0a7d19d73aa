public import HTTPChainProgress

/// An event of a typed call of a ``Client``.
///
/// Each call begins with ``Change-swift.enum/willBegin`` and ends with exactly one of succeeded, failed or cancelled.
/// Its events arrive in order.
public struct CallEvent: Sendable {
    /// A description of what happened.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Change: Sendable {
        /// The call is about to begin; nothing has been sent, and duplicates haven't been detected yet.
        case willBegin
        /// The call is registered, and its request is being sent.
        case didBegin
        /// Bytes were sent or received, as reported by `ProgressMiddleware`; without that stage this event doesn't
        /// occur.
        ///
        /// If the output is a stream, the body and its progress arrive after the call has succeeded.
        case progress(TransferProgress)
        /// The call is taking longer than expected. Reported once, to inform the user or to offer cancelling the call.
        ///
        /// - Parameter after: The time set for the client or the call.
        case slow(after: Duration)
        /// The call waits for a network, or no longer waits; see `waitsForConnectivity:` of
        /// ``/HTTPChainCore/ConnectionSettings``.
        ///
        /// Only URLSession on Apple platforms reports it.
        case waitingForConnectivity(Bool)
        /// The reply of a ``StoredRequest`` couldn't be stored; the call still returns the reply.
        case notStored(any Error)
        /// The call has its output.
        case succeeded
        /// The call failed.
        case failed(any Error)
        /// The call was cancelled, or refused because the same call was already running.
        case cancelled(duplicate: Bool)

        /// Whether the call is over.
        public var isEnd: Bool {
            switch self {
            case .succeeded, .failed, .cancelled: true
            case .willBegin, .didBegin, .progress, .slow, .waitingForConnectivity, .notStored: false
            }
        }
    }

    /// The number of the call, counted from 1, which is the same in all its events and unique within the client.
    public let call: UInt64
    /// A description of what happened.
    public let change: Change
    /// The call's identifier in ``Client/registry``, for cancelling it; `nil` before it is registered, and for a
    /// duplicate.
    public let id: CallID?
    /// The request.
    public let request: any TypedRequest
    /// The name of the endpoint serving it.
    public let endpoint: String
    /// The call's key; `nil` if it has none.
    public let key: (any Hashable & Sendable)?
    /// The call's tags.
    public let tags: Set<String>
    /// The identity of the client in which ``call`` is unique.
    let source: ObjectIdentifier
    /// Whether the endpoint shows activity.
    let showsActivity: Bool
}

/// An observer of the events of a client's calls, added with ``Client/addObserver(_:)``.
public protocol CallEventObserver: AnyObject, Sendable {
    /// Called for each event of a call.
    ///
    /// It is called synchronously on the thread of the event, with one event at a time for each call, so it must be
    /// quick. It may cancel the call.
    func callChanged(_ event: CallEvent)
}
