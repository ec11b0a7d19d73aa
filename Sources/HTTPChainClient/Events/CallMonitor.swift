public import HTTPChainProgress
public import Observation

/// The activity and the progress of calls, for a user interface that observes it.
///
/// ```swift
/// let monitor = await CallMonitor()
/// let user = try await client.makeCall(GetUser(id: 42)).monitoring(by: monitor).value
/// let everything = await CallMonitor(client)
/// let uploads = await CallMonitor(client, tag: "upload")
/// ```
///
/// A SwiftUI view that reads a property is updated when the property changes; elsewhere, use `withObservationTracking`.
/// Changes arrive in order. If the main actor is busy, it skips to the newest state.
@MainActor
@Observable
public final class CallMonitor {
    /// The number of running calls.
    public private(set) var count = 0

    /// Whether a running call waits for a network; see `waitsForConnectivity:` of
    /// ``/HTTPChainCore/ConnectionSettings``.
    ///
    /// Only URLSession on Apple platforms reports it.
    public private(set) var isWaitingForConnectivity = false

    /// The newest report of `ProgressMiddleware`; `nil` before the first report, and in a chain without that stage.
    ///
    /// It counts the bytes of the caller's content, or the bytes on the wire if the chain reports only those.
    public private(set) var progress: TransferProgress?

    /// The completed fraction, from 0 to 1; `nil` if it is unknown.
    ///
    /// It is the fraction of ``progress``. While several calls transfer content, it is the average of their fractions.
    public private(set) var fraction: Double?

    nonisolated let state = CallMonitorState()

    /// Creates a monitor for the calls of a client that begin from now on.
    ///
    /// Without a client, it only monitors calls added with ``Call/monitoring(by:)``.
    ///
    /// Calls at endpoints that don't show activity are excluded (``Endpoint/showingActivity(_:)``).
    ///
    /// - Parameters:
    ///   - client: The client, not retained; none by default.
    ///   - tag: The tag of the client's calls; all its calls by default.
    public init(_ client: Client? = nil, tag: String? = nil) {
        let state = state
        Task { [weak self] in
            var version = 0
            while let newest = await state.newest(after: version) {
                version = newest.version
                self?.show(newest.summary)
            }
        }
        client?.core.events.add { [weak state] event in
            guard let state else { return false }
            if event.showsActivity, tag.map(event.tags.contains) ?? true { state.note(event) }
            return true
        }
    }

    deinit { state.end() }

    /// Whether a call is running.
    public var isActive: Bool { count > 0 }

    private func show(_ summary: CallMonitorState.Summary) {
        // Assigns only changed values, because each assignment updates the views that read them.
        if count != summary.count { count = summary.count }
        if fraction != summary.fraction { fraction = summary.fraction }
        if isWaitingForConnectivity != summary.isWaiting { isWaitingForConnectivity = summary.isWaiting }
        progress = summary.progress
    }
}

extension Call {
    /// Returns the call with a monitor that shows its activity and progress.
    ///
    /// - Parameter monitor: The monitor, which may follow several calls and isn't retained.
    public func monitoring(by monitor: CallMonitor) -> Call {
        changing { $0.monitors.append(monitor.state) }
    }
}
