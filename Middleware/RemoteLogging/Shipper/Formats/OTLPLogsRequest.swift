import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import Logging

/// An `ExportLogsServiceRequest`.
struct OTLPLogsRequest: OTLPMessage {
    let batch: LogBatch

    func encode<Encoder: OTLPEncoder & ~Copyable>(to encoder: inout Encoder) {
        let groups = LogGroups(batch.records, byLevel: false)
        encoder.scopes(groups, of: batch.resource, in: ("resourceLogs", "scopeLogs", "logRecords")) {
            $0.record(batch.records[$1])
        }
    }
}

/// The semantic conventions for names, and the library that makes records and spans.
enum OTLPSchema {
    /// The version of OpenTelemetry's semantic conventions.
    static let url = "https://opentelemetry.io/schemas/1.44.0"

    /// The `telemetry.sdk.*` attributes, which every resource must have.
    static let library: [LogAttributes.Attribute] = [
        LogAttributes.Attribute("telemetry.sdk.name", .string("HTTPChain")),
        LogAttributes.Attribute("telemetry.sdk.language", "swift"),
        LogAttributes.Attribute("telemetry.sdk.version", .string(HTTPSemantics.libraryVersion)),
    ]
}

extension LogResource {
    /// The attributes other than the service's name and version, which have separate members.
    var furtherAttributes: [LogAttributes.Attribute] {
        attributes.list.filter {
            $0.name != "service.name" && !($0.name == "service.version" && serviceVersion != nil)
        }
    }

    /// All attributes for OTLP.
    ///
    /// `telemetry.sdk.*` attributes set by the program take precedence.
    fileprivate var attributesOfOTLP: [LogAttributes.Attribute] {
        var result = [LogAttributes.Attribute("service.name", .string(serviceName))]
        if let serviceVersion { result.append(LogAttributes.Attribute("service.version", .string(serviceVersion))) }
        result += furtherAttributes
        if !attributes.list.contains(where: { $0.name.begins(with: "telemetry.sdk.") }) { result += OTLPSchema.library }
        return result
    }
}

extension OTLPEncoder where Self: ~Copyable {
    /// Writes the resource, and each scope with its records.
    ///
    /// This library's own scopes have its version and its semantic conventions. Those of an application's scopes are
    /// unknown.
    mutating func scopes(
        _ groups: LogGroups,
        of resource: LogResource,
        in names: (resources: StaticString, scopes: StaticString, records: StaticString),
        _ record: (inout Self, Int) -> Void
    ) {
        messages(names.resources, 1, count: 1) { encoder, _ in
            encoder.message("resource", 1) { $0.attributes("attributes", 1, resource.attributesOfOTLP) }
            encoder.messages(names.scopes, 2, count: groups.groups.count) { encoder, number in
                let group = groups.groups[number]
                let isOurs = group.component.isComponentOfHTTPChain
                encoder.message("scope", 1) { encoder in
                    if !group.component.isEmpty { encoder.string("name", 1, group.component) }
                    if isOurs { encoder.string("version", 2, HTTPSemantics.libraryVersion) }
                }
                encoder.messages(names.records, 2, count: group.range.count) { encoder, position in
                    record(&encoder, groups.order[group.range.lowerBound + position])
                }
                if isOurs { encoder.string("schemaUrl", 3, OTLPSchema.url) }
            }
            encoder.string("schemaUrl", 3, OTLPSchema.url)
        }
    }

    /// Writes the fields of a `LogRecord`.
    fileprivate mutating func record(_ record: LogRecord) {
        let time = record.date.unixNanoseconds
        fixed64("timeUnixNano", 1, time)
        fixed64("observedTimeUnixNano", 11, time)
        uint32("severityNumber", 2, record.level.severityNumber)
        string("severityText", 3, record.level.rawValue)
        message("body", 5) { $0.string("stringValue", 1, record.message) }
        let context = TraceContext(of: record.attributes)
        let attributes = record.attributes.list
        if context.count == 0 {
            if !attributes.isEmpty { self.attributes("attributes", 6, attributes) }
            return
        }
        let others = attributes.indices.filter { !context.holds($0) }
        if !others.isEmpty {
            messages("attributes", 6, count: others.count) {
                $0.pair(attributes[others[$1]].name, attributes[others[$1]].value)
            }
        }
        if let position = context.traceID, case .string(let identifier) = attributes[position].value {
            self.identifier("traceId", 9, identifier)
        }
        if let position = context.spanID, case .string(let identifier) = attributes[position].value {
            self.identifier("spanId", 10, identifier)
        }
        if context.flags != nil { fixed32("flags", 8, UInt32(context.flagBits)) }
    }
}

extension String {
    /// Whether this is the name of a component of this library.
    fileprivate var isComponentOfHTTPChain: Bool {
        self == "http.client" || self == "http.client.attempt" || begins(with: "HTTPChain")
    }
}

extension Logger.Level {
    /// The number of the severity, according to the log data model, "Severity Fields" and Appendix B.
    fileprivate var severityNumber: UInt32 {
        switch self {
        case .trace: 1
        case .debug: 5
        case .info: 9
        case .notice: 10
        case .warning: 13
        case .error: 17
        case .critical: 21
        }
    }
}
