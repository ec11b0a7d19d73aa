package import Foundation
import HTTPChainCore

/// Parses a stream of events from its chunks.
///
/// It follows §9.2.5 and §9.2.6 of the HTML standard: a byte order mark at the beginning is skipped, lines end with LF,
/// CR or CRLF, and an incomplete event at the end is ignored. The events don't depend on how the stream is split into
/// chunks, even within a CRLF. Each byte is processed once.
package struct EventParser: Sendable {
    private var scanner: EventScanner
    private var assembler: EventAssembler

    /// Makes a parser at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The initial ID, for events without one. It is that of the previous connection, if there was
    ///     one.
    ///   - limits: The limits on memory.
    package init(lastEventID: String? = nil, limits: EventStreamLimits = EventStreamLimits()) {
        scanner = EventScanner(limits: limits, lastEventID: lastEventID, streamsData: false)
        assembler = EventAssembler(limit: limits.event)
    }

    /// The stream's current ID after the complete events; `nil` if there was none.
    package var lastEventID: String? { scanner.lastEventID }

    /// The reconnection time that the server requested; `nil` if it hasn't.
    package private(set) var retry: Duration?

    /// Parses the next chunk.
    ///
    /// - Returns: The events completed by it, in order.
    /// - Throws: ``EventStreamError`` if a line or an event exceeds the limits; nothing can be parsed after that.
    package mutating func events(in chunk: Data) throws(EventStreamError) -> [ServerSentEvent] {
        var items: [StreamItem] = []
        try read(chunk, into: &items)
        return items.compactMap {
            if case .event(let event) = $0 { event } else { nil }
        }
    }
}

extension EventParser: StreamParser {
    package mutating func read(_ chunk: Data, into items: inout [StreamItem]) throws(EventStreamError) {
        assembler.items = items
        items = []
        defer {
            items = assembler.items
            assembler.items = []
            if let wait = assembler.retry { retry = wait }
        }
        try scanner.scan(chunk, into: &assembler)
    }

    /// Ignores an incomplete event: "Any pending data must be discarded".
    mutating func end(into items: inout [StreamItem]) throws(EventStreamError) {}
}

/// Collects the data of an event until it's complete.
private struct EventAssembler: EventSink, Sendable {
    let limit: ByteCount
    var items: [StreamItem] = []
    var retry: Duration?
    var bytes = Data()
    var hasLine = false

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

    mutating func id(_ lastEventID: String?) { items.append(.id(lastEventID)) }

    mutating func comment(_ text: String) throws(EventStreamError) {
        items.append(.comment(text))
    }

    mutating func retry(_ wait: Duration) throws(EventStreamError) {
        retry = wait
        items.append(.retry(wait))
    }
}
