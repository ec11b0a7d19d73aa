public import HTTPChainCore

/// The observers of the progress of one call; ``HTTPChainCore/Request/onProgress(_:)`` and its relatives add to them.
public enum ProgressObservers: RequestOption {
    /// Those who are told.
    public struct Value: Sendable {
        var observers: [ProgressObserver] = []
    }

    /// Nobody.
    public static var defaultValue: Value { Value() }
}

extension Request {
    /// The request with a closure that is told of its progress.
    ///
    /// It is called in order, never twice at a time, and at once: on the task that reads or sends, or a thread of the
    /// transport's. It must be quick, because the transfer waits for it. For work on the main actor, or on another,
    /// use ``withProgress(isolation:_:perform:)`` or ``observingProgress()``, where the transfer waits for nobody.
    ///
    /// Several closures can be added; every ``ProgressMiddleware`` in the chain calls them.
    ///
    /// - Parameter action: What to do with a report.
    public consuming func onProgress(
        _ action: @escaping @Sendable (_ progress: TransferProgress) -> Void
    ) -> Request {
        add(ProgressObserver(callback: action))
        return self
    }

    /// The request, and its progress as an asynchronous sequence.
    ///
    /// ```swift
    /// let (request, updates) = Request.get("https://example.com/map.zip").observingProgress()
    /// async let saved = chain.send(request).body.save(to: file)
    /// for await progress in updates {      // on the actor that this code runs on
    ///     label.text = "\(progress.completed)"
    /// }
    /// let size = try await saved
    /// ```
    ///
    /// A slow loop misses reports in between, never a first one or the last. The sequence ends with the
    /// body of the response, which is to be read or dropped in another task, and is for one call: one that is sent
    /// again is not told of. It does not end where nobody tells of the call: for a request that is never sent, and in a
    /// chain without ``ProgressMiddleware``; ``withProgress(isolation:_:perform:)`` returns in any case.
    public consuming func observingProgress() -> (request: Request, updates: ProgressUpdates) {
        let observer = ProgressObserver()
        add(observer)
        return (self, ProgressUpdates(observer: observer))
    }

    mutating func add(_ observer: ProgressObserver) {
        options[ProgressObservers.self].observers.append(observer)
    }
}
