import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A receiver of a scanner's results.
///
/// The methods are called in the order of the stream.
protocol EventSink {
    /// Receives a piece of a line of data, which is valid only during the call.
    mutating func data(_ bytes: UnsafeRawBufferPointer) throws(EventStreamError)
    /// Begins a line of data, which may be empty.
    ///
    /// Called before its pieces.
    mutating func beginDataLine() throws(EventStreamError)
    /// Ends the event.
    mutating func dispatch(type: String, lastEventID: String?) throws(EventStreamError)
    /// The stream's ID has changed without an event.
    mutating func id(_ lastEventID: String?)
    mutating func comment(_ text: String) throws(EventStreamError)
    mutating func retry(_ wait: Duration) throws(EventStreamError)
}

/// Scans the event stream format byte by byte, as in §9.2.5 and §9.2.6 of the HTML standard.
///
/// Only the current line, unless it is data, and the current event's type and ID are kept. Each byte is processed once,
/// however the stream is split.
struct EventScanner: Sendable {
    private enum Line: Sendable {
        /// Before the first byte of a line.
        case start
        /// Inside the name of a field; no known name is longer than five bytes.
        case name
        /// After the colon, where one space is skipped.
        case colon(Field)
        case value(Field)
    }

    fileprivate enum Field: Sendable {
        case data
        case event
        case id
        case retry
        case comment
        case unknown
    }

    /// The ID for events without one.
    private(set) var lastEventID: String?

    private let limits: EventStreamLimits
    /// Whether lines of data may have any length.
    private let streamsData: Bool

    private var line = Line.start
    private var lineLength = 0
    /// The bytes of a field's name, or of a value other than data.
    private var text: [UInt8] = []
    /// The number of bytes of a byte order mark seen so far, or `nil` once the stream is known to begin with one or
    /// not.
    private var mark: Int? = 0
    private var endedWithCR = false

    private var type: String?
    private var pendingID: String?
    private var hasData = false

    init(limits: EventStreamLimits, lastEventID: String?, streamsData: Bool) {
        self.limits = limits
        self.lastEventID = lastEventID
        self.streamsData = streamsData
        pendingID = lastEventID
    }

    mutating func scan(_ chunk: Data, into sink: inout some EventSink) throws(EventStreamError) {
        let result = chunk.withUnsafeBytes { bytes in
            Result { () throws(EventStreamError) in try scan(bytes, into: &sink) }
        }
        try result.get()
    }

    mutating func scan(_ bytes: UnsafeRawBufferPointer, into sink: inout some EventSink) throws(EventStreamError) {
        var index = skipMark(bytes)
        while index < bytes.count {
            Steps.take()
            let byte = bytes[index]
            if endedWithCR {
                endedWithCR = false
                if byte == .lineFeed {
                    index += 1
                    continue
                }
            }
            switch line {
            case .start:
                if byte == .lineFeed || byte == .carriageReturn {
                    endedWithCR = byte == .carriageReturn
                    try endEvent(into: &sink)
                    index += 1
                } else if byte == .colon {
                    line = .colon(.comment)
                    index += 1
                } else if bytes.has("data:", at: index) {
                    // Most lines begin with "data:".
                    line = .colon(.data)
                    index += 5
                } else {
                    line = .name
                }
            case .name: index = try scanName(bytes, from: index, into: &sink)
            case .colon(let field):
                line = .value(field)
                if field == .data { try beginDataLine(into: &sink) }
                // "If value starts with a U+0020 SPACE character, remove it from value."
                if byte == .space, field != .comment { index += 1 }
            case .value(let field): index = try scanValue(field, bytes, from: index, into: &sink)
            }
        }
    }

    /// Skips a byte order mark at the beginning of the stream.
    ///
    /// - Returns: The index to continue at.
    private mutating func skipMark(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard var seen = mark else { return 0 }
        let expected: [UInt8] = [0xEF, 0xBB, 0xBF]
        for index in bytes.indices {
            guard bytes[index] == expected[seen] else {
                mark = nil
                // An incomplete mark is the beginning of an unknown field.
                if seen > 0 { line = .value(.unknown) }
                return index
            }
            seen += 1
            if seen == expected.count {
                mark = nil
                return index + 1
            }
        }
        mark = seen
        return bytes.count
    }

    private mutating func scanName(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        into sink: inout some EventSink
    ) throws(EventStreamError) -> Int {
        var index = start
        while index < bytes.count {
            Steps.take()
            let byte = bytes[index]
            index += 1
            switch byte {
            case .colon:
                line = .colon(Field(name: text))
                text.removeAll(keepingCapacity: true)
                return index
            case .lineFeed, .carriageReturn:
                // "Use the whole line as the field name, and the empty string as the field value."
                endedWithCR = byte == .carriageReturn
                let field = Field(name: text)
                text.removeAll(keepingCapacity: true)
                if field == .data { try beginDataLine(into: &sink) }
                try endLine(field, into: &sink)
                return index
            default:
                text.append(byte)
                if text.count > 5 {
                    lineLength = text.count
                    text.removeAll(keepingCapacity: true)
                    line = .value(.unknown)
                    return index
                }
            }
        }
        return index
    }

