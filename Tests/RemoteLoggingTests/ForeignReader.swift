#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import Logging
import TestSupport
import Testing

/// A program in Python that reads log content by the definitions of others.
enum ForeignReader: String, CaseIterable {
    case otlp, protobuf, loki, ndjson

    var format: any LogWireFormat {
        switch self {
        case .otlp: .otlp
        case .protobuf: .otlp(.protobuf)
        case .loki: .loki
        case .ndjson: .ndjson
        }
    }

    /// What the program finds wrong with content; `nil` when it cannot run on this machine.
    func problems(of content: Data, meaning batch: LogBatch) async throws -> String? {
        let directory = try ScratchDirectory.created()
        let files = [
            try directory.file("content", content),
            try directory.file("meant", JSONEncoder().encode(MeantBatch(batch))),
        ]
        let arguments = [rawValue, files[0].path, files[1].path]
        return try await Self.problems(byScript: "read_logs", arguments, keeping: directory)
    }

    /// What the program finds wrong with spans in both encodings; `nil` when it cannot run on this machine.
    static func spanProblems(json: Data, protobuf: Data, meaning spans: [SpanRecord]) async throws -> String? {
        let directory = try ScratchDirectory.created()
        let files = [
            try directory.file("json", json), try directory.file("protobuf", protobuf),
            try directory.file("meant", JSONEncoder().encode(spans.map(MeantSpan.init))),
        ]
        return try await problems(byScript: "read_spans", files.map(\.path), keeping: directory)
    }

    private static func problems(
        byScript name: String,
        _ arguments: [String],
        keeping directory: ScratchDirectory
    ) async throws -> String? {
        let script = try #require(
            Bundle.module.url(forResource: name, withExtension: "py", subdirectory: "Resources")
        )
        let outcome = try await runProgram(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", "-B", script.path] + arguments
        )
        withExtendedLifetime(directory) {}
        switch outcome.status {
        case 0: return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
        // 3 is said by the program, 127 by env where there is no Python.
        case 3, 127: return nil
        default: return "\(name): \(outcome.errorText)"
        }
    }
}

/// What a span means, written by Foundation's encoder, for the program to compare with.
private struct MeantSpan: Encodable {
    let span: SpanRecord

    private enum CodingKeys: String, CodingKey {
        case traceID, spanID, parent, state, flags, name, kind, start, end, scope, attributes, events, links, code
        case message, dropped
    }

    init(_ span: SpanRecord) {
        self.span = span
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(span.traceID, forKey: .traceID)
        try container.encode(span.spanID, forKey: .spanID)
        try container.encode(span.parentSpanID ?? "", forKey: .parent)
        try container.encode(span.traceState, forKey: .state)
        try container.encode(Int(span.flags) + 256 + (span.hasRemoteParent ? 512 : 0), forKey: .flags)
        try container.encode(span.name, forKey: .name)
        try container.encode(span.kind.rawValue, forKey: .kind)
        try container.encode("\(span.start)", forKey: .start)
        try container.encode("\(span.end)", forKey: .end)
        try container.encode(span.scope, forKey: .scope)
        try container.encode(MeantAttribute.list(span.attributes), forKey: .attributes)
        var events = container.nestedUnkeyedContainer(forKey: .events)
        for event in span.events {
            var parts = events.nestedUnkeyedContainer()
            try parts.encode(event.name)
            try parts.encode("\(event.time)")
            try parts.encode(MeantAttribute.list(event.attributes))
        }
        var links = container.nestedUnkeyedContainer(forKey: .links)
        for link in span.links {
            var parts = links.nestedUnkeyedContainer()
            try parts.encode(link.traceID)
            try parts.encode(link.spanID)
            try parts.encode(MeantAttribute.list(link.attributes))
        }
        let (code, message) =
            switch span.status {
            case .unset: (0, "")
            case .ok: (1, "")
            case .error(let text): (2, text)
            }
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
        try container.encode([span.dropped.attributes, span.dropped.events, span.dropped.links], forKey: .dropped)
    }
}

/// What a batch means, written by Foundation's encoder, for the program to compare with.
private struct MeantBatch: Encodable {
    let resource: [MeantAttribute]
    let labels = ["service.name", "service.namespace", "deployment.environment.name"]
    let records: [MeantRecord]

    init(_ batch: LogBatch) {
        var attributes = [MeantAttribute("service.name", .string(batch.resource.serviceName))]
        if let version = batch.resource.serviceVersion {
            attributes.append(MeantAttribute("service.version", .string(version)))
        }
        resource = attributes + batch.resource.attributes.map { MeantAttribute($0.name, $0.value) }
        records = batch.records.map(MeantRecord.init)
    }
}

private struct MeantRecord: Encodable {
    let time: String
    let level: String
    let severity: Int
    let component: String
    let message: String
    var traceID = ""
    var spanID = ""
    var flags = 0
    /// Those that are no field of the record in OTLP.
    var attributes: [MeantAttribute] = []
    let all: [MeantAttribute]

    init(_ record: LogRecord) {
        let time = record.date.timeIntervalSinceReferenceDate
        let seconds = Int(time.rounded(.down)) + 978_307_200
        let nanoseconds = Int(((time - time.rounded(.down)) * 1e9).rounded())
        self.time = "\(seconds * 1_000_000_000 + nanoseconds)"
        level = "\(record.level)"
        let severities: [Logger.Level: Int] = [
            .trace: 1, .debug: 5, .info: 9, .notice: 10, .warning: 13, .error: 17, .critical: 21,
        ]
        severity = severities[record.level] ?? 0
        component = record.component
        message = record.message
        all = record.attributes.map { MeantAttribute($0.name, $0.value) }
        let hasTrace = record.attributes["trace_id"] != nil
        for attribute in record.attributes {
            switch attribute.name {
            case "trace_id": traceID = attribute.value.string ?? ""
            case "span_id" where hasTrace: spanID = attribute.value.string ?? ""
            case "trace_flags" where hasTrace: flags = Int(attribute.value.string ?? "", radix: 16) ?? -1
            default: attributes.append(MeantAttribute(attribute.name, attribute.value))
            }
        }
    }
}

/// A name and a value, as an array.
private struct MeantAttribute: Encodable {
    let name: String
    let value: MeantValue

    init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = MeantValue(value: value)
    }

    static func list(_ attributes: LogAttributes) -> [MeantAttribute] {
        attributes.map { MeantAttribute($0.name, $0.value) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(name)
        try container.encode(value)
    }
}

/// A value with its kind before it, so that 1 is not taken for 1.0.
private struct MeantValue: Encodable {
    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        switch value {
        case .null:
            try container.encode("null")
            try container.encodeNil()
        case .bool(let value):
            try container.encode("bool")
            try container.encode(value)
        case .integer(let value):
            try container.encode("integer")
            try container.encode(String(value))
        case .number(let value):
            try container.encode("double")
            try container.encode("\(value)")
        case .decimal(let value):
            try container.encode("string")
            try container.encode("\(value)")
        case .string(let value):
            try container.encode("string")
            try container.encode(value)
        case .array(let elements):
            try container.encode("array")
            try container.encode(elements.map(MeantValue.init))
        case .object(let members):
            try container.encode("object")
            try container.encode(members.mapValues(MeantValue.init))
        }
    }
}
#endif
