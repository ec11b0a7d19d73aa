#if ServiceLifecycle
public import HTTPChainLogShipper
public import ServiceLifecycle

/// Runs a ``/HTTPChainLogShipper/LogShipper`` as a service, so that pending records are sent before the program ends.
///
/// Requires the package trait `ServiceLifecycle`.
///
/// ```swift
/// let group = ServiceGroup(
///     services: [LogShipperService(shipper, deadline: .seconds(10)), server],
///     gracefulShutdownSignals: [.sigterm],
///     logger: logger
/// )
/// try await group.run()
/// ```
///
/// The service waits for the graceful shutdown, and then shuts the shipper down. A group ends its services from last to
/// first. If this service is first, it ends last, so that records logged by the others while they end are still sent.
///
/// If the group is cancelled instead, usually because a service failed, the queue still contains the records about that
/// failure. They are sent too, within a separate deadline.
public struct LogShipperService: Service {
    private let shipper: LogShipper
    private let deadline: Duration
    private let cancellationDeadline: Duration

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - shipper: The shipper, which is shut down when the program ends.
    ///   - deadline: The time limit for sending in a graceful shutdown; 30 seconds by default. Keep it below the
    ///     group's `maximumGracefulShutdownDuration`.
    ///   - cancellationDeadline: The time limit for sending if the group was cancelled; 5 seconds by default. With
    ///     zero, nothing is sent.
    public init(
        _ shipper: LogShipper,
        deadline: Duration = .seconds(30),
        cancellationDeadline: Duration = .seconds(5)
    ) {
        self.shipper = shipper
        self.deadline = deadline
        self.cancellationDeadline = cancellationDeadline
    }

    /// Waits for the end of the program, and then sends the pending records.
    ///
    /// - Throws: `CancellationError` if the group was cancelled, after the last records were sent.
    public func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            // This is a separate task, because the current one is cancelled and couldn't send anything. It is awaited.
            let ending = Task { try await shipper.shutdown(deadline: cancellationDeadline) }
            _ = await ending.result
            throw CancellationError()
        }
        try await shipper.shutdown(deadline: deadline)
    }
}
#endif
