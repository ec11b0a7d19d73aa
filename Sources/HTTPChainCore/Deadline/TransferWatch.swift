/// The state of the limits of one exchange, which determines the next deadline after each event.
///
/// It is a pure value: it receives events with their times, and doesn't read a clock.
struct TransferWatch: Sendable {
    enum Step: Sendable, Hashable {
        /// The transport stores the request's body, before it connects.
        case storing
        case connecting
        case sending
        case waitingForHead
        case reading(received: Int64)
    }

    let limits: TransferLimits
    let call: Deadline?
    /// Whether the limits also apply to the response's body.
    private let limitsBody: Bool
    /// The time at which the exchange began.
    let start: Duration
    private(set) var step: Step
    /// The number of bytes of the request's body that were sent, once reported.
    private(set) var sent: (bytes: Int64, length: Int64?)?
    /// The start of the current step's wait; `nil` while nothing waits.
    private var since: Duration?
    private var upload: TransferTimer.Upload
    private let tellsConnection: Bool
    /// Whether the time to connect is part of the next step, because the connection isn't reported.
    private var includesConnecting: Bool
    /// The deadline of a limit of zero or less, which ends the exchange immediately, before the step that it limits.
    private let spent: Deadline?

    /// - Parameters:
    ///   - upload: The reports that will be made of the request's body.
    ///   - tellsConnection: Whether ``connected(at:)`` will be called.
    ///   - limitsBody: Whether the limits also apply to the response's body.
    init(
        _ limits: TransferLimits,
        call: Deadline?,
        start: Duration,
        upload: TransferTimer.Upload,
        tellsConnection: Bool,
        limitsBody: Bool = true
    ) {
        self.limitsBody = limitsBody
        self.limits = limits
        self.call = call
        self.start = start
        self.upload = upload
        self.tellsConnection = tellsConnection
        includesConnecting = !tellsConnection
        func ifSpent(_ scope: TimeoutScope, _ limit: Duration?) -> Deadline? {
            guard let limit, limit <= .zero else { return nil }
            return Deadline(scope, limit: limit, start: start)
        }
        spent =
            ifSpent(.connect, limits.connect)
            ?? ifSpent(.write, upload == .told ? limits.write : nil)
            ?? ifSpent(.response, upload == .untold ? nil : limits.response)
            ?? ifSpent(.read, limitsBody ? limits.read : nil)
        since = start
        step = Self.firstStep(upload, tellsConnection: tellsConnection)
    }

    private static func firstStep(_ upload: TransferTimer.Upload, tellsConnection: Bool) -> Step {
        tellsConnection ? .connecting : upload == .atOnce ? .waitingForHead : .sending
    }

    /// Records that the request's body is stored before anything is sent; only the limits of the whole exchange apply.
    mutating func stores() {
        step = .storing
        since = nil
    }

    /// Records that the request's body is stored, and that sending begins.
    mutating func stored(_ upload: TransferTimer.Upload, at now: Duration) {
        guard step == .storing else { return }
        self.upload = upload
        step = Self.firstStep(upload, tellsConnection: tellsConnection)
        since = now
    }

    mutating func connected(at now: Duration) {
        guard step == .connecting else { return }
        step = upload == .atOnce ? .waitingForHead : .sending
        since = now
    }

    /// Records that a part of the request's body was sent to the network.
    ///
    /// - Parameters:
    ///   - count: The total number of bytes sent.
    ///   - length: The length of the body, if known.
    mutating func sent(_ count: Int64, of length: Int64?, at now: Duration) {
        sent = (count, length)
        includesConnecting = false
        if since != nil { since = now }
        switch step {
        case .connecting, .sending: step = count == length ? .waitingForHead : .sending
        // The transport sends the body again after losing a connection.
        case .waitingForHead: if let length, count < length { step = .sending }
        case .storing, .reading: break
        }
    }

    /// Records that the last part of the request's body was sent to the network.
    mutating func uploadEnded(at now: Duration) {
        guard step == .sending || step == .connecting else { return }
        includesConnecting = false
        step = .waitingForHead
        since = now
    }

    mutating func answered() {
        if case .reading = step { return }
        step = .reading(received: 0)
        since = nil
    }

    /// Records that a reader waits for the next part of the response's body, or no longer does.
    mutating func isAwaited(since now: Duration?) {
        if case .reading = step { since = now }
    }

    mutating func received(_ count: Int) {
        guard case .reading(let received) = step else { return }
        step = .reading(received: received + Int64(count))
    }

    /// The next deadline.
    var deadline: Deadline? {
        if case .reading = step, !limitsBody { return nil }
        return .first(call, total, spent ?? stepLimit)
    }

    /// Whether ``deadline`` stays the same until the response's head arrives, whenever the connection is established.
    var deadlineIsSettled: Bool {
        if step == .waitingForHead { return true }
        guard step == .connecting, upload == .atOnce else { return false }
        guard let earliest = [limits.connect, limits.response].compactMap(\.self).min() else { return true }
        return Deadline.first(call, total, Deadline(.response, limit: earliest, start: start))?.scope != .response
    }

    private var total: Deadline? {
        if case .reading = step, !limits.totalCoversBody { return nil }
        return limits.total.map { Deadline(.attempt, limit: $0, start: start) }
    }

    private var stepLimit: Deadline? {
        guard let since else { return nil }
        switch step {
        case .storing: return nil
        case .connecting: return limits.connect.map { Deadline(.connect, limit: $0, start: since) }
        case .sending: return upload == .untold ? nil : withConnecting(.write, limits.write, since)
        case .waitingForHead: return withConnecting(.response, limits.response, since)
        case .reading: return limits.read.map { Deadline(.read, limit: $0, start: since) }
        }
    }

    private func withConnecting(_ scope: TimeoutScope, _ limit: Duration?, _ since: Duration) -> Deadline? {
        guard let limit else { return nil }
        guard includesConnecting else { return Deadline(scope, limit: limit, start: since) }
        let connect = max(.zero, min(limits.connect ?? .zero, Deadline.furthest))
        return Deadline(scope, limit: min(limit, Deadline.furthest) + connect, start: since)
    }

    var progress: TimeoutError.Progress {
        switch step {
        case .storing: .storing
        case .connecting: .connecting
        case .sending: .sending
        case .waitingForHead: .waitingForHead
        case .reading(let received): .readingBody(received: received)
        }
    }
}