    private mutating func scanValue(
        _ field: Field,
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        into sink: inout some EventSink
    ) throws(EventStreamError) -> Int {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        let count = rest.lineLength
        Steps.take(count)
        let piece = UnsafeRawBufferPointer(rebasing: rest[..<count])
        lineLength += count
        if field != .data || !streamsData {
            let limit = field == .id || field == .event ? min(limits.name, limits.line) : limits.line
            guard Int64(lineLength) <= limit.bytes else { throw EventStreamError(.lineTooLong(limit: limit)) }
        }
        switch field {
        case .data: if count > 0 { try sink.data(piece) }
        case .unknown: break
        case .event, .id, .retry, .comment: text.append(contentsOf: piece)
        }
        guard count < rest.count else { return bytes.count }
        endedWithCR = rest[count] == .carriageReturn
        try endLine(field, into: &sink)
        return start + count + 1
    }

    private mutating func beginDataLine(into sink: inout some EventSink) throws(EventStreamError) {
        hasData = true
        try sink.beginDataLine()
    }

    /// Processes a field whose line is complete.
    private mutating func endLine(_ field: Field, into sink: inout some EventSink) throws(EventStreamError) {
        line = .start
        lineLength = 0
        defer { text.removeAll(keepingCapacity: true) }
        switch field {
        case .data, .unknown: break
        case .event: type = text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
        // "If the field value does not contain U+0000 NULL"; an empty ID counts as none.
        case .id: if !text.contains(0) { pendingID = text.isEmpty ? nil : String(decoding: text, as: UTF8.self) }
        case .retry: if let wait = Duration(retry: text) { try sink.retry(wait) }
        case .comment: try sink.comment(String(decoding: text, as: UTF8.self))
        }
    }

    /// Dispatches the event, at the empty line that ends it.
    private mutating func endEvent(into sink: inout some EventSink) throws(EventStreamError) {
        let previous = lastEventID
        lastEventID = pendingID
        defer {
            type = nil
            hasData = false
        }
        // The ID is set before it's known whether there is data (§9.2.6).
        guard hasData else {
            if !lastEventID.hasSameBytes(as: previous) { sink.id(lastEventID) }
            return
        }
        try sink.dispatch(type: type ?? ServerSentEvent.defaultType, lastEventID: lastEventID)
    }
}

extension EventScanner.Field {
    // Names are compared exactly: "Field names must be compared literally, with no case folding performed."
    fileprivate init(name: [UInt8]) {
        let known: [(StaticString, Self)] = [("data", .data), ("event", .event), ("id", .id), ("retry", .retry)]
        self =
            known.first { text, _ in
                text.utf8CodeUnitCount == name.count && memcmp(text.utf8Start, name, name.count) == 0
            }?.1 ?? .unknown
    }
}

extension Duration {
    /// Reads a number of milliseconds.
    ///
    /// "If the field value consists of only ASCII digits, then interpret the field value as an integer in base ten".
    init?(retry digits: [UInt8]) {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        // A number that doesn't fit in an integer is longer than any wait, so its exact value doesn't matter.
        let number = Int64(String(decoding: digits, as: UTF8.self)) ?? .max
        self = .milliseconds(min(number, Duration.longest.nanoseconds / 1_000_000))
    }
}

extension UInt8 {
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let colon: UInt8 = 0x3A
    static let space: UInt8 = 0x20
    static let recordSeparator: UInt8 = 0x1E
}

extension UnsafeRawBufferPointer {
    /// The number of bytes before the first LF or CR.
    ///
    /// The search for each of the two is limited to twice the length of the line. Otherwise, a stream that contains
    /// only one of them would be searched to its end for the other with each line.
    var lineLength: Int {
        guard let start = baseAddress else { return 0 }
        var searched = 0
        var window = 64
        while searched < count {
            let part = start + searched
            let size = Swift.min(window, count - searched)
            Steps.take(size)
            let feed = memchr(part, 0x0A, size).map { part.distance(to: $0) }
            if let end = memchr(part, 0x0D, feed ?? size).map({ part.distance(to: $0) }) ?? feed {
                return searched + end
            }
            searched += size
            window *= 2
        }
        return count
    }

    func has(_ text: StaticString, at index: Int) -> Bool {
        guard let start = baseAddress, count - index >= text.utf8CodeUnitCount else { return false }
        return memcmp(start + index, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}
