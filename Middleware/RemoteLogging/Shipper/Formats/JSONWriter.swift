import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging

/// Writes JSON (RFC 8259) byte by byte, without whitespace.
///
/// The writer handles string escapes and number formats. The caller writes braces, commas and quotes, and is
/// responsible for valid syntax.
///
/// The writer manages its own memory. An array would check for unique ownership with each of the sixty pieces of a
/// record, which took most of the time.
struct JSONWriter: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// The number of bytes written.
    private(set) var count = 0

    init(capacity: Int = 256) {
        self.capacity = max(capacity, 64)
        base = .allocate(capacity: self.capacity)
    }

    deinit {
        base.deallocate()
    }

    // MARK: Written bytes

    /// Returns the written bytes, without a copy.
    consuming func data() -> Data {
        let data = Data(bytesNoCopy: base, count: count, deallocator: .custom { start, _ in start.deallocate() })
        discard self
        return data
    }

    /// A copy of the written bytes.
    var bytes: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

    /// Passes the written bytes to a closure.
    ///
    /// They are valid only during the call.
    borrowing func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        body(UnsafeBufferPointer(start: base, count: count))
    }

    /// Removes everything after the given number of bytes.
    mutating func truncate(to count: Int) {
        self.count = min(count, self.count)
    }

    // MARK: Bytes

    /// Reserves space for more bytes.
    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(by: more) }
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        let larger = max(2 * capacity, count + more)
        let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        new.update(from: base, count: count)
        base.deallocate()
        base = new
        capacity = larger
    }

    /// Appends a byte.
    @inline(__always)
    mutating func byte(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count &+= 1
    }

    /// Appends text that doesn't need escapes.
    @inline(__always)
    mutating func raw(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        (base + count).update(from: text.utf8Start, count: length)
        count &+= length
    }

    /// Appends bytes that were written elsewhere.
    mutating func raw(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { raw($0) }
    }

    private mutating func raw(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).update(from: start, count: bytes.count)
        count &+= bytes.count
    }

    // MARK: Strings

    /// Appends a string in quotes.
    mutating func string(_ text: String) {
        byte(UInt8(ascii: "\""))
        escaped(text)
        byte(UInt8(ascii: "\""))
    }

    /// Appends the content of a string, escaped.
    mutating func escaped(_ text: String) {
        var text = text
        text.withUTF8 { escaped($0) }
    }

    /// Appends the content of a string, escaped and truncated to the limit, between two Unicode characters.
    ///
    /// - Returns: The number of bytes used from the text.
    @discardableResult
    mutating func escaped(_ text: String, upTo limit: Int) -> Int {
        var text = text
        return text.withUTF8 { escaped($0, upTo: limit) }
    }

    /// Appends UTF-8 as the content of a string, escaped and truncated between two characters.
    ///
    /// - Returns: The number of bytes used from the text.
    @discardableResult
    mutating func escaped(_ text: UnsafeBufferPointer<UInt8>, upTo limit: Int) -> Int {
        guard text.count > limit else {
            escaped(text)
            return text.count
        }
        var end = max(0, limit)
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        escaped(UnsafeBufferPointer(rebasing: text[..<end]))
        return end
    }

    private mutating func escaped(_ text: UnsafeBufferPointer<UInt8>) {
        // Eight bytes at a time are copied if none of them needs an escape.
        let source = UnsafeRawBufferPointer(text)
        var index = 0
        reserve(text.count)
        while index < text.count {
            if text.count &- index >= 8 {
                let word = source.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if !word.hasByteToEscape {
                    UnsafeMutableRawPointer(base + count).storeBytes(of: word, as: UInt64.self)
                    count &+= 8
                    index &+= 8
                    continue
                }
            }
            let end = min(index &+ 8, text.count)
            while index < end {
                let byte = text[index]
                index &+= 1
                if byte.needsJSONEscape {
                    raw(Array(byte.jsonEscape.utf8))
                    // The escape is longer than the space that was reserved for it.
                    reserve(text.count &- index)
                } else {
                    base[count] = byte
                    count &+= 1
                }
            }
        }
    }

    // MARK: Numbers

    /// Appends the digits of an integer.
    mutating func integer(_ value: Int64) {
        if value < 0 { byte(UInt8(ascii: "-")) }
        integer(value.magnitude)
    }

    /// Appends the digits of an integer.
    mutating func integer(_ value: UInt64) {
        var digits = 1
        var power: UInt64 = 10
        while value >= power {
            digits &+= 1
            let (next, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { break }
            power = next
        }
        integer(value, digits: digits)
    }

    /// Appends an integer, padded with leading zeros to the given number of digits.
    mutating func integer(_ value: UInt64, digits: Int) {
        reserve(digits)
        var rest = value
        var position = count &+ digits
        count = position
        for _ in 0..<digits {
            position &-= 1
            base[position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Appends a number in a form that is read back as the same value.
    ///
    /// It must be finite.
    mutating func number(_ value: Double) {
        // Swift writes the fewest digits that identify the number, in a form that is also valid JSON.
        var text = value.description
        text.withUTF8 { raw($0) }
    }
}

extension UInt64 {
    /// Whether one of the eight bytes is a control character, a quote or a backslash.
    fileprivate var hasByteToEscape: Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = self ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = self ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (self &- (ones &* 0x20)) & ~self
        let either = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (control | either) & (ones &* 0x80) != 0
    }
}

extension JSONWriter {
    /// Appends any value.
    ///
    /// Numbers that aren't finite become `null`, because JSON can't represent them.
    mutating func value(_ value: JSONValue, depth: Int = 0) {
        guard depth <= LogAttributes.deepest else { return string(LogAttributes.elision) }
        switch value {
        case .null: raw("null")
        case .bool(let value): raw(value ? "true" : "false")
        case .integer(let value): integer(value)
        case .number(let value) where value.isFinite: number(value)
        case .decimal(let value) where value.isFinite: raw(Array("\(value)".utf8))
        case .number, .decimal: raw("null")
        case .string(let value): string(value)
        case .array(let elements):
            raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { raw(",") }
                self.value(element, depth: depth + 1)
            }
            raw("]")
        case .object(let members):
            raw("{")
            // The members are sorted, because a dictionary has no stable order.
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                self.member(member.key, member.value, isFirst: index == 0, depth: depth + 1)
            }
            raw("}")
        }
    }

    /// Appends a member of an object, with a comma before it unless it's the first.
    mutating func member(_ name: String, _ value: JSONValue, isFirst: Bool = false, depth: Int = 0) {
        raw(isFirst ? "\"" : ",\"")
        escaped(name)
        raw("\":")
        self.value(value, depth: depth)
    }
}

extension Double {
    /// The name of a number that isn't finite, as in the JSON mapping of Protocol Buffers.
    var nonFiniteName: StaticString { isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
}
