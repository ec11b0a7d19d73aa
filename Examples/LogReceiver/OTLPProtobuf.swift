import Foundation
import HTTPChain
import HTTPChainLogShipper

/// Converts OTLP requests from Protocol Buffers to JSON, so that all other code reads JSON.
///
/// Unknown fields are skipped, as Protocol Buffers require. The size of the result is limited by that of the input: a
/// message has a member for each of its fields, and isn't nested deeper than ``deepest``.
enum OTLPProtobuf {
    /// The kinds of requests.
    enum Request {
        case logs, traces, metrics
    }

    /// Returns the request as JSON.
    static func json(_ content: Data, _ request: Request) throws -> JSONValue {
        let message =
            switch request {
            case .logs: envelope(["resourceLogs", "scopeLogs", "logRecords"], logRecord)
            case .traces: envelope(["resourceSpans", "scopeSpans", "spans"], span)
            case .metrics: envelope(["resourceMetrics", "scopeMetrics", "metrics"], metric)
            }
        do {
            return try read(content, message(), depth: 0)
        } catch is ProtobufReader.Malformed {
            throw Refusal.malformed("This is not a request of OTLP in protocol buffers.")
        }
    }

    /// The maximum depth of nested messages.
    ///
    /// An attribute's value needs three for each of its levels.
    private static let deepest = 100

    /// The representation of a field in JSON.
    private indirect enum Kind {
        case text
        case bool
        case integer
        /// A 64-bit integer, which is a string in JSON.
        case long
        case double
        case identifier
        case base64
        /// A `sint32`.
        case zigzag
        /// Packed eight-byte numbers.
        case packedLongs, packedDoubles
        case message(@Sendable () -> [Int: Field])
    }

    private struct Field {
        let name: String
        let kind: Kind
        var isList = false
    }

    private static func read(_ content: Data, _ fields: [Int: Field], depth: Int) throws -> JSONValue {
        guard depth <= deepest else { throw ProtobufReader.Malformed() }
        var reader = ProtobufReader(content)
        var members: [String: JSONValue] = [:]
        // Lists are collected separately, because they would be copied for each element if they were members.
        var lists: [String: [JSONValue]] = [:]
        while let (number, value) = try reader.next() {
            guard let field = fields[number] else { continue }
            switch (field.kind, value) {
            case (.packedLongs, .bytes(let bytes)), (.packedDoubles, .bytes(let bytes)):
                lists[field.name, default: []] += try packed(bytes, field.kind)
            case (.packedLongs, _), (.packedDoubles, _):
                lists[field.name, default: []].append(try plain(value, field.kind, depth: depth))
            default:
                let plain = try plain(value, field.kind, depth: depth)
                if field.isList { lists[field.name, default: []].append(plain) } else { members[field.name] = plain }
            }
        }
        for (name, list) in lists { members[name] = .array(list) }
        return .object(members)
    }

    private static func plain(_ value: ProtobufReader.Value, _ kind: Kind, depth: Int) throws -> JSONValue {
        switch (kind, value) {
        case (.text, .bytes):
            guard let text = value.text else { throw ProtobufReader.Malformed() }
            return .string(text)
        case (.bool, .varint(let number)): return .bool(number != 0)
        case (.integer, .varint), (.integer, .fixed32): return .integer(value.integer ?? 0)
        case (.zigzag, .varint(let number)): return .integer(Int64(number >> 1) ^ -Int64(number & 1))
        case (.long, .varint), (.packedLongs, .fixed64): return .string(String(value.integer ?? 0))
        // `fixed64` and `sfixed64` are treated in the same way, because no real time or count is so large that they
        // differ.
        case (.long, .fixed64): return .string(String(value.integer ?? 0))
        case (.double, .fixed64), (.packedDoubles, .fixed64): return .number(value.double ?? 0)
        case (.identifier, .bytes(let bytes)):
            return .string(bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())
        case (.base64, .bytes(let bytes)): return .string(bytes.base64EncodedString())
        case (.message(let fields), .bytes(let bytes)): return try read(bytes, fields(), depth: depth + 1)
        default: throw ProtobufReader.Malformed()
        }
    }

