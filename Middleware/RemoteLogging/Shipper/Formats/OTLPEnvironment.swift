public import Foundation
public import HTTPChainCore
import HTTPChainRemoteLogging
package import HTTPTypes

/// The destination and format of telemetry, read from the environment variables of OpenTelemetry:
/// `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, and those for the limits of batches.
///
/// ```swift
/// let environment = OTLPEnvironment(for: .logs)
/// let shipper = LogShipper(
///     to: environment.url,
///     format: .otlp(environment.encoding),
///     resource: environment.resource,
///     over: environment.transport(over: try Chain(transport: transport) {
///         GzipMiddleware(requests: environment.compresses ? .standard : nil)
///     }),
///     settings: environment.settings()
/// )
/// ```
///
/// It can be made from any dictionary, so tests don't need an environment. A variable for the signal
/// (`OTEL_EXPORTER_OTLP_LOGS_ENDPOINT`) takes precedence over the general one (`OTEL_EXPORTER_OTLP_ENDPOINT`). An empty
/// variable counts as not set. Invalid values and unsupported variables are ignored, and listed in ``problems``.
public struct OTLPEnvironment: Sendable {
    /// A kind of data that is sent.
    public enum Signal: String, Sendable, Hashable, CaseIterable {
        /// The records of a log.
        case logs
        /// The spans of traces.
        case traces

        /// The path to append to the URL of a receiver.
        var path: String { "/v1/\(rawValue)" }
        /// The prefix of the variables that limit batches.
        fileprivate var batches: String { self == .logs ? "OTEL_BLRP_" : "OTEL_BSP_" }
    }

    /// The URL of requests: the signal's endpoint unchanged, or otherwise the general endpoint with the signal's path
    /// appended unless already present.
    ///
    /// If neither is set, `http://localhost:4318/v1/logs` (or `/v1/traces`).
    public let url: String
    /// The fields added to each request, which are all marked as secret.
    package let headers: HTTPFields
    /// The encoding from `OTEL_EXPORTER_OTLP_PROTOCOL`, or ``OTLPEncoding/protobuf`` if it isn't set.
    ///
    /// `grpc` isn't supported, and is reported in ``problems``.
    public let encoding: OTLPEncoding
    /// Whether requests are compressed with gzip (`OTEL_EXPORTER_OTLP_COMPRESSION`); `false` by default.
    public let compresses: Bool
    /// The timeout of a request; 10 seconds by default.
    package let timeout: Duration
    /// The program that sends telemetry, from `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`, in this order of
    /// precedence; `unknown_service` by default.
    public let resource: LogResource
    /// Whether telemetry is disabled: `OTEL_SDK_DISABLED` is `true`, ignoring case.
    ///
    /// The program must check this itself.
    public let isDisabled: Bool
    /// Descriptions of invalid values and unsupported `OTEL_EXPORTER_OTLP_*` variables, with the names of the variables
    /// but without their values.
    public let problems: [String]

    private let queue: Int?
    private let batch: Int?
    private let delay: Duration?

    /// Reads the variables.
    ///
    /// - Parameters:
    ///   - signal: The kind of data that is sent.
    ///   - environment: The variables by name; the process's own by default.
    public init(for signal: Signal, in environment: [String: String] = ProcessInfo.processInfo.environment) {
        var reader = VariableReader(environment: environment, signal: signal)
        url = reader.url()
        headers = reader.headers()
        encoding = reader.encoding()
        compresses = reader.compresses()
        timeout = reader.timeout()
        resource = reader.resource()
        isDisabled = reader.isDisabled()
        queue = reader.number("\(signal.batches)MAX_QUEUE_SIZE", 1...(1 << 30))
        batch = reader.number("\(signal.batches)MAX_EXPORT_BATCH_SIZE", 1...(1 << 30))
        delay = reader.number("\(signal.batches)SCHEDULE_DELAY", VariableReader.milliseconds).map { .milliseconds($0) }
        reader.findUnsupported()
        problems = reader.problems
    }

