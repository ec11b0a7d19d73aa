import HTTPChainCore

/// What is known of a value that has to be renewed now and then, such as a token or a session: which one is in use,
/// and what may be done about it.
///
/// Each change of the value is a generation. Who was sent away with an older one needs no renewal, only the newer one.
struct RenewalState<Value: Sendable>: Sendable {
    /// What a call saw when it began.
    struct Ticket: Sendable, Hashable {
        fileprivate var generation: Int
        fileprivate var failures: Int
    }

    /// A value in use, and the ticket to ask for another with.
    struct Held: Sendable {
        let value: Value
        let ticket: Ticket
    }

    /// What to do for a call that cannot use what it has.
    enum Advice: Sendable {
        /// Use this one, which is newer.
        case use(Held)
        /// Fail as the renewal did that ended after the call had begun.
        case fail(any Error)
        /// Renew, or wait for the renewal that runs.
        case renew
        /// Give up: there were too many renewals.
        case giveUp
    }

    /// What a renewal begins with.
    enum Beginning: Sendable {
        /// There is a newer value already.
        case use(Held)
        /// There is a newer value, and it has to be saved before it is used.
        case save(Held)
        /// Make a new value.
        case renew(replacing: Value?, Renewal)
        /// There were too many.
        case refused
    }

    /// One renewal that has begun.
    struct Renewal: Sendable {
        fileprivate let generation: Int
        fileprivate let time: Duration
    }

    private var value: Value?
    private var generation = 0
    /// The server does not take the value any more, as far as is known before it was tried to renew it.
    private var isRejected = false
    private var isUnsaved = false
    private var isRenewing = false
    private var failures = 0
    private var lastFailure: (any Error)?
    private var window: RenewalWindow

    init(_ value: Value?, limit: RenewalLimit) {
        self.value = value
        window = RenewalWindow(limit)
    }

    /// The value as it is, used or not.
    var current: Value? { value }

    var ticket: Ticket { Ticket(generation: generation, failures: failures) }

    /// The value that a call may use; whether it has expired is for the caller to know.
    var usable: Held? {
        guard let value, !isRejected, !isUnsaved else { return nil }
        return Held(value: value, ticket: ticket)
    }

    /// Puts another value in place; `nil` ends its use.
    mutating func replace(with newValue: Value?) {
        value = newValue
        generation += 1
        isRejected = false
        isUnsaved = false
        lastFailure = nil
    }

    /// Notes that the server does not take the value that a call was made with, so that the next call renews it.
    mutating func reject(_ ticket: Ticket) {
        if ticket.generation == generation { isRejected = true }
    }

    /// What a call should do that had this ticket.
    mutating func advice(for ticket: Ticket, at now: Duration) -> Advice {
        if generation != ticket.generation, let usable { return .use(usable) }
        if failures != ticket.failures, let lastFailure { return .fail(lastFailure) }
        if isRenewing || isUnsaved || window.hasRoom(at: now) { return .renew }
        // Better to be turned down by the server than to try nothing at all.
        isRejected = false
        return .giveUp
    }

    /// Begins a renewal for a call that had this ticket.
    ///
    /// While it runs, calls that begin wait for it: the value they would use is on its way out.
    mutating func begin(for ticket: Ticket, at now: Duration) -> Beginning {
        if let value, isUnsaved { return .save(Held(value: value, ticket: self.ticket)) }
        if generation != ticket.generation, let usable { return .use(usable) }
        guard window.admit(at: now) else {
            isRejected = false
            return .refused
        }
        isRenewing = true
        isRejected = true
        return .renew(replacing: value, Renewal(generation: generation, time: now))
    }

    /// Ends a renewal with a new value.
    ///
    /// - Returns: The new value in use; `nil` when the value was replaced meanwhile, which stays.
    mutating func finish(_ renewal: Renewal, with newValue: Value, isSaved: Bool) -> Held? {
        isRenewing = false
        guard renewal.generation == generation else { return nil }
        replace(with: newValue)
        isUnsaved = !isSaved
        return Held(value: newValue, ticket: ticket)
    }

    /// The value was saved, and may be used.
    mutating func saved(_ held: Held) {
        if held.ticket.generation == generation { isUnsaved = false }
    }

    /// Ends a renewal without a new value.
    ///
    /// - Parameter keepsValue: Whether the value there is stays in use: the server that turned it down once may have
    ///   meant something else.
    /// - Returns: The value that was put in its place meanwhile.
    mutating func fail(_ renewal: Renewal, with error: any Error, keepsValue: Bool) -> Held? {
        isRenewing = false
        guard renewal.generation == generation else { return usable }
        if keepsValue { isRejected = false } else { replace(with: nil) }
        failures += 1
        lastFailure = error
        return nil
    }

    /// Ends a renewal that nobody waits for any more: it counts for nothing.
    mutating func abandon(_ renewal: Renewal) {
        isRenewing = false
        if renewal.generation == generation { isRejected = false }
        window.withdraw(renewal.time)
    }
}
