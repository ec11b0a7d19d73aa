#if ServiceLifecycle
public import HTTPChainLogShipper
public import ServiceLifecycle

/// Runs a ``/HTTPChainLogShipper/LogShipper`` as a service of a program, so that the log is sent before the program
/// ends; the trait `ServiceLifecycle` brings it.
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
/// It waits for the graceful shutdown, then ends the shipper. A group ends its services from the last to the first:
/// where this one stands first it is ended last, and what the others log while they end is still sent.
///
/// When the group is cancelled instead, mostly because a service failed, what was logged about the failure is in the
/// queue: it is sent too, within a deadline of its own.
public struct LogShipperService: Service {
    private let shipper: LogShipper
    private let deadline: Duration
    private let cancellationDeadline: Duration

    /// Makes a service.
    ///
    /// - Parameters:
    ///   - shipper: What is ended with the program.
    ///   - deadline: How long sending may take in a graceful shutdown; 30 seconds by default. Keep it below the group's
    ///     `maximumGracefulShutdownDuration`.
    ///   - cancellationDeadline: How long it may take when the group was cancelled; 5 seconds by default, nothing is
    ///     sent with zero.
    public init(
        _ shipper: LogShipper,
        deadline: Duration = .seconds(30),
        cancellationDeadline: Duration = .seconds(5)
    ) {
        self.shipper = shipper
        self.deadline = deadline
        self.cancellationDeadline = cancellationDeadline
    }

    /// Waits until the program is to end, then sends what waits.
    ///
    /// - Throws: `CancellationError` when the group was cancelled, after the last records were sent.
    public func run() async throws {
        do {
            try await gracefulShutdown()
        } catch {
            // A task of its own, because this one is cancelled and could send nothing; it is waited for.
            let ending = Task { try await shipper.shutdown(deadline: cancellationDeadline) }
            _ = await ending.result
            throw CancellationError()
        }
        try await shipper.shutdown(deadline: deadline)
    }
}
#endif
