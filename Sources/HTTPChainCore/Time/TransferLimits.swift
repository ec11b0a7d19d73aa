/// The time that each step of one exchange with a server may take.
///
/// A stage that limits attempts sets them on the request, and the transport keeps them: they are data, as the deadline
/// of the call is. `nil` is no limit; zero or less fails at once.
public struct TransferLimits: Sendable, Hashable {
    /// The time that it may take to get a connection, the wait for a free one included.
    ///
    /// A transport that is not told when there is a connection adds it to the limit of the first step after it.
    public var connect: Duration?
    /// The time during which the network may take nothing of the request's body; it begins anew with each part that is
    /// taken.
    ///
    /// Small parts wait in buffers of the system, which a slow network empties in its own time.
    public var write: Duration?
    /// The time that the response's head may take, from the moment when all of the request has been sent.
    public var response: Duration?
    /// The time during which the server may be silent while somebody waits for the next part of the response's body.
    public var read: Duration?
    /// The time that the exchange may take in all.
    public var total: Duration?
    /// Whether ``total`` covers the response's body, too, and not only what happens until its head has arrived.
    public var totalCoversBody: Bool

    /// Makes limits; by default there are none.
    public init(
        connect: Duration? = nil,
        write: Duration? = nil,
        response: Duration? = nil,
        read: Duration? = nil,
        total: Duration? = nil,
        totalCoversBody: Bool = false
    ) {
        self.connect = connect
        self.write = write
        self.response = response
        self.read = read
        self.total = total
        self.totalCoversBody = totalCoversBody
    }

    /// Whether there is no limit at all.
    public var isEmpty: Bool { connect == nil && write == nil && response == nil && read == nil && total == nil }
}

/// The limits of the exchange that a request begins; a transport that keeps deadlines keeps them.
public enum TransferLimitsOption: RequestOption {
    /// No limits.
    public static var defaultValue: TransferLimits? { nil }
}
