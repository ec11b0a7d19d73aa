public import HTTPChainCore
import HTTPTypes

/// The settings for reading a stream of events.
public struct EventStreamOptions: Sendable {
    /// The format that the server sends; server-sent events by default.
    package var format: StreamFormat
    /// The rules for reopening the stream; `nil`, the default, chooses a policy for the request.
    ///
    /// By default, server-sent events requested with a safe method (RFC 9110 §9.2.1) are reopened. A POST isn't,
    /// because it may start something on the server, such as a language model's response. Neither are the other
    /// formats, because the server can't know how much was read; see `prepare`.
    package var reconnection: ReconnectionPolicy?
    /// The time that the server may be silent; 5 minutes by default, or 3 heartbeats once some have arrived.
    package var watchdog: StreamWatchdog
    /// The limits on the memory for the stream.
    package var limits: EventStreamLimits
    /// The ID of the last event of an earlier stream, after which this one resumes; none by default.
    package var lastEventID: String?
    /// The types of events to deliver; all by default.
    ///
    /// Other events are skipped.
    package var types: Set<String>?
    /// Returns whether an event marks the end of the stream.
    ///
    /// Such an event isn't delivered. `nil`, the default, means that no event marks the end.
    package var isEnd: (@Sendable (ServerSentEvent) -> Bool)?
    /// Whether an event that can't be decoded is skipped; the stream fails by default.
    package var skipsUndecodable: Bool
    /// A closure that changes the request before each connection, for example to set a cursor in its query; none by
    /// default.
    package var prepare: (@Sendable (inout Request, EventStreamPosition) -> Void)?
    /// Receives each comment as it is read; none by default.
    ///
    /// It must return quickly.
    package var onComment: (@Sendable (String) -> Void)?

    /// Makes options.
    ///
    /// - Parameters:
    ///   - format: The format of the stream.
    ///   - reconnection: The reconnection policy; by default one chosen for the request.
    ///   - watchdog: The time that the server may be silent.
    ///   - limits: The limits on the memory for the stream.
    ///   - lastEventID: The ID of the last event of an earlier stream, after which this one resumes.
    ///   - types: The types of events to deliver.
    ///   - isEnd: Returns whether an event marks the end of the stream.
    ///   - skipsUndecodable: Whether an event that can't be decoded is skipped; the stream fails by default.
    ///   - prepare: Changes the request before each connection, for example to set a cursor in its query.
    public init(
        format: StreamFormat = .serverSentEvents,
        reconnection: ReconnectionPolicy? = nil,
        watchdog: StreamWatchdog = .learning(),
        limits: EventStreamLimits = EventStreamLimits(),
        lastEventID: String? = nil,
        types: Set<String>? = nil,
        isEnd: (@Sendable (ServerSentEvent) -> Bool)? = nil,
        skipsUndecodable: Bool = false,
        prepare: (@Sendable (inout Request, EventStreamPosition) -> Void)? = nil
    ) {
        self.format = format
        self.reconnection = reconnection
        self.watchdog = watchdog
        self.limits = limits
        self.lastEventID = lastEventID
        self.types = types
        self.isEnd = isEnd
        self.skipsUndecodable = skipsUndecodable
        self.prepare = prepare
    }

    /// Options for the response of a language model: the stream ends with the data `[DONE]`, and isn't reopened.
    public static let untilDone = EventStreamOptions(reconnection: .never) { $0.bytes.elementsEqual("[DONE]".utf8) }

    func policy(for request: borrowing Request) -> ReconnectionPolicy {
        if let reconnection { return reconnection }
        return format.hasIDs && request.head.method.isSafe ? ReconnectionPolicy() : .never
    }
}

/// The position at which a stream is opened.
public struct EventStreamPosition: Sendable, Hashable {
    /// The number of the connection; 1 is the first.
    public let connection: Int
    /// The stream's current ID; `nil` if there is none.
    public let lastEventID: String?
    /// The total number of events read.
    public let events: Int
}
