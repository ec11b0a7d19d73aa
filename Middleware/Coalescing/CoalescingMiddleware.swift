public import HTTPChainCore
public import HTTPTypes

/// Makes identical concurrent calls share one transfer.
///
/// ```swift
/// let chain = try Chain(transport: transport) { CoalescingMiddleware(partition: .shared) }
/// async let one = chain.send(.get("https://api.example.com/plants"))
/// async let other = chain.send(.get("https://api.example.com/plants"))
/// let responses = try await [one, other]
/// print(responses.count { $0.isCoalesced })
/// ```
///
/// GET and HEAD requests are identical if they have the same URL and the same header fields, except those in
/// `ignoring:`. Requests with content, with `Range`, or that require a new response (`Cache-Control: no-cache`,
/// `no-store`, `max-age=0`) are never joined, and event streams (`text/event-stream`) are never shared. A call can join
/// only until the response's head arrives, because after that the response may be older than the call. For the same
/// reason, no call joins a transfer that began before the end of an unsafe request to the same origin.
///
/// Each caller reads the body at its own speed, and the transfer runs at the speed of the fastest. The part that others
/// haven't read yet is kept in memory up to `window` bytes, and beyond that in a temporary file up to `spill` bytes. If
/// that isn't enough, the slowest reader gets a ``CoalescingError``, so that it never delays the others. Cancelling one
/// caller, or dropping its body, doesn't affect the others. When the last one leaves, the transfer is cancelled. If the
/// transfer fails, all callers get the error.
///
/// No caller owns the transfer: deadlines and cancellation apply to each caller separately, and inner stages see the
/// latest deadline. Calls share a transfer only if their options are also equal, apart from those that don't affect the
/// response (``/HTTPChainCore/RequestOption/affectsResponse``). A call therefore never fails because of another's
/// attempt timeout, retry policy or priority. Inner stages call the observers of the call that began the transfer.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/coalesce``: inside the cache, outside retry and authentication. Because
/// credentials are added by inner stages, a chain that authenticates needs a partition that separates users
/// (``/HTTPChainCore/UserPartition``); without one, `Chain.init` throws. Calls with credentials in their options are
/// joined only if the partition is a closure, which sees them.
///
/// **Options.** ``HTTPChainCore/Request/coalescing(_:)`` can require a separate transfer for a call.
/// `response.isCoalesced` is true if the call shared a transfer that another call began.
///
/// **Errors.** ``CoalescingError`` while the body is read. Errors of inner stages go to all callers of the transfer.
public struct CoalescingMiddleware: BuiltInStage, SharingMiddleware {
    /// The names of fields that identify one call, and neither select a representation nor carry a credential.
    ///
    /// These are `traceparent`, `tracestate`, `baggage` (W3C Trace Context and Baggage), `X-Request-ID` and
    /// `X-Correlation-ID`.
    public static let callFields = RequestIdentity.callFields

    private let partition: UserPartition
    private let ignored: [HTTPField.Name]
    private let window: ByteCount
    private let spill: ByteCount
    package let transfers: SharedTransfers

    /// Creates the stage.
    ///
    /// - Parameters:
    ///   - partition: The partition that separates users; none by default, which a chain that authenticates rejects.
    ///   - ignored: The request fields in which identical calls may differ; ``callFields`` by default. The fields that
    ///     are sent are those of the call that begins the transfer.
    ///   - window: The maximum size of the part of a body kept in memory for slow readers; 1 MiB by default.
    ///   - spill: The maximum size of the further part that is kept in a temporary file; 1 GiB by default, 0 for none.
    public init(
        partition: UserPartition = .none,
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
    package var stagePhase: Phase { .coalesce }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [CoalescingOption.self] }

    /// The partition, and the limits for slow readers.
    package var stageSummary: StageSummary {
        StageSummary(
            "CoalescingMiddleware",
            purpose: "lets identical calls share a transfer",
            settings: [
                "users": partition.summary, "window": "\(window)", "spill": "\(spill)",
            ]
        )
        .adding("ignores", ignored == Self.callFields ? nil : ignored.map(\.rawName).joined(separator: ", "))
    }

    /// Reports a stage that would share one user's responses with another user.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        partition.problems(at: place, of: "CoalescingMiddleware", "whose calls it joins")
    }

    /// Joins the transfer of an identical call, or begins one.
    ///
    /// - Throws: Errors of the inner stages and of the partition; `CancellationError` if the caller is cancelled.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
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
