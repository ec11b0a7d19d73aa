public import HTTPChainCore

/// The speed of the simulated network of an in-memory transport.
///
/// Delays use the clock of the request's environment, so that a two-minute upload takes no time in a test:
///
/// ```swift
/// let transport = InMemoryTransport(network: SimulatedNetwork(uploadPerSecond: .kilobytes(50)))
/// transport.enqueue(.ok)
/// let response = try await chain.send(.post(url, body: sixMegabytes))   // on a VirtualClock.automatic()
/// ```
public struct SimulatedNetwork: Sendable, Hashable {
    /// The time to connect.
    package var connecting: Duration
    /// The number of request body bytes sent per second; `nil` for no limit.
    package var uploadPerSecond: ByteCount?
    /// The number of response body bytes received per second; `nil` for no limit.
    package var downloadPerSecond: ByteCount?

    /// Creates a network, by default without delays.
    public init(
        connecting: Duration = .zero,
        uploadPerSecond: ByteCount? = nil,
        downloadPerSecond: ByteCount? = nil
    ) {
        self.connecting = connecting
        self.uploadPerSecond = uploadPerSecond
        self.downloadPerSecond = downloadPerSecond
    }

    /// Returns the time for a number of bytes.
    static func time(for count: Int, at rate: ByteCount?) -> Duration {
        guard let rate, rate > 0 else { return .zero }
        return .seconds(Double(count) / Double(rate.bytes))
    }
}
