import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import Logging

/// Writes a batch in the JSON mapping of OTLP.
struct OTLPWriter: ~Copyable {
    private var json: JSONWriter

    init(capacity: Int) {
        json = JSONWriter(capacity: capacity)
    }

    /// What was written.
    consuming func data() -> Data { json.data() }

    mutating func write(_ batch: LogBatch) {
        json.raw(#"{"resourceLogs":[{"resource":{"attributes":["#)
        write(batch.resource)
        json.raw(#"]},"scopeLogs":["#)
        let groups = LogGroups(batch.records, byLevel: false)
        for (number, group) in groups.groups.enumerated() {
            json.raw(number > 0 ? #",{"scope":{"name":""# : #"{"scope":{"name":""#)
            json.escaped(group.component)
            json.raw(#""},"logRecords":["#)
            for position in group.range {
                if position > group.range.lowerBound { json.raw(",") }
                write(batch.records[groups.order[position]])
            }
            json.raw("]}")
        }
        json.raw("]}]}")
    }

    private mutating func write(_ resource: LogResource) {
        write(LogAttributes.Attribute("service.name", .string(resource.serviceName)))
        if let version = resource.serviceVersion {
            json.raw(",")
            write(LogAttributes.Attribute("service.version", .string(version)))
        }
        for attribute in resource.furtherAttributes {
            json.raw(",")
            write(attribute)
        }
    }

    private mutating func write(_ record: LogRecord) {
        let time = record.date.unixNanoseconds
        json.raw(#"{"timeUnixNano":""#)
        json.integer(time)
        json.raw(#"","observedTimeUnixNano":""#)
        json.integer(time)
        json.raw(record.level.severityMembers)
        json.raw(#","body":{"stringValue":""#)
        json.escaped(record.message)
        json.raw(#""}"#)
        let context = TraceContext(of: record.attributes)
        if record.attributes.count > context.count {
            json.raw(#","attributes":["#)
            var isFirst = true
            for (position, attribute) in record.attributes.enumerated() where !context.holds(position) {
                if !isFirst { json.raw(",") }
                isFirst = false
                write(attribute)
            }
            json.raw("]")
        }
        if context.count > 0 { write(context, of: record.attributes) }
        json.raw("}")
    }

    private mutating func write(_ context: TraceContext, of attributes: LogAttributes) {
        if let position = context.traceID, case .string(let identifier) = attributes[position].value {
            json.raw(#","traceId":"#)
            json.string(identifier)
        }
        if let position = context.spanID, case .string(let identifier) = attributes[position].value {
            json.raw(#","spanId":"#)
            json.string(identifier)
        }
        if context.flags != nil {
            json.raw(#","flags":"#)
            json.integer(UInt64(context.flagBits))
        }
    }

    private mutating func write(_ attribute: LogAttributes.Attribute) {
        json.raw(#"{"key":""#)
        json.escaped(attribute.name)
        json.raw(#"","value":"#)
        write(attribute.value, depth: 0)
        json.raw("}")
    }

    /// An `AnyValue`; one that has no value stands for null.
    private mutating func write(_ value: JSONValue, depth: Int) {
        guard depth <= LogAttributes.deepest else { return write(.string(LogAttributes.elision), depth: 0) }
        switch value {
        case .string(let text):
            json.raw(#"{"stringValue":""#)
            json.escaped(text)
            json.raw(#""}"#)
        case .integer(let number):
            json.raw(#"{"intValue":""#)
            json.integer(number)
            json.raw(#""}"#)
        case .bool(let truth): json.raw(truth ? #"{"boolValue":true}"# : #"{"boolValue":false}"#)
        case .number(let number):
            json.raw(#"{"doubleValue":"#)
            if number.isFinite {
                json.number(number)
            } else {
                json.raw("\"")
                json.raw(number.nonFiniteName)
                json.raw("\"")
            }
            json.raw("}")
        case .null: json.raw("{}")
        case .array(let elements):
            json.raw(#"{"arrayValue":{"values":["#)
            for (index, element) in elements.enumerated() {
                if index > 0 { json.raw(",") }
                write(element, depth: depth + 1)
            }
            json.raw("]}}")
        case .object(let members):
            json.raw(#"{"kvlistValue":{"values":["#)
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                json.raw(index > 0 ? #",{"key":""# : #"{"key":""#)
                json.escaped(member.key)
                json.raw(#"","value":"#)
                write(member.value, depth: depth + 1)
                json.raw("}")
            }
            json.raw("]}}")
        }
    }
}

extension LogResource {
    /// The attributes but for the name and version of the service, which have members of their own.
    var furtherAttributes: [LogAttributes.Attribute] {
        attributes.filter {
            $0.name != "service.name" && !($0.name == "service.version" && serviceVersion != nil)
        }
    }
}

extension Logger.Level {
    /// Number and text of the severity: the log data model, "Severity Fields" and Appendix B.
    fileprivate var severityMembers: StaticString {
        switch self {
        case .trace: #"","severityNumber":1,"severityText":"trace""#
        case .debug: #"","severityNumber":5,"severityText":"debug""#
        case .info: #"","severityNumber":9,"severityText":"info""#
        case .notice: #"","severityNumber":10,"severityText":"notice""#
        case .warning: #"","severityNumber":13,"severityText":"warning""#
        case .error: #"","severityNumber":17,"severityText":"error""#
        case .critical: #"","severityNumber":21,"severityText":"critical""#
        }
    }
}
