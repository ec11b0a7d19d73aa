package import Foundation
import HTTPChainCore

/// Parses a stream of events in pieces, so that events of any size need constant memory.
///
/// It follows the same rules as ``EventParser``; a line of data may have any length.
package struct EventPartParser: Sendable {
    private var scanner: EventScanner

    /// Makes a parser at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - lastEventID: The initial ID, for events without one.
    ///   - limits: The limits of lines other than data; the size of an event isn't limited.
    package init(lastEventID: String? = nil, limits: EventStreamLimits = EventStreamLimits()) {
        scanner = EventScanner(limits: limits, lastEventID: lastEventID, streamsData: true)
    }

    private var hasLine = false

    /// Parses the next chunk.
    ///
    /// - Returns: Its parts, in order.
    /// - Throws: ``EventStreamError`` if a line other than data exceeds the limits.
    package mutating func parts(in chunk: Data) throws(EventStreamError) -> [EventPart] {
        var collector = PartCollector(hasLine: hasLine)
        try scanner.scan(chunk, into: &collector)
        hasLine = collector.hasLine
        return collector.finish()
    }
}

/// Joins the pieces of one chunk.
private struct PartCollector: EventSink {
    var hasLine: Bool
    var parts: [EventPart] = []
    var piece = Data()

    mutating func beginDataLine() throws(EventStreamError) {
        if hasLine { piece.append(.lineFeed) }
        hasLine = true
    }

    mutating func data(_ bytes: UnsafeRawBufferPointer) throws(EventStreamError) {
        piece.append(contentsOf: bytes)
    }

    mutating func dispatch(type: String, lastEventID: String?) throws(EventStreamError) {
        flush()
        parts.append(.end(type: type, lastEventID: lastEventID))
        hasLine = false
    }

    mutating func id(_ lastEventID: String?) {}

    mutating func comment(_ text: String) throws(EventStreamError) {
        flush()
        parts.append(.comment(text))
    }

    mutating func retry(_ wait: Duration) throws(EventStreamError) {
        flush()
        parts.append(.retry(wait))
    }

    private mutating func flush() {
        guard !piece.isEmpty else { return }
        parts.append(.data(piece))
        piece = Data()
    }

    mutating func finish() -> [EventPart] {
        flush()
        return parts
    }
}
