import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import Logging

/// Writes records as Loki streams.
struct LokiWriter: ~Copyable {
    /// Loki's default limits: `max_line_size`, `max_label_value_length`.
    private static let lineLimit = 256 << 10
    private static let labelLimit = 2048

    private var json: JSONWriter
    private let line: BuiltInWireFormat.LokiLine
    private let flatLine: FlatLogObject
    private let logfmtLine: LogfmtLine
    /// The labels that all streams have, written after a stream's own.
    private var commonLabels: [UInt8] = []
    private var metadata: LokiMetadata
    /// A buffer for a line before it is written as a string.
    private var scratch = JSONWriter()

    init(resource: LogResource, line: BuiltInWireFormat.LokiLine, labels: Set<String>, count: Int) {
        json = JSONWriter(capacity: 512 * count + 256)
        self.line = line
        var names: Set<[UInt8]> = [Array("level".utf8), Array("component".utf8)]
        var further: [(name: String, value: JSONValue)] = []
        var common = JSONWriter()
        for (name, value) in resource.members {
            let isLabel = name == "service.name" || labels.contains(name)
            guard isLabel, let text = value.plainText, !text.isEmpty, names.insert(LokiName.of(name)).inserted else {
                further.append((name, value))
                continue
            }
            common.raw(",\"")
            LokiName.write(name, to: &common)
            common.raw("\":\"")
            common.escaped(text, upTo: Self.labelLimit)
            common.raw("\"")
        }
        commonLabels = common.bytes
        metadata = LokiMetadata(common: further)
        flatLine = FlatLogObject(taken: ["message"], members: further)
        logfmtLine = LogfmtLine(members: further)
    }

    /// Returns the written bytes.
    consuming func data() -> Data { json.data() }

    mutating func write(_ records: [LogRecord]) {
        json.raw(#"{"streams":["#)
        let groups = LogGroups(records, byLevel: true)
        for (number, group) in groups.groups.enumerated() {
            json.raw(number > 0 ? #",{"stream":{"level":""# : #"{"stream":{"level":""#)
            json.escaped(group.level.rawValue)
            if !group.component.isEmpty {
                json.raw(#"","component":""#)
                json.escaped(group.component, upTo: Self.labelLimit)
            }
            json.raw("\"")
            json.raw(commonLabels)
            json.raw(#"},"values":["#)
            var isFirst = true
            var time: UInt64 = 0
            for position in Self.inOrderOfTime(groups.order[group.range], of: records) {
                time =
                    isFirst
                    ? records[position].date.unixNanoseconds
                    : max(time + 1, records[position].date.unixNanoseconds)
                json.raw(isFirst ? "[\"" : ",[\"")
                isFirst = false
                json.integer(time)
                json.raw("\",\"")
                writeEntry(records[position])
            }
            json.raw("]}")
        }
        json.raw("]}")
    }

    /// Returns the positions sorted by time.
    ///
    /// Records with the same time keep their order.
    private static func inOrderOfTime(_ positions: ArraySlice<Int>, of records: [LogRecord]) -> ArraySlice<Int> {
        let isSorted = zip(positions, positions.dropFirst()).allSatisfy { records[$0].date <= records[$1].date }
        guard !isSorted else { return positions }
        return positions.sorted { ($0.time(in: records), $0) < ($1.time(in: records), $1) }[...]
    }

    /// Writes the rest of an entry, after its time and the opening quote of its line.
    private mutating func writeEntry(_ record: LogRecord) {
        switch line {
        case .message:
            json.escaped(record.message, upTo: Self.lineLimit)
            json.raw("\"")
            metadata.write(record.attributes, to: &json)
            json.raw("]")
        case .logfmt:
            scratch.truncate(to: 0)
            logfmtLine.write(record, to: &scratch)
            writeScratch()
        case .json:
            scratch.truncate(to: 0)
            scratch.raw(#"{"message":"#)
            scratch.string(record.message)
            flatLine.write(record.attributes, to: &scratch)
            scratch.raw("}")
            writeScratch()
        }
    }

    private mutating func writeScratch() {
        _ = scratch.withBytes { json.escaped($0, upTo: Self.lineLimit) }
        json.raw("\"]")
    }
}

extension Int {
    fileprivate func time(in records: [LogRecord]) -> UInt64 { records[self].date.unixNanoseconds }
}

extension JSONValue {
    /// The value as the text of a label or of metadata; `nil` for null.
    var plainText: String? {
        switch self {
        case .null: return nil
        case .string(let text): return text
        case .bool(let truth): return truth ? "true" : "false"
        case .integer(let number): return String(number)
        case .number(let number): return number.isFinite ? number.description : "\(number.nonFiniteName)"
        case .decimal(let number): return "\(number)"
        case .array, .object:
            var writer = JSONWriter()
            writer.value(self)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}
