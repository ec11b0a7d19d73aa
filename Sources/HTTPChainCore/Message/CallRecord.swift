public import HTTPTypes

/// The record of what the stages inside did with a call, for a stage outside that reports it: where it went, and how
/// often it was sent.
///
/// A stage outside sees a request before its URL is built, and an answer from a cache looks like one from the server.
/// ``Request/recordCall()`` has the stages inside and the chain's end note what happened.
public final class CallRecord: Sendable {
    private struct State: Sendable {
        var target: HTTPRequest?
        var template: String?
        var attempts = 0
        var transmissions = 0
        var retries = 0
        var redirects = 0
        var events: [StageEvent] = []
    }

    /// The most events that are kept until an attempt takes them.
    private static let eventLimit = 32

    private let state = Locked(State())

    init() {}

    /// Method and complete target of the request, as it was built and before any redirect; `nil` while there is none.
    public var target: HTTPRequest? { state.withLock { $0.target } }

    /// The number of attempts that were made: the highest ``Request/attempt`` that reached the transport, 0 while none
    /// did.
    public var attempts: Int { state.withLock { $0.attempts } }

    /// The template that the path of ``target`` was made of, such as `/v2/users/{id}`; `nil` while none is known.
    package var template: String? { state.withLock { $0.template } }

    /// The number of times that a request of the call was sent: retries, redirects and answers to challenges each count.
    package var transmissions: Int { state.withLock { $0.transmissions } }

    /// The number of times that a request of the call was sent again after a failure.
    package var retries: Int { state.withLock { $0.retries } }

    /// The number of redirects of the call that were followed.
    package var redirects: Int { state.withLock { $0.redirects } }

    /// Returns the events of the stages further out since the last time, in order.
    package func takeEvents() -> [StageEvent] {
        state.withLock { state in
            if state.events.isEmpty { return [] }
            defer { state.events = [] }
            return state.events
        }
    }

    fileprivate func add(_ event: StageEvent) {
        state.withLock { state in
            if state.events.count < Self.eventLimit { state.events.append(event) }
        }
    }

    func noteRetry() { state.withLock { $0.retries += 1 } }

    func noteRedirect() { state.withLock { $0.redirects += 1 } }

    /// Counts a request that is being sent.
    ///
    /// - Returns: How many of the call were sent before it.
    package func countTransmission() -> Int {
        state.withLock { state in
            defer { state.transmissions += 1 }
            return state.transmissions
        }
    }

    func note(template: String?) {
        state.withLock { state in
            if state.template == nil { state.template = template }
        }
    }

    func note(_ head: HTTPRequest, attempt: Int? = nil) {
        state.withLock { state in
            if state.target == nil, head.authority != nil {
                // A copy of the fields would make the stages inside copy them to change them.
                state.target = HTTPRequest(
                    method: head.method,
                    scheme: head.scheme,
                    authority: head.authority,
                    path: head.path
                )
            }
            if let attempt { state.attempts = max(state.attempts, attempt) }
        }
    }
}

/// An event of a stage before an attempt, or instead of one, for whoever traces the call.
package struct StageEvent: Sendable {
    /// The name of the event: `httpchain.retry.backoff`.
    package let name: String
    /// The time, on the scale of the environment's clock.
    package let time: Duration
    /// More about it; nothing secret.
    package let attributes: [(name: String, value: JSONValue)]
}

/// Carries a call's record to the stages further in.
enum CallRecordOption: RequestOption {
    static var defaultValue: CallRecord? { nil }
}

extension Request {
    /// The record of this call, begun now unless a stage further out has one.
    public mutating func recordCall() -> CallRecord {
        if let record = options[CallRecordOption.self] { return record }
        let record = CallRecord()
        options[CallRecordOption.self] = record
        return record
    }

    /// Tells the stages outside that the request's target is complete; for a stage that builds URLs.
    public func noteTarget() {
        options[CallRecordOption.self]?.note(head)
    }

    /// As ``noteTarget()``, with the template that the target was made of.
    package func noteTarget(madeOf template: String?) {
        guard let record = options[CallRecordOption.self] else { return }
        record.note(template: template)
        record.note(head)
    }

    /// Tells the stages outside that the request is sent again after a failure.
    package func noteRetry() {
        options[CallRecordOption.self]?.noteRetry()
    }

    /// Tells whoever traces the call what the stage does before the next attempt; nothing where nobody does.
    package func noteEvent(_ name: String, _ attributes: @autoclosure () -> [(name: String, value: JSONValue)] = []) {
        guard let record = options[CallRecordOption.self] else { return }
        record.add(StageEvent(name: name, time: environment.time.elapsed, attributes: attributes()))
    }

    /// Tells the stages outside that the request follows a redirect.
    package func noteRedirect() {
        options[CallRecordOption.self]?.noteRedirect()
    }

    /// The record of this call; nil when nobody has begun one.
    package var callRecord: CallRecord? { options[CallRecordOption.self] }

    /// Whether somebody wants to know what becomes of the call.
    package var isRecorded: Bool { options.contains(CallRecordOption.self) }

    /// Tells the stages outside that the request is being sent.
    func noteSending() {
        guard let record = options[CallRecordOption.self] else { return }
        record.note(head, attempt: attempt)
    }
}
