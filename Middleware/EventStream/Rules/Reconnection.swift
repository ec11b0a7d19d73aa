package import HTTPChainCore
import HTTPTypes

/// The state of a stream between its connections, which decides how the stream continues after an interruption.
package struct Reconnection: Sendable {
    package enum Decision: Sendable, Hashable {
        case reconnect(after: Duration)
        case finish
        case fail
    }

    package let policy: ReconnectionPolicy
    /// Whether the request can be sent more than once.
    package let isReplayable: Bool

    /// The number of consecutive failures.
    private(set) var failures = 0
    /// The delay that the server requested with `retry`, which applies to all later connections.
    private(set) var serverDelay: Duration?
    private var openedAt: Duration?
    private var broughtEvents = false

    package init(_ policy: ReconnectionPolicy, isReplayable: Bool) {
        self.policy = policy
        self.isReplayable = isReplayable
    }

    /// Records that the server accepted the request.
    package mutating func opened(at now: Duration) {
        openedAt = now
        broughtEvents = false
    }

    package mutating func received() {
        broughtEvents = true
    }

    /// The shortest delay that a server can request, as in Firefox.
    ///
    /// With `retry: 0`, a stream that breaks immediately would be reopened thousands of times per second, because zero
    /// never doubles.
    private static let shortestServerDelay = Duration.milliseconds(500)

    /// Sets the delay that the server requests, unless the policy's limit is zero or less.
    ///
    /// HTML standard §9.2.6: "set the event stream's reconnection time to that integer".
    package mutating func retry(_ wait: Duration) {
        guard policy.serverDelayLimit > .zero else { return }
        // A limit below the shortest delay doesn't make it shorter.
        serverDelay = max(Self.shortestServerDelay, min(wait, policy.serverDelayLimit).bounded)
    }

    /// Records that the connection was closed locally, which isn't a failure.
    mutating func closed(at now: Duration) {
        if let openedAt, now - openedAt >= policy.stableAfter { failures = 0 }
        openedAt = nil
    }

    /// Returns the decision about an interruption.
    ///
    /// - Parameters:
    ///   - cause: The cause of the interruption.
    ///   - now: The current time.
    ///   - random: The random source, used once if there is a wait.
    package mutating func decide(
        _ cause: StreamInterruption.Cause,
        at now: Duration,
        random: some RandomSource
    ) -> Decision {
        let wasStable = openedAt.map { now - $0 >= policy.stableAfter } ?? false
        let wasBrief = openedAt.map { now - $0 < Self.shortestServerDelay } ?? false
        if wasStable || (cause.isInGoodOrder && broughtEvents) { failures = 0 }
        failures += 1
        openedAt = nil
        broughtEvents = false
        // The next connection would be refused in the same way, whatever the application's closure decides.
        if case .notOpened(is UserChangedError) = cause { return .fail }
        switch policy.verdict?(StreamInterruption(cause: cause, failures: failures)) ?? .standard {
        case .standard: return standard(cause, wasBrief, random)
        case .reconnect: return reconnect(cause, wasBrief, random)
        case .reconnectAfter(let wait): return isReplayable ? .reconnect(after: wait.bounded) : .fail
        case .finish: return .finish
        case .fail: return .fail
        }
    }

    private func standard(
        _ cause: StreamInterruption.Cause,
        _ wasBrief: Bool,
        _ random: some RandomSource
    ) -> Decision {
        switch cause {
        case .ended where !policy.reconnectsAtEnd: return .finish
        // "Clients will reconnect if the connection is closed; a client can be told to stop reconnecting using the HTTP
        // 204 No Content response code", §9.2.3.
        case .status(.noContent, _): return .finish
        case .status(let status, _) where !policy.statuses.contains(status): return .fail
        case .notOpened(let error) where !Self.passes(error): return .fail
        case .broken(is EventStreamError): return .fail
        case .ended, .status, .notOpened, .broken, .silent: break
        }
        if let most = policy.maximumFailures, failures > most { return .fail }
        return reconnect(cause, wasBrief, random)
    }

    private func reconnect(
        _ cause: StreamInterruption.Cause,
        _ wasBrief: Bool,
        _ random: some RandomSource
    ) -> Decision {
        guard isReplayable else { return .fail }
        let wait = wait(wasBrief, random)
        guard let asked = cause.retryAfter else { return .reconnect(after: wait) }
        return .reconnect(after: max(wait, min(asked.bounded, policy.serverDelayLimit.bounded)))
    }

    /// Returns the wait, which doubles with each failure.
    ///
    /// Jitter only lengthens the wait, so that it is never shorter than the server requested.
    private func wait(_ wasBrief: Bool, _ random: some RandomSource) -> Duration {
        var base = serverDelay ?? policy.delay
        // Zero would never double, and reconnecting to a server that is down would be limited only by how fast it
        // refuses connections. A server that sends one event and ends the stream resets the count each time.
        if failures > 1 || wasBrief, base <= .zero { base = Self.shortestServerDelay }
        let jitter = policy.jitter.isNaN ? 0 : min(max(0, policy.jitter), 1)
        return Backoff(base: base, cap: max(base, policy.maximumDelay))
            .wait(beforeRetry: failures, times: 1...(1 + jitter), random: random)
    }

    /// Whether an error that prevented opening the stream is temporary.
    ///
    /// Errors such as an untrusted certificate or an invalid request would occur again.
    package static func passes(_ error: any Error) -> Bool {
        switch error {
        case let error as TransportError:
            [.hostNotFound, .cannotConnect, .connectionLost, .truncatedBody, .timedOut].contains(error.kind)
        case is any TimeoutFailure, is any RefusalError: true
        case let error as any NetworkFailure: error.networkFailure.map { passes($0) } ?? false
        default: false
        }
    }
}

extension StreamInterruption.Cause {
    var isInGoodOrder: Bool {
        if case .ended = self { true } else { false }
    }

    /// The wait requested by the server, or by a stage that refused the request.
    var retryAfter: Duration? {
        switch self {
        case .status(_, let wait): wait
        case .notOpened(let error as any RefusalError): error.retryAfter
        case .ended, .notOpened, .broken, .silent: nil
        }
    }
}
