public import Foundation

/// Is told how calls of any type end, as a delegate of older frameworks is.
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
/// An observer on an actor, the main one too, has an `async` method or is on that actor itself.
public protocol CallObserver: AnyObject, Sendable {
    /// A call has ended.
    func callEnded(_ report: CallReport) async
}

/// Is told how calls of any type end, on a queue.
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
/// It is for code that keeps its state on a queue; one whose state is on an actor is a ``CallObserver``. A class may be
/// both with one method.
public protocol QueuedCallObserver: AnyObject, Sendable {
    /// A call has ended; called on the queue that was named when it was started.
    func callEnded(_ report: CallReport)
}

/// The report of how a call of any type ended.
public struct CallReport: Sendable {
    /// The request.
    public let request: any TypedRequest
    /// The call's key; `nil` if it has none.
    public let key: (any Hashable & Sendable)?
    /// Whether it is about the stored reply, and not about what the service said now.
    ///
    /// Only ``Call/startStoredThenLive(dropping:onlyData:_:)`` and its form for a queue report stored replies.
    public let isStored: Bool
    /// The date when the reply was stored; `nil` for what came now, and for a stored reply that could not be read.
    public let storedAt: Date?
    /// The outcome, the output's type aside.
    public let outcome: CallOutcome<any Sendable>

    private let typed: any Sendable

    /// Where an outcome comes from.
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

    /// The request and the outcome as those of a request type; `nil` if the call was of another.
    public func of<Kind: TypedRequest>(_ type: Kind.Type) -> (request: Kind, outcome: CallOutcome<Kind.Output>)? {
        guard let request = request as? Kind, let outcome = typed as? CallOutcome<Kind.Output> else { return nil }
        return (request, outcome)
    }
}
