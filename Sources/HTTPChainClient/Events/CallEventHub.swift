import HTTPChainCore
import HTTPChainSupport

/// Distributes the events of a client's calls to listeners.
final class CallEventHub: Sendable {
    typealias Sink = @Sendable (CallEvent) -> Bool

    private struct State: Sendable {
        var lastCall: UInt64 = 0
        var lastSink = 0
        var sinks: [(id: Int, sink: Sink)] = []
        /// The number of calls in progress that have a number, because somebody listens to them.
        var pending = 0
        var isClosed = false
        var onEnd: [@Sendable () -> Void] = []
    }

    /// The running calls that show activity.
    private struct Activity: Sendable {
        var count = 0
        var isOver = false
        /// Whether there has ever been a listener; until then, calls don't look for listeners.
        var isHeard = false
    }

    private let state = Locked(State())
    private let activity = Watched(Activity())

    /// The number of calls that show activity: first the current number, then the newest one after each change.
    var activityCounts: CallUpdates<Int> {
        CallUpdates { [activity] in
            let last = Locked<Int?>(nil)
            return {
                let before = last.withLock { $0 }
                let next: Int?? = try? await activity.wait { activity in
                    if activity.count != before { return .some(activity.count) }
                    return activity.isOver && activity.count == 0 ? .some(nil) : nil
                }
                let count = next ?? nil
                last.withLock { $0 = count }
                return count
            }
        }
    }

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - sink: A closure that receives each event, and returns `false` if its listener no longer exists.
    ///   - end: A closure that is called when no more events will follow.
    func add(_ sink: @escaping Sink, end: (@Sendable () -> Void)? = nil) {
        let isOver = state.withLock { state in
            state.lastSink += 1
            state.sinks.append((state.lastSink, sink))
            if let end { state.onEnd.append(end) }
            return state.isClosed && state.pending == 0
        }
        activity.update { $0.isHeard = true }
        if isOver { end?() }
    }

    /// Notifies all listeners.
    func tell(_ event: CallEvent) {
        let sinks = state.withLock { $0.sinks }
        let gone = sinks.filter { !$0.sink(event) }.map(\.id)
        if !gone.isEmpty { state.withLock { $0.sinks.removeAll { gone.contains($0.id) } } }
    }

    /// Records that a call begins.
    ///
    /// - Parameters:
    ///   - showsActivity: Whether it counts as activity until ``endActivity()``.
    ///   - isMonitored: Whether a monitor follows the call.
    /// - Returns: A number for the call, or `nil` if there are no listeners.
    func begin(showingActivity showsActivity: Bool, isMonitored: Bool) -> UInt64? {
        let isHeard =
            showsActivity
            ? activity.update { state in
                state.count += 1
                return state.isHeard
            } : activity.read(\.isHeard)
        guard isHeard || isMonitored else { return nil }
        return state.withLock { state in
            guard isMonitored || !state.sinks.isEmpty else { return nil }
            state.lastCall += 1
            state.pending += 1
            return state.lastCall
        }
    }

    /// Records the end of a call that ``begin(showingActivity:isMonitored:)`` numbered.
    func finish() {
        end { $0.pending -= 1 }
    }

    /// Records that the client was deallocated.
    ///
    /// Calls in progress still report their events until they end.
    func close() {
        end { $0.isClosed = true }
        activity.update { $0.isOver = true }
    }

    /// Records the end of a call that shows activity.
    func endActivity() {
        activity.update { $0.count -= 1 }
    }

    private func end(_ change: @Sendable (inout State) -> Void) {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            change(&state)
            guard state.isClosed, state.pending == 0 else { return [] }
            defer { state.onEnd = [] }
            return state.onEnd
        }
        for action in actions { action() }
    }
}

/// Reports the events of one call to the listeners, in order and one at a time.
final class CallTeller: Sendable {
    private struct State: Sendable {
        var id: CallID?
        var isOver = false
        var waiting: [CallEvent] = []
        var isTelling = false
        var alarm: (any TimeAlarm)?
    }

    private let hub: CallEventHub
    private let number: UInt64
    private let request: any TypedRequest
    private let endpoint: Endpoint
    private let settings: CallSettings
    private let state = Locked(State())

    init(
        _ hub: CallEventHub,
        _ number: UInt64,
        _ request: any TypedRequest,
        _ endpoint: Endpoint,
        _ settings: CallSettings
    ) {
        self.hub = hub
        self.number = number
        self.request = request
        self.endpoint = endpoint
        self.settings = settings
    }

    /// Records that the call is registered.
    func began(as id: CallID) {
        state.withLock { $0.id = id }
        tell(.didBegin)
    }

    /// Reports the call as slow if it takes longer than the limit.
    func watch(for limit: Duration, on time: any TimeSource) {
        let alarm = time.alarm(at: time.elapsed + max(.zero, limit), for: "a slow call") { [weak self] in
            self?.tell(.slow(after: limit))
        }
        state.withLock { if !$0.isOver { $0.alarm = alarm } }
    }

    /// Reports an event after those that are already being reported.
    func tell(_ change: CallEvent.Change) {
        let isMine = state.withLock { state in
            switch change {
            case .slow where state.isOver: return false
            case _ where change.isEnd:
                state.isOver = true
                state.alarm = nil
            default: break
            }
            state.waiting.append(
                CallEvent(
                    call: number,
                    change: change,
                    id: state.id,
                    request: request,
                    endpoint: endpoint.name,
                    key: settings.registration.key,
                    tags: settings.registration.tags,
                    source: ObjectIdentifier(hub),
                    showsActivity: endpoint.showsActivity
                )
            )
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if isMine { drain() }
    }

    private func drain() {
        while let event = state.withLock({ state -> CallEvent? in
            guard !state.waiting.isEmpty else {
                state.isTelling = false
                return nil
            }
            return state.waiting.removeFirst()
        }) {
            for monitor in settings.monitors { monitor.note(event) }
            hub.tell(event)
            if event.change.isEnd { hub.finish() }
        }
    }
}
