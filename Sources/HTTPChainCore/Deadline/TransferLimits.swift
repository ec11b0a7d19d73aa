/// Time limits for each step of an exchange with a server.
///
/// A stage that limits attempts sets these on the request, and the transport enforces them. `nil` means no limit. With
/// zero or less, an exchange that has the step fails immediately.
package struct TransferLimits: Sendable, Hashable {
    /// The maximum time to get a connection, including the wait for a free one.
    ///
    /// A transport that doesn't know when the connection is established adds this to the limit of the next step.
    package var connect: Duration?
    /// The maximum time during which the network accepts no part of the request's body; it restarts with each part.
    ///
    /// The system buffers small parts, and a slow network empties the buffers later.
    package var write: Duration?
    /// The maximum time until the response's head arrives, from the moment when the whole request has been sent.
    package var response: Duration?
    /// The maximum time of silence from the server while a reader waits for the next part of the response's body.
    package var read: Duration?
    /// The maximum total time of the exchange.
    package var total: Duration?
    /// Whether ``total`` also covers the response's body, and not only the time until its head has arrived.
    package var totalCoversBody: Bool
    /// The name of the stage that set the limits.
    package var stage: StaticString { name.content }
    private let name: Uncompared<StaticString>

    /// Makes limits, by default none.
    package init(
        connect: Duration? = nil,
        write: Duration? = nil,
        response: Duration? = nil,
        read: Duration? = nil,
        total: Duration? = nil,
        totalCoversBody: Bool = false,
        stage: StaticString = "attempt"
    ) {
        self.connect = connect
        self.write = write
        self.response = response
        self.read = read
        self.total = total
        self.totalCoversBody = totalCoversBody
        name = Uncompared(stage)
    }

    /// Whether there are no limits.
    package var isEmpty: Bool { connect == nil && write == nil && response == nil && read == nil && total == nil }
}

/// The limits of the request's exchange, which a transport that keeps deadlines enforces.
package enum TransferLimitsNote: RequestOption, RequestNote {
    /// No limits.
    package static var defaultValue: TransferLimits? { nil }
}

extension RequestOptions {
    /// Returns the name of the stage that set a limit.
    func stage(limiting scope: TimeoutScope) -> String {
        if scope == .call { return self[DeadlineNote.self]?.stage.map { "\($0)" } ?? "deadline" }
        return self[TransferLimitsNote.self].map { "\($0.stage)" } ?? "attempt"
    }
}