    private static func packed(_ bytes: Data, _ kind: Kind) throws -> [JSONValue] {
        guard bytes.count.isMultiple(of: 8) else { throw ProtobufReader.Malformed() }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: 8).map { start in
            var bits: UInt64 = 0
            for index in 0..<8 { bits |= UInt64(bytes[start + index]) << UInt64(8 * index) }
            if case .packedDoubles = kind { return .number(Double(bitPattern: bits)) }
            return .string(String(bits))
        }
    }

    // MARK: Messages

    /// Returns a request, which consists of resources with scopes with elements.
    private static func envelope(
        _ names: [String],
        _ element: @escaping @Sendable () -> [Int: Field]
    ) -> @Sendable () -> [Int: Field] {
        let scopes: @Sendable () -> [Int: Field] = {
            [
                1: Field(name: "scope", kind: .message { [1: .init(name: "name", kind: .text)] }),
                2: Field(name: names[2], kind: .message(element), isList: true),
            ]
        }
        let resources: @Sendable () -> [Int: Field] = {
            [
                1: Field(name: "resource", kind: .message { [1: attributes] }),
                2: Field(name: names[1], kind: .message(scopes), isList: true),
            ]
        }
        return { [1: Field(name: names[0], kind: .message(resources), isList: true)] }
    }

    private static var attributes: Field { Field(name: "attributes", kind: .message(pair), isList: true) }

    @Sendable private static func pair() -> [Int: Field] {
        [1: Field(name: "key", kind: .text), 2: Field(name: "value", kind: .message(anyValue))]
    }

    @Sendable private static func anyValue() -> [Int: Field] {
        [
            1: Field(name: "stringValue", kind: .text), 2: Field(name: "boolValue", kind: .bool),
            3: Field(name: "intValue", kind: .long), 4: Field(name: "doubleValue", kind: .double),
            5: Field(
                name: "arrayValue",
                kind: .message { [1: .init(name: "values", kind: .message(anyValue), isList: true)] }
            ),
            6: Field(
                name: "kvlistValue",
                kind: .message { [1: .init(name: "values", kind: .message(pair), isList: true)] }
            ),
            7: Field(name: "bytesValue", kind: .base64),
        ]
    }

    @Sendable private static func logRecord() -> [Int: Field] {
        [
            1: Field(name: "timeUnixNano", kind: .long), 2: Field(name: "severityNumber", kind: .integer),
            3: Field(name: "severityText", kind: .text), 5: Field(name: "body", kind: .message(anyValue)),
            6: attributes, 9: Field(name: "traceId", kind: .identifier), 10: Field(name: "spanId", kind: .identifier),
            11: Field(name: "observedTimeUnixNano", kind: .long), 12: Field(name: "eventName", kind: .text),
        ]
    }

    @Sendable private static func span() -> [Int: Field] {
        [
            1: Field(name: "traceId", kind: .identifier), 2: Field(name: "spanId", kind: .identifier),
            4: Field(name: "parentSpanId", kind: .identifier), 5: Field(name: "name", kind: .text),
            6: Field(name: "kind", kind: .integer), 7: Field(name: "startTimeUnixNano", kind: .long),
            8: Field(name: "endTimeUnixNano", kind: .long), 9: attributes,
            11: Field(
                name: "events",
                kind: .message {
                    [
                        1: .init(name: "timeUnixNano", kind: .long), 2: .init(name: "name", kind: .text),
                        3: attributes,
                    ]
                },
                isList: true
            ),
            15: Field(
                name: "status",
                kind: .message { [2: .init(name: "message", kind: .text), 3: .init(name: "code", kind: .integer)] }
            ),
        ]
    }

    @Sendable private static func metric() -> [Int: Field] {
        func points(_ name: String, _ element: @escaping @Sendable () -> [Int: Field]) -> Field {
            Field(
                name: name,
                kind: .message {
                    [
                        1: .init(name: "dataPoints", kind: .message(element), isList: true),
                        2: .init(name: "aggregationTemporality", kind: .integer),
                        3: .init(name: "isMonotonic", kind: .bool),
                    ]
                }
            )
        }
        return [
            1: Field(name: "name", kind: .text), 2: Field(name: "description", kind: .text),
            3: Field(name: "unit", kind: .text), 5: points("gauge", number), 7: points("sum", number),
            9: points("histogram", histogram), 10: points("exponentialHistogram", exponential),
            11: points("summary", summary),
        ]
    }

    @Sendable private static func number() -> [Int: Field] {
        [
            3: Field(name: "timeUnixNano", kind: .long), 4: Field(name: "asDouble", kind: .double),
            6: Field(name: "asInt", kind: .long), 7: attributes,
        ]
    }

    @Sendable private static func histogram() -> [Int: Field] {
        [
            3: Field(name: "timeUnixNano", kind: .long), 4: Field(name: "count", kind: .long),
            5: Field(name: "sum", kind: .double), 6: Field(name: "bucketCounts", kind: .packedLongs),
            7: Field(name: "explicitBounds", kind: .packedDoubles), 9: attributes,
            11: Field(name: "min", kind: .double), 12: Field(name: "max", kind: .double),
        ]
    }

    @Sendable private static func exponential() -> [Int: Field] {
        [
            1: attributes, 3: Field(name: "timeUnixNano", kind: .long), 4: Field(name: "count", kind: .long),
            5: Field(name: "sum", kind: .double), 6: Field(name: "scale", kind: .zigzag),
            12: Field(name: "min", kind: .double), 13: Field(name: "max", kind: .double),
        ]
    }

    @Sendable private static func summary() -> [Int: Field] {
        [
            3: Field(name: "timeUnixNano", kind: .long), 4: Field(name: "count", kind: .long),
            5: Field(name: "sum", kind: .double), 7: attributes,
        ]
    }
}
