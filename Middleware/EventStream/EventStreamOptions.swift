public import HTTPChainCore
import HTTPTypes

/// How a stream of events is read.
public struct EventStreamOptions: Sendable {
    /// What the server sends; server-sent events by default.
    public var format: StreamFormat
    /// When the stream is opened again; `nil`, the default, stands for a policy that suits the request.
    ///
    /// Server-sent events that are asked for with a safe method (RFC 9110 §9.2.1) are asked for again. A POST is not: it
    /// may begin something on the server, such as the answer of a language model. Neither are the other formats, where
    /// the server cannot tell what was read; see ``prepare``.
    public var reconnection: ReconnectionPolicy?
    /// How long the server may be silent; 5 minutes by default, or 3 heartbeats once there were some.
    public var watchdog: StreamWatchdog
    /// How much of the stream is held in memory.
    public var limits: EventStreamLimits
    /// The id after which the stream is to begin, as it was kept from an earlier one; none by default.
    public var lastEventID: String?
    /// The types of events that are wanted; all by default.
    ///
    /// The others are passed over.
    public var types: Set<String>?
    /// Whether an event is the end of the stream, and is not delivered; none is by default.
    public var isEnd: (@Sendable (ServerSentEvent) -> Bool)?
    /// What becomes of an event that is no value of the type wanted; the stream fails by default.
    public var undecodable: UndecodableEvents
    /// The media types that the response may have beside those of the format; none by default.
    public var otherContentTypes: Set<String>
    /// Bounds how often streams are opened again, together with other calls of the same budget; none by default.
    ///
    /// While it is spent the stream waits for the policy's longest delay.
    public var budget: RetryBudget?
    /// Changes the request before each time it is sent, such as a cursor in its query; none by default.
    public var prepare: (@Sendable (inout Request, EventStreamPosition) -> Void)?
    /// Told of each comment as it is read; none by default.
    ///
    /// It must return quickly.
    public var onComment: (@Sendable (String) -> Void)?

    /// Makes options.
    ///
    /// - Parameters:
    ///   - format: What the server sends.
    ///   - reconnection: When the stream is opened again; a policy that suits the request by default.
    ///   - watchdog: How long the server may be silent.
    ///   - limits: How much of the stream is held in memory.
    ///   - lastEventID: The id after which the stream is to begin.
    ///   - types: The types of events that are wanted.
    ///   - isEnd: Whether an event is the end of the stream.
    public init(
        format: StreamFormat = .serverSentEvents,
        reconnection: ReconnectionPolicy? = nil,
        watchdog: StreamWatchdog = .learning(),
        limits: EventStreamLimits = EventStreamLimits(),
        lastEventID: String? = nil,
        types: Set<String>? = nil,
        isEnd: (@Sendable (ServerSentEvent) -> Bool)? = nil
    ) {
        self.format = format
        self.reconnection = reconnection
        self.watchdog = watchdog
        self.limits = limits
        self.lastEventID = lastEventID
        self.types = types
        self.isEnd = isEnd
        undecodable = .fail
        otherContentTypes = []
    }

    /// A stream of values of a language model: it ends with the data `[DONE]`, and is not opened again.
    public static let untilDone = EventStreamOptions(reconnection: .never) { $0.bytes.elementsEqual("[DONE]".utf8) }

    func policy(for request: borrowing Request) -> ReconnectionPolicy {
        if let reconnection { return reconnection }
        return format.hasIDs && request.head.method.isSafe ? ReconnectionPolicy() : .never
    }
}

/// What becomes of an event that is no value of the type wanted.
public enum UndecodableEvents: String, Sendable, Hashable {
    /// The stream fails.
    case fail
    /// The event is passed over.
    case skip
}

/// Where a stream stands when it is opened.
public struct EventStreamPosition: Sendable, Hashable {
    /// Which connection it is; 1 is the first.
    public let connection: Int
    /// The id that the stream stands at; `nil` as long as there was none.
    public let lastEventID: String?
    /// How many events were read in all.
    public let events: Int
}
