public import Dispatch
import Foundation

extension Client {
    /// Returns the stored reply of a request, regardless of its age, without sending anything.
    ///
    /// ```swift
    /// if let stored = try await client.storedReply(for: ListPlants()), stored.isYounger(than: .seconds(3_600)) {
    ///     show(stored.value)
    /// }
    /// ```
    ///
    /// - Returns: The reply; `nil` if none is stored.
    /// - Throws: ``ReplyStoreError`` if the client has no store; ``UnsupportedRequestError`` if no endpoint supports
    ///   the request; any error from reading and decoding.
    public func storedReply<Kind: StoredRequest>(for request: Kind) async throws -> StoredReply<Kind.Output>? {
        try await core.storedReply(for: request, CallSettings())
    }
}

extension Call where Kind: StoredRequest {
    /// Returns the stored reply of the call and then the live one.
    ///
    /// - Parameter dependency: The condition for dropping the stored reply; by default the live call's success.
    public func storedThenLive(dropping dependency: StoredReplyDependency = .onSuccess) -> StoredThenLive<Kind> {
        StoredThenLive(call: self, dependency: dependency)
    }

    /// Sends the request and notifies an observer of the stored reply and then of the live one.
    ///
    /// ```swift
    /// func callEnded(_ report: CallReport) async {
    ///     if let (_, outcome) = report.of(ListPlants.self) { show(outcome, isOld: report.storedAt != nil) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - dependency: The condition for dropping the stored reply; by default the live call's success.
    ///   - onlyData: Whether only outputs are reported. If `false`, the end of the live call is always reported, an
    ///     unreadable stored reply is reported as a failure, and a dropped one as cancelled.
    ///   - observer: The observer, held weakly, and notified of each reply unless it has been deallocated.
    @discardableResult
    public func startStoredThenLive(
        dropping dependency: StoredReplyDependency = .onSuccess,
        onlyData: Bool = false,
        _ observer: some CallObserver
    ) -> StartedCall {
        startStoredThenLive(dependency, onlyData) { [weak observer] report in await observer?.callEnded(report) }
    }

    /// Sends the request and notifies an observer on a queue of the stored reply and then of the live one.
    ///
    /// - Parameters:
    ///   - dependency: The condition for dropping the stored reply; by default the live call's success.
    ///   - onlyData: Whether only outputs are reported, as in ``startStoredThenLive(dropping:onlyData:_:)``.
    ///   - observer: The observer, held weakly, and notified of each reply unless it has been deallocated.
    ///   - queue: The queue on which the observer is notified.
    @discardableResult
    public func startStoredThenLive(
        dropping dependency: StoredReplyDependency = .onSuccess,
        onlyData: Bool = false,
        _ observer: some QueuedCallObserver,
        on queue: DispatchQueue
    ) -> StartedCall {
        startStoredThenLive(dependency, onlyData) { [weak observer] report in
            await queue.run { [weak observer] in observer?.callEnded(report) }
        }
    }

    private func startStoredThenLive(
        _ dependency: StoredReplyDependency,
        _ onlyData: Bool,
        telling tell: @escaping @Sendable (CallReport) async -> Void
    ) -> StartedCall {
        let run = StoredThenLiveRun(of: self, dependency)
        let key = settings.registration.key
        // Registers the call before returning.
        run.register()
        return StartedCall(
            Task { [request] in
                func report(_ outcome: CallOutcome<Kind.Output>, isStored: Bool = false, at date: Date? = nil) async {
                    guard !onlyData || outcome.output != nil else { return }
                    let source = CallReport.Source(isStored: isStored, date: date)
                    await tell(CallReport(request: request, key: key, source: source, outcome: outcome))
                }
                do {
                    while let step = try await run.next() {
                        switch step {
                        case .stored(let reply): await report(.success(reply.value), isStored: true, at: reply.date)
                        case .notStored(.nothing): break
                        case .notStored(.dropped): await report(.cancelled(duplicate: false), isStored: true)
                        case .notStored(.failed(let error)): await report(.failure(error), isStored: true)
                        case .live(let result): await report(CallOutcome(result))
                        }
                    }
                } catch {
                    await report(.cancelled(duplicate: false))
                }
            }
        )
    }
}
