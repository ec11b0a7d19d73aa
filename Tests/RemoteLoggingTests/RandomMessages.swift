#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainTesting
import TestSupport

/// Messages of protocol buffers, of random fields of every kind.
struct RandomMessages {
    /// A field, before it is written.
    struct Field {
        let number: Int
        let value: Value
    }

    enum Value {
        case integer(Int64)
        case unsigned(UInt32)
        case truth(Bool)
        case double(Double)
        case fixed32(UInt32)
        case fixed64(UInt64)
        case text(String)
        case bytes([UInt8])
        case message([Field])
    }

    private let random = Seed.numbers()
    private let logs = RandomLogs(seed: 5)

    /// The fields of a message.
    func message(depth: Int = 0) -> [Field] {
        (0..<random.index(below: 6)).map { _ in
            // Tags of one byte and of up to five.
            let number = 1 + Int(random.next() % (1 << UInt64(1 + random.index(below: 28))))
            return Field(number: number, value: value(depth))
        }
    }

    private func value(_ depth: Int) -> Value {
        let bits = random.next() >> UInt64(random.index(below: 64))
        return switch random.index(below: depth < 4 ? 9 : 8) {
        case 0: .integer(Int64(bitPattern: random.index(below: 2) == 0 ? bits : ~bits))
        case 1: .unsigned(UInt32(truncatingIfNeeded: bits))
        case 2: .truth(bits.isMultiple(of: 2))
        case 3: .double(Double(bitPattern: random.next()))
        case 4: .fixed32(UInt32(truncatingIfNeeded: random.next()))
        case 5: .fixed64(random.next())
        case 6: .text(logs.text())
        case 7: .bytes(random.bytes([0, 1, 16, 127, 128, 300, 16_384][random.index(below: 7)]))
        default: .message(message(depth: depth + 1))
        }
    }

    /// The bytes of a message.
    static func content(of fields: [Field]) -> Data {
        var writer = ProtobufWriter()
        write(fields, to: &writer)
        return Data(writer.bytes)
    }

    private static func write(_ fields: [Field], to writer: inout ProtobufWriter) {
        for field in fields {
            switch field.value {
            case .integer(let number): writer.int64("a", field.number, number)
            case .unsigned(let number): writer.uint32("a", field.number, number)
            case .truth(let truth): writer.bool("a", field.number, truth)
            case .double(let number): writer.double("a", field.number, number)
            case .fixed32(let bits): writer.fixed32("a", field.number, bits)
            case .fixed64(let bits): writer.fixed64("a", field.number, bits)
            case .text(let text): writer.string("a", field.number, text)
            case .bytes(let bytes):
                writer.identifier("a", field.number, String(decoding: bytes.hexadecimal, as: UTF8.self))
            case .message(let inner): writer.message("a", field.number) { write(inner, to: &$0) }
            }
        }
    }

    /// Whether the bytes of a message are read as its fields, those of the messages within it too.
    static func isRead(_ content: Data, as fields: [Field]) throws -> Bool {
        var reader = ProtobufReader(content)
        for field in fields {
            guard let read = try reader.next(), read.number == field.number else { return false }
            let isSame =
                switch field.value {
                case .integer(let number): read.value == .varint(UInt64(bitPattern: number))
                case .unsigned(let number): read.value == .varint(UInt64(number))
                case .truth(let truth): read.value == .varint(truth ? 1 : 0)
                case .double(let number): read.value.double?.bitPattern == number.bitPattern
                case .fixed32(let bits): read.value == .fixed32(bits)
                case .fixed64(let bits): read.value == .fixed64(bits)
                case .text(let text): read.value.text.map { $0.utf8.elementsEqual(text.utf8) } ?? false
                case .bytes(let bytes): read.value == .bytes(Data(bytes))
                case .message(let inner): try isRead(read.value.data ?? Data(), as: inner)
                }
            guard isSame else { return false }
        }
        return try reader.next() == nil
    }
}
#endif
