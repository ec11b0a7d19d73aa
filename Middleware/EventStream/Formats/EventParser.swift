public import Foundation
import HTTPChainCore

/// Reads a stream of events as a value: chunks go in, events come out.
///
/// ```swift
/// var parser = EventParser()
/// let events = try parser.events(in: Data("data: one\n\n".utf8))
/// ```
///
/// It follows the HTML standard, §9.2.5 and §9.2.6: a byte order mark at the beginning is left out, lines end with LF, CR
/// or CRLF, also where that is cut between two chunks, and an event that is incomplete at the end does not count. However
/// the stream is cut, the events are the same, and each byte is looked at once.
public struct EventParser: Sendable {
    private var scanner: EventScanner
    private var assembler: EventAssembler

    /// Makes a parser that stands at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The id of the events that bring none; that of the connection before, where there was one.
    ///   - limits: How much is kept in memory.
    public init(lastEventID: String? = nil, limits: EventStreamLimits = EventStreamLimits()) {
        scanner = EventScanner(limits: limits, lastEventID: lastEventID, streamsData: false)
        assembler = EventAssembler(limit: limits.event)
    }

    /// The id that the stream stands at, after the events that are complete; `nil` as long as there was none.
    public var lastEventID: String? { scanner.lastEventID }

    /// The time that the server asks to wait before the stream is opened again; `nil` as long as it has not.
    public private(set) var retry: Duration?

    /// Reads the next chunk.
    ///
    /// - Returns: The events that are complete with it, in order.
    /// - Throws: ``EventStreamError`` when a line or an event goes beyond the limits; nothing can be read after it.
    public mutating func events(in chunk: Data) throws(EventStreamError) -> [ServerSentEvent] {
        var items: [StreamItem] = []
        try read(chunk, into: &items)
        return items.compactMap {
            if case .event(let event) = $0 { event } else { nil }
        }
    }
}

extension EventParser: StreamParser {
    mutating func read(_ chunk: Data, into items: inout [StreamItem]) throws(EventStreamError) {
        assembler.items = items
        items = []
        var failure: EventStreamError?
        chunk.withUnsafeBytes { bytes in
            do throws(EventStreamError) {
                try scanner.scan(bytes, into: &assembler)
            } catch {
                failure = error
            }
        }
        items = assembler.items
        assembler.items = []
        if let wait = assembler.retry { retry = wait }
        if let failure { throw failure }
    }

    /// "Any pending data must be discarded": an incomplete event does not count.
    mutating func end(into items: inout [StreamItem]) throws(EventStreamError) {}
}

/// Holds the data of an event until it is complete.
private struct EventAssembler: EventSink, Sendable {
    let limit: ByteCount
    var items: [StreamItem] = []
    var retry: Duration?
    private var bytes = Data()
    private var hasLine = false

    init(limit: ByteCount) {
        self.limit = limit
    }

    mutating func beginDataLine() throws(EventStreamError) {
        if hasLine { try append { $0.append(.lineFeed) } }
        hasLine = true
    }

    mutating func data(_ piece: UnsafeRawBufferPointer) throws(EventStreamError) {
        try append { $0.append(contentsOf: piece) }
    }

    private mutating func append(_ change: (inout Data) -> Void) throws(EventStreamError) {
        change(&bytes)
        guard Int64(bytes.count) <= limit.bytes else { throw EventStreamError(.eventTooLarge(limit: limit)) }
    }

    mutating func dispatch(type: String, lastEventID: String?) throws(EventStreamError) {
        items.append(.event(ServerSentEvent(bytes: bytes, type: type, lastEventID: lastEventID)))
        bytes = Data()
        hasLine = false
    }

    mutating func comment(_ text: String) throws(EventStreamError) {
        items.append(.comment(text))
    }

    mutating func retry(_ wait: Duration) throws(EventStreamError) {
        retry = wait
        items.append(.retry(wait))
    }
}
