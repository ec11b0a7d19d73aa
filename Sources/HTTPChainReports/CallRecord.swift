import HTTPChainSupport
package import HTTPChainValues
package import HTTPTypes

/// A record of what inner stages did for a call, such as the target and the number of attempts.
///
/// It is for an outer stage that reports the call.
///
/// An outer stage sees a request before its URL is built, and can't distinguish a cached response from one of the
/// server. After ``Request/recordCall()``, the inner stages and the end of the chain record what happens.
package final class CallRecord: Sendable {
    private struct State: Sendable {
        var target: HTTPRequest?
        var template: String?
        var attempts = 0
        var transmissions = 0
        var retries = 0
        var redirects = 0
        var events: [StageEvent] = []
    }

    /// The maximum number of events that are kept until an attempt reports them.
    private static let eventLimit = 32

    private let state = Locked(State())

    package init() {}

    /// The request's method and complete target, as built and before any redirect; `nil` until the target is complete.
    package var target: HTTPRequest? { state.withLock { $0.target } }

    /// The number of attempts made: the highest ``Request/attempt`` that reached the transport, or 0 if none has.
    package var attempts: Int { state.withLock { $0.attempts } }

    /// The template of the path of ``target``, such as `/v2/users/{id}`; `nil` while it is unknown.
    package var template: String? { state.withLock { $0.template } }

    /// The number of retries after a failure.
    package var retries: Int { state.withLock { $0.retries } }

    /// The number of redirects followed.
    package var redirects: Int { state.withLock { $0.redirects } }

    /// Removes and returns the events recorded by outer stages since the last call, in order.
    package func takeEvents() -> [StageEvent] {
        state.withLock { state in
            if state.events.isEmpty { return [] }
            defer { state.events = [] }
            return state.events
        }
    }

    package func add(_ event: StageEvent) {
        state.withLock { state in
            if state.events.count < Self.eventLimit { state.events.append(event) }
        }
    }

    package func noteRetry() { state.withLock { $0.retries += 1 } }

    package func noteRedirect() { state.withLock { $0.redirects += 1 } }

    /// Counts a request that is being sent.
    ///
    /// - Returns: The number of requests of the call sent before it.
    package func countTransmission() -> Int {
        state.withLock { state in
            defer { state.transmissions += 1 }
            return state.transmissions
        }
    }

    package func note(template: String?) {
        state.withLock { state in
            if state.template == nil { state.template = template }
        }
    }

    package func note(_ head: HTTPRequest, attempt: Int? = nil) {
        state.withLock { state in
            if state.target == nil, head.authority != nil {
                state.target = head.withoutFields
            }
            if let attempt { state.attempts = max(state.attempts, attempt) }
        }
    }
}

/// An event in a stage, before or instead of an attempt, for tracing the call.
package struct StageEvent: Sendable {
    /// The name of the event: `httpchain.retry.backoff`.
    package let name: String
    /// The time, on the scale of the environment's clock.
    package let time: Duration
    /// The attributes of the event; never secrets.
    package let attributes: [(name: String, value: JSONValue)]

    package init(name: String, time: Duration, attributes: [(name: String, value: JSONValue)]) {
        self.name = name
        self.time = time
        self.attributes = attributes
    }
}
