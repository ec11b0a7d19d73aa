public import Foundation

/// An observer that is notified when calls of any type end, like a delegate in older frameworks.
///
/// ```swift
/// extension ProfilePage: CallObserver {
///     func callEnded(_ report: CallReport) {
///         if let (request, outcome) = report.of(GetUser.self) { show(outcome, for: request.id) }
///     }
/// }
/// client.call(GetUser(id: 42)).start(page)
/// ```
///
/// On an actor, including the main actor, implement the method as `async` or isolate it to that actor.
public protocol CallObserver: AnyObject, Sendable {
    /// Called when a call has ended.
    func callEnded(_ report: CallReport) async
}

/// An observer that is notified on a queue when calls of any type end.
///
/// ```swift
/// extension ProfileStore: QueuedCallObserver {
///     func callEnded(_ report: CallReport) {
///         if let (request, outcome) = report.of(GetUser.self) { keep(outcome.output, for: request.id) }
///     }
/// }
/// client.call(GetUser(id: 42)).start(store, on: queue)
/// ```
///
/// Use it for state that is confined to a queue; use ``CallObserver`` for state on an actor. A class can be both with a
/// single method.
public protocol QueuedCallObserver: AnyObject, Sendable {
    /// Called when a call has ended, on the queue given when it was started.
    func callEnded(_ report: CallReport)
}

/// A report of how a call of any type ended.
public struct CallReport: Sendable {
    /// The request.
    public let request: any TypedRequest
    /// The call's key; `nil` if it has none.
    public let key: (any Hashable & Sendable)?
    /// Whether this is the stored reply rather than the live one.
    ///
    /// Only ``Call/startStoredThenLive(dropping:onlyData:_:)`` and its variant with a queue report stored replies.
    public let isStored: Bool
    /// The date when the reply was stored; `nil` for a live reply, and for a stored reply that couldn't be read.
    public let storedAt: Date?
    /// The outcome, with the output's type erased.
    public let outcome: CallOutcome<any Sendable>

    private let typed: any Sendable

    /// The call that an outcome belongs to.
    struct Source {
        var isStored = false
        var date: Date?
    }

    init<Kind: TypedRequest>(
        request: Kind,
        key: (any Hashable & Sendable)?,
        source: Source = Source(),
        outcome: CallOutcome<Kind.Output>
    ) {
        self.request = request
        self.key = key
        isStored = source.isStored
        storedAt = source.date
        self.outcome = outcome.map { $0 as any Sendable }
        typed = outcome
    }

    /// Returns the request and the outcome with their static types, or `nil` if the call was of another type.
    public func of<Kind: TypedRequest>(_ type: Kind.Type) -> (request: Kind, outcome: CallOutcome<Kind.Output>)? {
        guard let request = request as? Kind, let outcome = typed as? CallOutcome<Kind.Output> else { return nil }
        return (request, outcome)
    }
}