    /// Returns the settings of a shipper, with the timeout, and with the limits from `OTEL_BLRP_*` (logs) or
    /// `OTEL_BSP_*` (traces).
    ///
    /// - Parameter settings: The settings for everything that isn't set by a variable.
    public func settings(_ settings: LogShipper.Settings = LogShipper.Settings()) -> LogShipper.Settings {
        var settings = settings
        settings.exportTimeout = timeout
        if let queue { settings.queueRecords = queue }
        if let batch { settings.batchRecords = batch }
        if let delay { settings.batchAge = delay }
        return settings
    }

    /// Returns a transport that adds `headers` to each request.
    public func transport(over transport: any Transport) -> some Transport {
        FieldsTransport(fields: headers, transport: transport)
    }
}

/// Adds fields to each request.
private struct FieldsTransport: Transport {
    let fields: HTTPFields
    let transport: any Transport

    var capabilities: TransportCapabilities { transport.capabilities }
    var optionsRead: [any RequestOption.Type] { transport.optionsRead }

    func send(_ request: consuming Request) async throws -> Response {
        for field in fields { request.headers[field.name] = nil }
        request.headers.append(contentsOf: fields)
        return try await transport.send(request)
    }
}

/// Reads variables, and records those with invalid values.
private struct VariableReader {
    let environment: [String: String]
    let signal: OTLPEnvironment.Signal
    private(set) var problems: [String] = []

    private static let prefix = "OTEL_EXPORTER_OTLP_"
    private static let maximum = 128
    private static let exporterNames: Set<String> = ["ENDPOINT", "HEADERS", "PROTOCOL", "COMPRESSION", "TIMEOUT"]
    /// The valid durations.
    ///
    /// The upper bound doesn't fit in a 32-bit `Int`.
    static let milliseconds: ClosedRange<Int64> = 0...(1 << 40)
    /// The kinds of data that have their own variables.
    private static let signalPrefixes = ["LOGS_", "TRACES_", "METRICS_", "PROFILES_"]

    private func value(of name: String) -> String? {
        guard let text = environment[name]?.trimming(), !text.isEmpty else { return nil }
        return text
    }

    /// Returns the signal's variable, or otherwise the general one.
    private func exporter(_ name: String) -> (name: String, text: String)? {
        for name in ["\(Self.prefix)\(signal.rawValue.uppercased())_\(name)", Self.prefix + name] {
            if let text = value(of: name) { return (name, text) }
        }
        return nil
    }

    private mutating func problem(_ name: String, _ text: String) {
        problems.append("\(name) \(text)")
    }

    mutating func url() -> String {
        let own = "\(Self.prefix)\(signal.rawValue.uppercased())_ENDPOINT"
        if let text = value(of: own) {
            // A URL without a path has the path "/", according to the exporter's specification, "Endpoint URLs for
            // OTLP/HTTP".
            if Origin(text) != nil { return text }
            problem(own, "is not a URL of HTTP")
        }
        if let text = value(of: Self.prefix + "ENDPOINT") {
            if Origin(text) != nil { return LogEndpoint.url(text, path: signal.path) }
            problem(Self.prefix + "ENDPOINT", "is not a URL of HTTP")
        }
        return "http://localhost:4318" + signal.path
    }

    mutating func headers() -> HTTPFields {
        guard let (name, text) = exporter("HEADERS") else { return [:] }
        var fields = HTTPFields()
        for (index, entry) in Self.entries(text).enumerated() {
            if index == Self.maximum {
                problem(name, "has more than \(Self.maximum) fields; those after them are left out")
                break
            }
            // Text that isn't a field name may be a credential. For example, `Authorization: Bearer abc=` has no other
            // `=`.
            guard let field = entry.name.flatMap({ HTTPField.Name($0) }) else {
                problem(name, "has no name=value that HTTP can send as number \(index + 1), which is left out")
                continue
            }
            guard let value = entry.value, HTTPField.isValidValue(value) else {
                problem(name, "has a value of \(field.rawName) that HTTP cannot send; the field is left out")
                continue
            }
            var secret = HTTPField(name: field, value: value)
            // These fields are mostly credentials, so they are never shown.
            secret.indexingStrategy = .disallow
            fields.append(secret)
        }
        return fields
    }

