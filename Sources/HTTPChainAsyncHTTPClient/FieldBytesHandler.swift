#if AsyncHTTPClient
import HTTPChainSupport
import HTTPTypes
import NIOCore

/// Preserves the bytes of fields that aren't UTF-8, for example in an ISO 8859-1 `Location`.
///
/// SwiftNIO (2.x) reads and writes field values as UTF-8, with U+FFFD for each invalid byte. In HTTP/1.1 heads, this
/// handler therefore converts such bytes to the private characters of ``FieldBytes`` when reading, and back when
/// writing.
final class FieldBytesHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The field that marks a head with private characters for bytes.
    ///
    /// It is used only between the transport and its handlers.
    ///
    /// Without this field, such a character has its usual meaning, because an HTTP/2 connection, or one of a client
    /// supplied by the caller, may have no such handler.
    static let field = HTTPField.Name(constant: "HTTPChain-Field-Bytes")

    private var fields = FieldBytes()
    private var isWritingHead = false

    /// Whether the head of the response has private characters for bytes.
    var hasReplaced: Bool { fields.hasReplaced }

    /// Calls `write`, which sends the head of a request; the next bytes received are then the head of its response.
    ///
    /// - Parameter isReplaced: Whether the head has private characters for bytes.
    func sendHead(isReplaced: Bool, _ write: () -> Void) {
        fields = FieldBytes()
        isWritingHead = isReplaced
        write()
        isWritingHead = false
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isWritingHead,
            let original = FieldBytes.original(unwrapOutboundIn(data).readableBytesView)
        else { return context.write(data, promise: promise) }
        context.write(wrapOutboundOut(context.channel.allocator.buffer(bytes: original)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        guard let replaced = fields.replacement(for: buffer.readableBytesView) else {
            return context.fireChannelRead(data)
        }
        context.fireChannelRead(wrapInboundOut(context.channel.allocator.buffer(bytes: replaced)))
    }
}

/// Replaces each byte of a response head that isn't part of a UTF-8 character by a private character.
///
/// Byte 0x80 becomes U+EF80, and so on up to U+EFFF for 0xFF. If these characters themselves occur, their bytes are
/// replaced, too, so that the replacement is unambiguous.
package struct FieldBytes {
    /// Whether the next byte belongs to a head.
    private var isInHead = true
    /// The first bytes of the current line, as many as are needed for the status.
    private var line: [UInt8] = []
    /// Whether the current line is the first of its head.
    private var isFirstLine = true
    /// Whether the current head is interim, so that another follows it.
    private var isInterim = false
    /// The beginning of a character whose end has not arrived.
    private var pending: [UInt8] = []
    /// Whether bytes were replaced, or may have been.
    private(set) var hasReplaced = false

    package init() {}

    /// Returns the bytes to decode instead of the given ones; `nil` if those don't change.
    package mutating func replacement(for bytes: some Collection<UInt8>) -> [UInt8]? {
        guard isInHead else { return nil }
        var isASCII = pending.isEmpty
        var end = bytes.startIndex
        while isInHead, end < bytes.endIndex {
            if bytes[end] >= 0x80 { isASCII = false }
            follow(bytes[end])
            end = bytes.index(after: end)
        }
        if isASCII { return nil }
        hasReplaced = true
        let (result, rest) = Self.replaced(pending + bytes[..<end])
        pending = Array(rest)
        return result + bytes[end...]
    }

    /// Returns the bytes with private characters, and the beginning of a character that is incomplete.
    private static func replaced(_ bytes: [UInt8]) -> (bytes: [UInt8], rest: ArraySlice<UInt8>) {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var rest = bytes[...]
        while let first = rest.first {
            let length = length(ofCharacterIn: rest)
            if length > rest.count { break }
            let character = rest.prefix(length)
            if length == 0 || isPrivate(character) {
                result += privateCharacter(for: first)
                rest.removeFirst()
            } else {
                result += character
                rest.removeFirst(length)
            }
        }
        return (result, rest)
    }

    private static func privateCharacter(for byte: UInt8) -> [UInt8] {
        [0xEE, 0xBC | byte >> 6, 0x80 | byte & 0x3F]
    }

    /// Tracks the lines until the empty one that ends the head.
    private mutating func follow(_ byte: UInt8) {
        guard byte == UInt8(ascii: "\n") else {
            if line.count < 16 { line.append(byte) }
            return
        }
        if line.isEmpty || line == [UInt8(ascii: "\r")] {
            // Empty lines before a status line are ignored (RFC 9112 §2.2).
            if !isFirstLine {
                isInHead = isInterim
                isFirstLine = true
            }
        } else if isFirstLine {
            isFirstLine = false
            let status = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
            isInterim = status.first == UInt8(ascii: "1") && !status.elementsEqual("101".utf8)
        }
        line.removeAll(keepingCapacity: true)
    }

    /// Returns the length of the UTF-8 character at the start, which may be longer than the given bytes; 0 if there is
    /// none.
    private static func length(ofCharacterIn bytes: ArraySlice<UInt8>) -> Int {
        guard let first = bytes.first else { return 0 }
        let length: Int
        switch first {
        case ..<0x80: return 1
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: return 0
        }
        let arrived = Array(bytes.prefix(length))
        guard arrived.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return 0 }
        // An incomplete character is valid if it becomes valid with one of these two continuations.
        let isValid = [0x80, 0xBF].contains { (filler: UInt8) in
            String(validUTF8: arrived + Array(repeating: filler, count: length - arrived.count)) != nil
        }
        return isValid ? length : 0
    }

    private static func isPrivate(_ character: ArraySlice<UInt8>) -> Bool {
        character.count == 3 && character.starts(with: [0xEE]) && character[character.startIndex + 1] >= 0xBE
    }

    /// Returns the original bytes of UTF-8 text that has private characters for bytes; `nil` if it has none.
    package static func original(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.contains(0xEE) else { return nil }
        var bytes = Array(text)
        var (read, written) = (0, 0)
        while read < bytes.count {
            if isPrivate(bytes[read...].prefix(3)) {
                bytes[written] = bytes[read + 1] << 6 | bytes[read + 2] & 0x3F
                read += 3
            } else {
                bytes[written] = bytes[read]
                read += 1
            }
            written += 1
        }
        return Array(bytes[..<written])
    }

    /// Returns the text of a field value, with private characters for bytes that aren't UTF-8; `nil` if the value needs
    /// none.
    static func text(_ value: UnsafeBufferPointer<UInt8>) -> String? {
        guard value.contains(where: { $0 >= 0x80 }) else { return nil }
        let (bytes, rest) = replaced(Array(value))
        // Each replaced byte becomes three bytes.
        guard !rest.isEmpty || bytes.count != value.count else { return nil }
        return String(decoding: bytes + rest.flatMap(privateCharacter), as: UTF8.self)
    }

    /// Returns text with U+FFFD instead of private characters, for each part of the original that isn't UTF-8.
    static func decoded(_ text: String) -> String {
        original(text.utf8).map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}
#endif
