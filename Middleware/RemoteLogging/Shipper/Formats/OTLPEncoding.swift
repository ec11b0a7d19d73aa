import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging

/// The encoding of OTLP messages.
///
/// Both encodings are equivalent.
public enum OTLPEncoding: String, Sendable, Hashable, CaseIterable {
    /// The JSON mapping (`http/json`), which is readable for people.
    case json
    /// The wire format of Protocol Buffers (`http/protobuf`), which is shorter and the default of most receivers.
    case protobuf

    /// `application/json` or `application/x-protobuf`.
    package var contentType: String {
        switch self {
        case .json: "application/json"
        case .protobuf: "application/x-protobuf"
        }
    }
}

/// An OTLP request that is written field by field in either encoding.
protocol OTLPMessage {
    /// Writes the fields of the message.
    func encode<Encoder: OTLPEncoder & ~Copyable>(to encoder: inout Encoder)
}

extension OTLPMessage {
    /// Returns the encoded message.
    ///
    /// - Parameter capacity: The estimated size in JSON, in bytes.
    func data(as encoding: OTLPEncoding, capacity: Int) -> Data {
        switch encoding {
        case .json:
            var encoder = OTLPJSONEncoder(capacity: capacity)
            encoder.write { encode(to: &$0) }
            return encoder.data()
        case .protobuf:
            var encoder = ProtobufWriter(capacity: capacity / 2)
            encode(to: &encoder)
            return Data(encoder.bytes)
        }
    }
}

/// Writes the fields of a message: by name in JSON, by number in Protocol Buffers.
///
/// Fields are always written, even with default values. The message decides whether to omit them.
protocol OTLPEncoder: ~Copyable {
    /// Writes a `string`.
    mutating func string(_ name: StaticString, _ number: Int, _ value: String)
    /// Writes a `bool`.
    mutating func bool(_ name: StaticString, _ number: Int, _ value: Bool)
    /// Writes an `int64`.
    mutating func int64(_ name: StaticString, _ number: Int, _ value: Int64)
    /// Writes a `double`.
    mutating func double(_ name: StaticString, _ number: Int, _ value: Double)
    /// Writes an enumeration or a `uint32`.
    mutating func uint32(_ name: StaticString, _ number: Int, _ value: UInt32)
    /// Writes a `fixed32`.
    mutating func fixed32(_ name: StaticString, _ number: Int, _ value: UInt32)
    /// Writes a `fixed64`.
    mutating func fixed64(_ name: StaticString, _ number: Int, _ value: UInt64)
    /// Writes the `bytes` of an identifier, which are in hexadecimal in JSON.
    ///
    /// The identifier ends at the first invalid digit.
    mutating func identifier(_ name: StaticString, _ number: Int, _ digits: String)
    /// Writes a message.
    mutating func message(_ name: StaticString, _ number: Int, _ body: (inout Self) -> Void)
    /// Writes a repeated field of messages.
    mutating func messages(_ name: StaticString, _ number: Int, count: Int, _ body: (inout Self, Int) -> Void)
}

extension OTLPEncoder where Self: ~Copyable {
    /// Writes a list of `KeyValue`.
    mutating func attributes(
        _ name: StaticString,
        _ number: Int,
        _ attributes: some RandomAccessCollection<LogAttributes.Attribute>
    ) {
        let start = attributes.startIndex
        messages(name, number, count: attributes.count) { encoder, position in
            let attribute = attributes[attributes.index(start, offsetBy: position)]
            encoder.pair(attribute.name, attribute.value)
        }
    }

    /// Writes the fields of a `KeyValue`.
    mutating func pair(_ key: String, _ value: JSONValue, depth: Int = 0) {
        string("key", 1, key)
        message("value", 2) { $0.anyValue(value, depth: depth) }
    }

    /// Writes the field of an `AnyValue`.
    ///
    /// Without a field, it represents null.
    mutating func anyValue(_ value: JSONValue, depth: Int = 0) {
        guard depth <= LogAttributes.deepest else { return string("stringValue", 1, LogAttributes.elision) }
        switch value {
        case .string(let text): string("stringValue", 1, text)
        case .bool(let truth): bool("boolValue", 2, truth)
        case .integer(let number): int64("intValue", 3, number)
        case .number(let number): double("doubleValue", 4, number)
        // The protocol has no such number. According to its mapping of values, it becomes text.
        case .decimal(let number): string("stringValue", 1, "\(number)")
        case .null: break
        case .array(let elements):
            message("arrayValue", 5) { encoder in
                encoder.messages("values", 1, count: elements.count) {
                    $0.anyValue(elements[$1], depth: depth + 1)
                }
            }
        case .object(let members):
            // The members are sorted, because a dictionary has no stable order.
            let members = members.sorted { $0.key < $1.key }
            message("kvlistValue", 6) { encoder in
                encoder.messages("values", 1, count: members.count) {
                    $0.pair(members[$1].key, members[$1].value, depth: depth + 1)
                }
            }
        }
    }
}
