import HTTPChainCore

extension Client {
    /// Returns the events of this client's calls from now on: will begin, did begin, progress, slow, and how they end.
    ///
    /// Several may be asked for; each has all events. A call for which no endpoint is found has none.
    ///
    /// - Parameter limit: How many events are kept that nobody has taken; the oldest are dropped then, progress before
    ///   others. 1,000 by default.
    public func events(limit: Int = 1_000) -> CallEvents {
        let queue = CallEventQueue(limit: limit)
        core.events.add { [weak queue] event in
            guard let queue else { return false }
            queue.add(event)
            return true
        } end: { [weak queue] in
            queue?.end()
        }
        return CallEvents(queue: queue)
    }

    /// Tells an observer what happens to the calls of this client that begin from now on.
    ///
    /// - Parameter observer: Told until it goes away; it is not kept.
    public func addObserver(_ observer: some CallEventObserver) {
        core.events.add { [weak observer] event in
            guard let observer else { return false }
            observer.callChanged(event)
            return true
        }
    }

    /// The number of running calls of this client at endpoints that show activity, now and as it changes.
    public var activity: CallActivity { core.events.activity }
}

extension Call {
    /// The call with a time of its own after which it is told to be slow, once, with
    /// ``CallEvent/Change-swift.enum/slow(after:)``; it goes on.
    ///
    /// - Parameter limit: How long after it began, on the client's clock.
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
