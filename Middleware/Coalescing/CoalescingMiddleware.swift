public import HTTPChainCore
public import HTTPTypes

/// Lets identical calls that are in flight at the same time share one transfer.
///
/// ```swift
/// let chain = try Chain(transport: transport) { CoalescingMiddleware(partition: .shared) }
/// async let one = chain.send(.get("https://api.example.com/plants"))
/// async let other = chain.send(.get("https://api.example.com/plants"))
/// let responses = try await [one, other]
/// print(responses.count { $0.isCoalesced })
/// ```
///
/// GET and HEAD requests with the same URL and the same header fields are identical; those in `ignoring:` may
/// differ. Requests with content, with `Range`, or that ask for an answer of their own (`Cache-Control: no-cache`,
/// `no-store`, `max-age=0`) are never joined, and streams of events (`text/event-stream`) never shared. A call joins
/// while the head of the response has not arrived; later, what the server said may be older than the call. For the same
/// reason, no call joins a transfer that was begun before an unsafe request to the same origin has ended.
///
/// Each caller reads the body at its own speed. The transfer goes on as fast as the fastest of them reads; what the
/// others have yet to read is kept in memory up to `window` bytes, beyond it in a temporary file up to `spill` bytes,
/// and beyond that the slowest loses its place with a ``CoalescingError``: it never holds up the others. One who is
/// cancelled, or drops the body, leaves the others alone; the last to leave cancels the transfer. An error goes to all.
///
/// The transfer belongs to no one of the callers: deadlines and cancellation are each caller's own. What else the
/// stages further in do for one call (options, observers) they do for the call that began the transfer.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/coalesce``: inside the cache, outside retry and authentication. Because
/// credentials are added further in, a chain that authenticates needs a ``CoalescingPartition`` that keeps users apart,
/// and does not build without one. Calls with credentials among their options are joined only where the partition
/// (``/HTTPChainCore/UserPartition``) is a closure, which sees these.
///
/// **Options.** ``CoalescingOption``, in short ``HTTPChainCore/Request/coalesced(_:)``: a call may have a transfer of
/// its own. `response.isCoalesced` tells whether it had.
///
/// **Errors.** ``CoalescingError`` while the body is read; those of the stages inside pass on to all who share them.
public struct CoalescingMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, SharingMiddleware {
    /// The names of fields that identify one call, and neither selects a representation nor carries a credential:
    /// `traceparent`, `tracestate`, `baggage` (W3C Trace Context and Baggage), `X-Request-ID` and `X-Correlation-ID`.
    public static let callFields = ["traceparent", "tracestate", "baggage", "x-request-id", "x-correlation-id"]
        .compactMap { HTTPField.Name($0) }

    private let partition: CoalescingPartition
    private let ignored: [HTTPField.Name]
    private let window: ByteCount
    private let spill: ByteCount
    let transfers: SharedTransfers

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - partition: What keeps users apart; nothing by default, which a chain that authenticates refuses.
    ///   - ignored: The request fields in which identical calls may differ; ``callFields`` by default. The one of the
    ///     call that begins the transfer is sent.
    ///   - window: How much of a body is kept in memory for those who read slowly; 1 MiB by default.
    ///   - spill: How much more is kept for them in a temporary file; 1 GiB by default, 0 for none.
    public init(
        partition: CoalescingPartition = .none,
        ignoring ignored: [HTTPField.Name] = Self.callFields,
        window: ByteCount = .mebibytes(1),
        spill: ByteCount = .gibibytes(1)
    ) {
        self.partition = partition
        self.ignored = ignored
        self.window = window
        self.spill = spill
        transfers = SharedTransfers(partition: partition, window: window, spill: spill)
    }

    package var userPartition: UserPartition { partition }

    /// Inside the cache, outside retry and authentication.
    public var phase: Phase { .coalesce }

    /// The partition, and how much of a body is kept for slow readers.
    public var summary: StageSummary {
        StageSummary(
            "CoalescingMiddleware",
            purpose: "lets identical calls share a transfer",
            settings: [
                "users": partition.isApart ? "apart" : "shared", "window": "\(window)", "spill": "\(spill)",
            ]
        )
    }

    /// A stage that would give one user's responses to another.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        guard !partition.seesUsers, !partition.isShared,
            let stage = place.inside.first(where: { $0.phase == .authenticate })
        else { return [] }
        let name = stage.summary.name
        return [
            ChainProblem(
                stage: "CoalescingMiddleware",
                problem: "CoalescingMiddleware stands outside \(name) and cannot tell whose calls it joins",
                fix: "give it partition: .by { … } with the user's name, or .shared where all callers are one user"
            )
        ]
    }

    /// Joins the transfer of an identical call, or begins one.
    ///
    /// - Throws: What the stages inside and the partition throw; `CancellationError` when the caller is cancelled.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard request.head.method.isSafe else {
            guard let origin = request.origin else { return try await next(request) }
            defer { transfers.close(to: origin) }
            return try await next(request)
        }
        guard let key = CoalescingKey(request, ignoring: ignored, hasUserPartition: partition.seesUsers) else {
            return try await next(request)
        }
        guard partition.isApart else { return try await transfers.send(request, key, next) }
        guard case .user(let owner) = try await partition.owner(of: request) else { return try await next(request) }
        return try await transfers.send(request, key.inPartition(owner), next)
    }
}
