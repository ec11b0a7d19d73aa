public import HTTPChainCore

/// The speed of the network that an in-memory transport pretends to have.
///
/// Time passes on the clock of the request's environment, so that two minutes of uploading take a test no time:
///
/// ```swift
/// let transport = InMemoryTransport(network: SimulatedNetwork(uploadPerSecond: .kilobytes(50)))
/// transport.enqueue(.ok)
/// let response = try await chain.send(.post(url, body: sixMegabytes))   // on a VirtualClock.automatic()
/// ```
public struct SimulatedNetwork: Sendable, Hashable {
    /// The time that it takes to get a connection.
    public var connecting: Duration
    /// The bytes of a request's body that are sent in a second; `nil` for all of it at once.
    public var uploadPerSecond: ByteCount?
    /// The bytes of a response's body that arrive in a second; `nil` for all of it at once.
    public var downloadPerSecond: ByteCount?

    /// Makes a network; by default nothing takes time on it.
    public init(
        connecting: Duration = .zero,
        uploadPerSecond: ByteCount? = nil,
        downloadPerSecond: ByteCount? = nil
    ) {
        self.connecting = connecting
        self.uploadPerSecond = uploadPerSecond
        self.downloadPerSecond = downloadPerSecond
    }

    /// How long so many bytes take.
    static func time(for count: Int, at rate: ByteCount?) -> Duration {
        guard let rate, rate > 0 else { return .zero }
        return .seconds(Double(count) / Double(rate.bytes))
    }
}
