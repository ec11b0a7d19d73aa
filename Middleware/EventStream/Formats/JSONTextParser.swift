package import Foundation
package import HTTPChainCore
import HTTPChainSupport

/// Splits JSON Lines and JSON text sequences into JSON texts, each an event of type "message".
///
/// Each byte is processed once, however the stream is split, and only one text is kept.
package struct JSONTextParser: StreamParser {
    package enum Format: Sendable, Hashable {
        /// One text per line.
        ///
        /// Lines end with LF or CRLF, and blank lines are skipped.
        case lines
        /// RFC 7464: each text is between RS and LF.
        case sequence
    }

    private let format: Format
    private let limit: ByteCount
    private let lastEventID: String?
    private var text = Data()
    private var isFirst = true
    /// Whether a record separator was seen.
    ///
    /// Bytes before the first one aren't part of a text.
    private var isInSequence = false

    package init(_ format: Format, limit: ByteCount, lastEventID: String?) {
        self.format = format
        self.limit = limit
        self.lastEventID = lastEventID
    }

    package mutating func read(_ chunk: Data, into items: inout [StreamItem]) throws(EventStreamError) {
        let end: UInt8 = format == .lines ? .lineFeed : .recordSeparator
        var rest = chunk[...]
        while let index = rest.firstIndex(of: end) {
            try append(rest[..<index])
            try finish(isCut: false, into: &items)
            isInSequence = true
            rest = rest[(index + 1)...]
        }
        try append(rest)
    }

    package mutating func end(into items: inout [StreamItem]) throws(EventStreamError) {
        try finish(isCut: true, into: &items)
    }

    private mutating func append(_ piece: Data) throws(EventStreamError) {
        // The limit allows one more byte, for the carriage return or line feed.
        guard Int64(text.count + piece.count) <= limit.bytes.addingOne else {
            throw EventStreamError(.lineTooLong(limit: limit))
        }
        Steps.take(piece.count)
        text.append(piece)
    }

    private mutating func finish(isCut: Bool, into items: inout [StreamItem]) throws(EventStreamError) {
        defer { text = Data() }
        if isFirst, text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
        isFirst = false
        if format == .sequence {
            guard isInSequence else {
                guard text.isBlank else { throw EventStreamError(.notASequence) }
                return
            }
            // RFC 7464 §2.4: a truncated number or word looks complete, so it is valid only if whitespace follows it.
            if isCut, let last = text.last, !last.isJSONSpace, text.isOpenEnded { return }
        }
        while text.last?.isJSONSpace == true {
            Steps.take()
            text.removeLast()
        }
        guard !text.isBlank else { return }
        items.append(.event(ServerSentEvent(bytes: Data(text), lastEventID: lastEventID)))
    }
}

extension Data {
    /// Whether the text is a number or a word, which has no closing delimiter.
    fileprivate var isOpenEnded: Bool {
        guard let first = first(where: { !$0.isJSONSpace }) else { return false }
        return first != UInt8(ascii: "{") && first != UInt8(ascii: "[") && first != UInt8(ascii: "\"")
    }
}

extension Int64 {
    fileprivate var addingOne: Int64 { self == .max ? self : self + 1 }
}
