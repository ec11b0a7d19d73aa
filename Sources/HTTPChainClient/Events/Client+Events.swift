import HTTPChainCore

extension Client {
    /// Returns a sequence of the events of this client's calls: will begin, did begin, progress, slow, and the end.
    ///
    /// ```swift
    /// for await event in client.events() {
    ///     switch event.change {
    ///     case .willBegin: spinner.start()
    ///     case .slow: offerToCancel(event.id)
    ///     case .progress(let progress): bar.show(progress.fraction)
    ///     case let change where change.isEnd: spinner.stop()
    ///     default: break
    ///     }
    /// }
    /// ```
    ///
    /// The sequence only has events of calls that begin after this method is called. Each sequence receives all of
    /// them; only one task may iterate at a time. A call without a matching endpoint has no events. The sequence ends
    /// when the client has been deallocated and its last call has ended.
    ///
    /// - Parameter limit: The maximum number of unread events; 1,000 by default. Beyond it, the oldest events are
    ///   dropped, progress first.
    public func events(limit: Int = 1_000) -> CallUpdates<CallEvent> {
        let queue = CallEventQueue(limit: limit)
        core.events.add { [weak queue] event in
            guard let queue else { return false }
            queue.add(event)
            return true
        } end: { [weak queue] in
            queue?.end()
        }
        return CallUpdates {
            queue.state.read(\.dropped)
        } begin: {
            { await queue.next() }
        }
    }

    /// Adds an observer of the calls of this client that begin from now on.
    ///
    /// - Parameter observer: The observer, held weakly, and notified until it is deallocated.
    public func addObserver(_ observer: some CallEventObserver) {
        core.events.add { [weak observer] event in
            guard let observer else { return false }
            observer.callChanged(event)
            return true
        }
    }

    /// A sequence of the number of this client's running calls at endpoints that show activity.
    ///
    /// ```swift
    /// for await count in client.activity { indicator.isVisible = count > 0 }
    /// ```
    ///
    /// An iteration starts with the current number, then returns the newest number after each change; a slow loop skips
    /// short-lived numbers. It ends when the client has been deallocated and its last call has ended.
    /// ``Endpoint/showingActivity(_:)`` excludes an endpoint.
    public var activity: CallUpdates<Int> { core.events.activityCounts }
}

extension Call {
    /// Returns the call with a time after which it is reported as slow, once, with
    /// ``CallEvent/Change-swift.enum/slow(after:)``, instead of the client's.
    ///
    /// The call continues.
    ///
    /// - Parameter limit: The time since the call began, on the client's clock.
    public func slow(after limit: Duration) -> Call {
        changing { $0.slowAfter = limit }
    }
}

extension CallEvent.Change {
    init(failure error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled(duplicate: false)
        case is DuplicateCallError: self = .cancelled(duplicate: true)
        default: self = .failed(error)
        }
    }
}
