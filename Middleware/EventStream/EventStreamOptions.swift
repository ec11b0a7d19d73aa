public import HTTPChainCore
import HTTPTypes

/// The settings of how a stream of events is read.
public struct EventStreamOptions: Sendable {
    /// The format that the server sends; server-sent events by default.
    public var format: StreamFormat
    /// The rules for opening the stream again; `nil`, the default, stands for a policy that suits the request.
    ///
    /// Server-sent events that are asked for with a safe method (RFC 9110 §9.2.1) are asked for again. A POST is not: it
    /// may begin something on the server, such as the answer of a language model. Neither are the other formats, where
    /// the server cannot tell what was read; see ``prepare``.
    public var reconnection: ReconnectionPolicy?
    /// The time for which the server may be silent; 5 minutes by default, or 3 heartbeats once there were some.
    public var watchdog: StreamWatchdog
    /// The limits of what is kept of the stream in memory.
    public var limits: EventStreamLimits
    /// The id after which the stream is to begin, as it was kept from an earlier one; none by default.
    public var lastEventID: String?
    /// The types of events that are wanted; all by default.
    ///
    /// The others are passed over.
    public var types: Set<String>?
    /// Whether an event is the end of the stream, and is not delivered; none is by default.
    public var isEnd: (@Sendable (ServerSentEvent) -> Bool)?
    /// The treatment of an event that cannot be decoded to the type wanted; the stream fails by default.
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
    ///   - limits: How much of the stream is kept in memory.
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

/// The treatment of an event that cannot be decoded to the type wanted.
public enum UndecodableEvents: String, Sendable, Hashable {
    /// The stream fails.
    case fail
    /// The event is passed over.
    case skip
}

/// The position at which a stream is opened.
public struct EventStreamPosition: Sendable, Hashable {
    /// The number of the connection; 1 is the first.
    public let connection: Int
    /// The id that the stream stands at; `nil` as long as there was none.
    public let lastEventID: String?
    /// The number of events that were read in all.
    public let events: Int
}
