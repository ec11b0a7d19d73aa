package import Foundation
import HTTPChainCore
import HTTPChainSupport

/// Parses a multipart message incrementally (RFC 2046 §5.1), as a state machine without I/O.
///
/// Except for the sizes of content pieces, the events don't depend on how the bytes are split. The parser never buffers
/// more than a delimiter line or the head of a part.
///
/// Preamble and epilogue are skipped, up to a limit, as is whitespace after a boundary. Lines end with CRLF, or with LF
/// alone if the first delimiter line does. In a message with CRLF, a boundary after a bare LF is content. A message
/// without parts is valid. Content-Transfer-Encoding isn't decoded, because RFC 7578 §4.7 deprecates it.
package struct MultipartParser: Sendable {
    /// An event of parsing a message.
    package enum Event: Sendable, Hashable {
        /// A part begins.
        case partBegan(MultipartHead)
        /// The next piece of the part's content; never empty.
        case content(Data)
        /// The part is complete.
        case partEnded
        /// The message is malformed, incomplete, or exceeds a limit.
        ///
        /// No events follow.
        case failed(MultipartError)
    }

    private enum State {
        case preamble
        case head
        case content
        case epilogue
        case failed
    }

    private let limits: MultipartLimits
    private var scanner: DelimiterScanner
    /// The part of the head that has already been read.
    private var head: HeadParser
    private var state = State.preamble
    private var buffer = Data()
    /// Whether the buffer owns its storage.
    ///
    /// Otherwise, it keeps a whole chunk in memory.
    private var isOwned = true
    /// While reading a head, the number of bytes at the beginning of the buffer that contain no line ending.
    private var searched = 0
    /// Whether the buffer begins at the start of a line.
    private var isLineStart = true
    private var partCount = 0
    private var contentSize: Int64 = 0
    /// The number of bytes skipped before the first boundary or after the last one.
    private var paddingSize: Int64 = 0
    private var events: [Event] = []

    /// Makes a parser for a boundary.
    ///
    /// - Parameters:
    ///   - boundary: The boundary without its dashes. Because senders violate RFC 2046 §5.1.1, up to 256 bytes without
    ///     control characters are allowed.
    ///   - limits: The limits.
    /// - Throws: ``MultipartError`` if the boundary can't occur in a line.
    package init(boundary: String, limits: MultipartLimits = MultipartLimits()) throws(MultipartError) {
        let bytes = Array(boundary.utf8)
        guard (1...256).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), bytes.last != 0x20 else {
            throw MultipartError(
                .invalidBoundary(boundary, reason: "it is empty or too long, or contains invalid characters")
            )
        }
        scanner = DelimiterScanner(boundary: bytes)
        head = HeadParser(part: 0, limits: limits)
        self.limits = limits
    }

    /// Makes a parser for the boundary in a Content-Type.
    ///
    /// - Parameters:
    ///   - contentType: The value of the field, of any multipart type.
    ///   - limits: The limits.
    /// - Throws: ``MultipartError`` if the type isn't multipart, or has no valid boundary.
    package init(contentType: String?, limits: MultipartLimits = MultipartLimits()) throws(MultipartError) {
        guard let contentType else { throw MultipartError(.notMultipart(contentType: nil)) }
        let field = ParameterizedValue(contentType.utf8)
        guard field.value.begins(with: "multipart/") else {
            throw MultipartError(.notMultipart(contentType: contentType))
        }
        guard let boundary = field.parameter("boundary"),
            let parser = try? MultipartParser(boundary: String(decoding: boundary, as: UTF8.self), limits: limits)
        else { throw MultipartError(.noBoundary(contentType: contentType)) }
        self = parser
    }

    /// Parses the next bytes of the message.
    ///
    /// - Returns: The events that these bytes complete. None after ``Event/failed(_:)``.
    package mutating func append(_ bytes: Data) -> [Event] {
        if buffer.isEmpty { (buffer, isOwned) = (bytes, false) } else { buffer.append(bytes) }
        return parse(isEnd: false)
    }

    /// Ends the message.
    ///
    /// - Returns: The remaining events, with ``Event/failed(_:)`` if the message isn't complete.
    package mutating func finish() -> [Event] {
        parse(isEnd: true)
    }

    private mutating func parse(isEnd: Bool) -> [Event] {
        do throws(MultipartError) {
            while try step(isEnd: isEnd) {}
            if isEnd, state != .epilogue, state != .failed { throw MultipartError(.truncated(parts: partCount)) }
        } catch {
            events.append(.failed(error))
            state = .failed
            buffer = Data()
        }
        // A few buffered bytes must not keep a whole chunk in memory.
        if !isOwned { (buffer, isOwned) = (Data(buffer), true) }
        defer { events = [] }
        return events
    }

    /// Processes the available bytes.
    ///
    /// - Returns: Whether there may be more to process.
    private mutating func step(isEnd: Bool) throws(MultipartError) -> Bool {
        switch state {
        case .preamble, .content: return try passContent(isEnd: isEnd)
        case .head: return try readLine(isEnd: isEnd)
        case .epilogue, .failed:
            if state == .epilogue { try pad(buffer.count) }
            buffer = Data()
            return false
        }
    }

    /// Emits content, or skips the preamble, up to the next delimiter.
    private mutating func passContent(isEnd: Bool) throws(MultipartError) -> Bool {
        guard !buffer.isEmpty else { return false }
        switch scanner.search(buffer, isLineStart: isLineStart, isEnd: isEnd) {
        case .none(let count):
            try emit(buffer.prefix(count))
            consume(count)
            if count > 0 { isLineStart = false }
            return false
        case .found(let delimiter):
            try emit(buffer.prefix(delimiter.contentEnd))
            if case .content = state { events.append(.partEnded) }
            try pass(delimiter)
            return true
        }
    }

    private mutating func pad(_ count: Int) throws(MultipartError) {
        paddingSize += Int64(count)
        guard paddingSize <= limits.paddingSize.bytes else {
            throw MultipartError(.tooMuchPadding(limit: limits.paddingSize))
        }
    }

    private mutating func emit(_ content: Data) throws(MultipartError) {
        if case .preamble = state { return try pad(content.count) }
        guard case .content = state, !content.isEmpty else { return }
        let room = limits.partSize.bytes - contentSize
        contentSize += Int64(content.count)
        guard Int64(content.count) <= room else {
            // The bytes within the limit are emitted, so that the events don't depend on how the bytes are split.
            if room > 0 { events.append(.content(content.prefix(Int(room)))) }
            throw MultipartError(.partTooLarge(part: partCount - 1, limit: limits.partSize))
        }
        events.append(.content(content))
    }

    private mutating func pass(_ delimiter: DelimiterScanner.Delimiter) throws(MultipartError) {
        if scanner.lineEnd == nil { scanner.lineEnd = delimiter.ending }
        consume(delimiter.lineEnd)
        guard !delimiter.isFinal else {
            state = .epilogue
            paddingSize = 0
            return
        }
        guard partCount < limits.partCount else { throw MultipartError(.tooManyParts(limit: limits.partCount)) }
        state = .head
        head = HeadParser(part: partCount, limits: limits)
        partCount += 1
    }

    private mutating func readLine(isEnd: Bool) throws(MultipartError) -> Bool {
        let newline = DelimiterScanner.newline(in: buffer, from: searched)
        Steps.take((newline ?? buffer.count) - searched)
        searched = newline ?? buffer.count
        guard let line = newline.map({ buffer.prefix($0) }) ?? (isEnd ? buffer : nil) else {
            try head.checkRoom(for: buffer.count)
            return false
        }
        let isWhole = newline != nil
        let hasReturn = isWhole && line.last == 0x0D
        let size = line.count + (isWhole ? 1 : 0)
        try head.checkRoom(for: size)
        let text = hasReturn ? line.dropLast() : line
        // A part without content has no line ending between its head and the delimiter, RFC 2046 §5.1.1 (body-part).
        if let delimiter = scanner.delimiter(line: text, size: size, ending: hasReturn ? .crlf : .lf),
            isWhole || delimiter.isFinal
        {
            events += [.partBegan(head.head), .partEnded]
            try pass(delimiter)
            return true
        }
        guard isWhole else { return false }
        if text.isEmpty {
            events.append(.partBegan(head.head))
            state = .content
            contentSize = 0
            isLineStart = true
        } else {
            try head.append(text, size: size)
        }
        consume(size)
        return true
    }

    private mutating func consume(_ count: Int) {
        buffer = buffer.dropFirst(count)
        isOwned = false
        searched = 0
    }
}
