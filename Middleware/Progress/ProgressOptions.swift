public import HTTPChainCore

/// The observers of a call's progress, added by ``HTTPChainCore/Request/progress(_:)`` and related methods.
package enum ProgressOption: RequestOption, AwaitedOption {
    /// The list of observers.
    package struct Value: Sendable {
        var observers: [ProgressObserver] = []
    }

    /// No observers.
    package static var defaultValue: Value { Value() }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".progress(_:)", reader: "ProgressMiddleware()", phase: .call)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value.observers.allSatisfy(\.isOptional)
    }
    /// Ends the sequences of ``HTTPChainCore/Request/observingProgress()`` that have received no reports.
    package static func endUnread(_ value: Value) {
        for observer in value.observers { observer.closeUnread() }
    }
    /// Always `false`: the observers don't change the call.
    package static var affectsResponse: Bool { false }
}

extension Request {
    /// Returns the request with a closure that receives its progress.
    ///
    /// The closure is called immediately, in order, and never concurrently. It runs on the task that reads or sends, or
    /// on a thread of the transport. It must be quick, because the transfer waits for it. For work on the main or
    /// another actor, use ``withProgress(isolation:_:perform:)`` or ``observingProgress()``, which don't delay the
    /// transfer.
    ///
    /// Several closures can be added, and every ``ProgressMiddleware`` in the chain calls all of them.
    ///
    /// - Parameter action: Receives a report.
    public consuming func progress(
        _ action: @escaping @Sendable (_ progress: TransferProgress) -> Void
    ) -> Request {
        add(ProgressObserver(callback: action))
        return self
    }

    /// Returns the request, and its progress as an asynchronous sequence.
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
    /// A slow loop misses intermediate reports, but never a first or last one. The sequence is for a single call and
    /// task, and doesn't report a repetition of the call. It ends with the body of the response, which must be read or
    /// dropped in another task. In a chain without ``ProgressMiddleware``, it ends without reports. If the request is
    /// never sent, or an outer stage throws before ``ProgressMiddleware``, the sequence doesn't end, whereas
    /// ``withProgress(isolation:_:perform:)`` always returns.
    public consuming func observingProgress() -> (request: Request, updates: AsyncStream<TransferProgress>) {
        let updates = ProgressUpdates()
        return (updates.observing(self), updates.stream)
    }

    /// Returns the request with a closure that receives its progress if the chain has a ``ProgressMiddleware``.
    ///
    /// Unlike with ``progress(_:)``, a chain without that stage accepts the request.
    package consuming func progressIfReported(
        _ action: @escaping @Sendable (_ progress: TransferProgress) -> Void
    ) -> Request {
        add(ProgressObserver(isOptional: true, callback: action))
        return self
    }

    mutating func add(_ observer: ProgressObserver) {
        options[ProgressOption.self].observers.append(observer)
        if observer.isAwaited { options.markAwaited() }
    }
}