    mutating func encoding() -> OTLPEncoding {
        guard let (name, text) = exporter("PROTOCOL") else { return .protobuf }
        switch text {
        case "http/protobuf": return .protobuf
        case "http/json": return .json
        default:
            problem(name, "is neither http/protobuf nor http/json")
            return .protobuf
        }
    }

    mutating func compresses() -> Bool {
        guard let (name, text) = exporter("COMPRESSION") else { return false }
        if text != "gzip", text != "none" { problem(name, "is neither gzip nor none") }
        return text == "gzip"
    }

    mutating func timeout() -> Duration {
        guard let (name, _) = exporter("TIMEOUT") else { return .seconds(10) }
        // In OpenTelemetry, zero means no limit, but this package always has a limit.
        return number(name, Self.milliseconds).map { $0 == 0 ? .seconds(3600) : .milliseconds($0) } ?? .seconds(10)
    }

    mutating func number<Number: FixedWidthInteger>(_ name: String, _ range: ClosedRange<Number>) -> Number? {
        guard let text = value(of: name) else { return nil }
        guard let number = Number(text), range.contains(number) else {
            problem(name, "is not a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    /// According to OpenTelemetry's specification, only `true` disables telemetry, ignoring case.
    mutating func isDisabled() -> Bool {
        let name = "OTEL_SDK_DISABLED"
        guard let text = value(of: name)?.lowercased() else { return false }
        if text != "true", text != "false" { problem(name, "is neither true nor false, and counts as false") }
        return text == "true"
    }

    /// Reports the exporter's variables for this signal that are set but have no effect.
    mutating func findUnsupported() {
        let own = "\(signal.rawValue.uppercased())_"
        for name in environment.keys.sorted() where value(of: name) != nil {
            guard let rest = name.without(prefix: Self.prefix) else { continue }
            let setting = rest.without(prefix: own) ?? rest
            let isOfAnotherSignal = Self.signalPrefixes.contains { setting.begins(with: $0) }
            if !isOfAnotherSignal, !Self.exporterNames.contains(String(setting)) {
                problem(name.printable(upTo: Self.maximum), "is not supported and has no effect")
            }
        }
    }

    mutating func resource() -> LogResource {
        var attributes: LogAttributes = [:]
        if let text = value(of: "OTEL_RESOURCE_ATTRIBUTES") {
            // According to OpenTelemetry's resource specification, a malformed entry invalidates the whole variable.
            let entries = Self.entries(text)
            if entries.count <= Self.maximum, entries.allSatisfy({ $0.name != nil && $0.value != nil }) {
                for case let (name?, value?) in entries { attributes[name] = .string(value) }
            } else {
                problem("OTEL_RESOURCE_ATTRIBUTES", "is not a list of name=value")
            }
        }
        let name = value(of: "OTEL_SERVICE_NAME") ?? attributes["service.name"]?.string ?? "unknown_service"
        let version = attributes["service.version"]?.string
        attributes["service.name"] = nil
        attributes["service.version"] = nil
        return LogResource(serviceName: name, serviceVersion: version, attributes: attributes)
    }

    /// Returns the entries of a list of names and percent-encoded values, as in W3C Baggage, up to one more than the
    /// maximum.
    ///
    /// A name or a value is `nil` if it is missing or can't be decoded.
    private static func entries(_ text: String) -> [(name: String?, value: String?)] {
        text.pieces(at: ",").lazy.map { $0.trimming() }.filter { !$0.isEmpty }.prefix(maximum + 1).map { part in
            guard let equals = part.unicodeScalars.firstIndex(of: "="), equals > part.startIndex else {
                return (nil, nil)
            }
            let name = part[..<equals].trimming()
            let value = part[part.unicodeScalars.index(after: equals)...].trimming()
            return (name.isEmpty ? nil : name.removingPercentEncoding, value.removingPercentEncoding)
        }
    }
}

extension OTLPEnvironment: RedactedDisplay, DescribedValue {
    /// The URL, with secrets redacted, and the names of the fields.
    package var words: String {
        let names = headers.map(\.name.canonicalName).joined(separator: ", ")
        return "OTLP to \(Redaction.standard.url(url))" + (names.isEmpty ? "" : " (fields: \(names))")
    }
}
