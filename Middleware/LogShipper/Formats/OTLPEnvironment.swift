public import Foundation
public import HTTPChainCore
import HTTPChainRemoteLogging
public import HTTPTypes

/// The destination of telemetry, and its form, as the variables of OpenTelemetry say:
/// `OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, and those that bound batches.
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
/// It is a function of a dictionary, so that tests need no environment. A variable of the signal
/// (`OTEL_EXPORTER_OTLP_LOGS_ENDPOINT`) goes before the general one (`OTEL_EXPORTER_OTLP_ENDPOINT`); one that is empty
/// counts as not set. A value that cannot be read is not used, and ``problems`` names its variable.
public struct OTLPEnvironment: Sendable {
    /// A kind of data that is sent.
    public enum Signal: String, Sendable, Hashable, CaseIterable {
        /// The records of a log.
        case logs
        /// The spans of traces.
        case traces

        fileprivate var path: String { self == .logs ? OTLPLogFormat.path : OTLPTraceFormat.path }
        /// Between the prefix and the name of a variable that bounds batches.
        fileprivate var batches: String { self == .logs ? "OTEL_BLRP_" : "OTEL_BSP_" }
    }

    /// The URL that requests go to: the endpoint of the signal unchanged, otherwise the general one with the signal's
    /// path after its path, once; `http://localhost:4318/v1/logs` if neither is set.
    public let url: String
    /// The fields that each request has; all are marked as secrets.
    public let headers: HTTPFields
    /// `OTEL_EXPORTER_OTLP_PROTOCOL`, and ``OTLPEncoding/protobuf`` where it is not set.
    ///
    /// `grpc` is not spoken, and is a problem.
    public let encoding: OTLPEncoding
    /// Whether requests are compressed with gzip (`OTEL_EXPORTER_OTLP_COMPRESSION`); they are not by default.
    public let compresses: Bool
    /// The time that a request may take; 10 seconds by default.
    public let timeout: Duration
    /// The sender: `OTEL_RESOURCE_ATTRIBUTES` and, before it, `OTEL_SERVICE_NAME`; `unknown_service` by default.
    public let resource: LogResource
    /// Whether nothing is to be sent (`OTEL_SDK_DISABLED`), which is for the program to heed.
    public let isDisabled: Bool
    /// The values that could not be used, by the names of the variables and without their values.
    public let problems: [String]

    private let queue: Int?
    private let batch: Int?
    private let delay: Duration?

    /// Reads the variables.
    ///
    /// - Parameters:
    ///   - signal: What is sent.
    ///   - environment: The variables by their names; those of the process by default.
    public init(for signal: Signal, in environment: [String: String] = ProcessInfo.processInfo.environment) {
        var reader = VariableReader(environment: environment, signal: signal)
        url = reader.url()
        headers = reader.headers()
        encoding = reader.encoding()
        compresses = reader.compresses()
        timeout = reader.timeout()
        resource = reader.resource()
        isDisabled = environment["OTEL_SDK_DISABLED"]?.lowercased() == "true"
        queue = reader.number("\(signal.batches)MAX_QUEUE_SIZE", 1...(1 << 30))
        batch = reader.number("\(signal.batches)MAX_EXPORT_BATCH_SIZE", 1...(1 << 30))
        delay = reader.number("\(signal.batches)SCHEDULE_DELAY", 0...(1 << 40)).map { .milliseconds($0) }
        problems = reader.problems
    }

    /// The settings of a shipper with the timeout, and with the bounds of `OTEL_BLRP_*` for logs and `OTEL_BSP_*` for
    /// traces.
    ///
    /// - Parameter settings: What holds where no variable is set.
    public func settings(_ settings: LogShipper.Settings = .standard) -> LogShipper.Settings {
        var settings = settings
        settings.exportTimeout = timeout
        if let queue { settings.queueRecords = queue }
        if let batch { settings.batchRecords = batch }
        if let delay { settings.batchAge = delay }
        return settings
    }

    /// A transport that adds ``headers`` to each request.
    public func transport(over transport: any Transport) -> some Transport {
        FieldsTransport(fields: headers, transport: transport)
    }
}

/// Adds fields to each request.
private struct FieldsTransport: Transport {
    let fields: HTTPFields
    let transport: any Transport

    var capabilities: TransportCapabilities { transport.capabilities }

    func send(_ request: consuming Request) async throws -> Response {
        for field in fields { request.headers[field.name] = nil }
        request.headers.append(contentsOf: fields)
        return try await transport.send(request)
    }
}

/// Reads variables, and notes those whose values make no sense.
private struct VariableReader {
    let environment: [String: String]
    let signal: OTLPEnvironment.Signal
    private(set) var problems: [String] = []

    private static let prefix = "OTEL_EXPORTER_OTLP_"
    private static let maximum = 128

    init(environment: [String: String], signal: OTLPEnvironment.Signal) {
        self.environment = environment
        self.signal = signal
    }

    private func value(of name: String) -> String? {
        guard let text = environment[name]?.trimming(), !text.isEmpty else { return nil }
        return text
    }

    /// The variable of the signal, else the general one.
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
            // A URL without a path has the path "/" (the exporter's specification, "Endpoint URLs for OTLP/HTTP").
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
        guard let pairs = Self.pairs(text) else {
            problem(name, "is not a list of name=value")
            return [:]
        }
        var fields = HTTPFields()
        for (key, value) in pairs {
            guard let field = HTTPField.Name(key), HTTPField.isValidValue(value) else {
                problem(name, "has a field that HTTP cannot send")
                continue
            }
            var entry = HTTPField(name: field, value: value)
            // Mostly credentials: they are shown nowhere.
            entry.indexingStrategy = .disallow
            fields.append(entry)
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
        // Zero is no limit, to OpenTelemetry; here there always is one.
        return number(name, 0...(1 << 40)).map { $0 == 0 ? .seconds(3600) : .milliseconds($0) } ?? .seconds(10)
    }

    mutating func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let text = value(of: name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            problem(name, "is not a number from \(range.lowerBound) to \(range.upperBound)")
            return nil
        }
        return number
    }

    mutating func resource() -> LogResource {
        var attributes: LogAttributes = [:]
        if let text = value(of: "OTEL_RESOURCE_ATTRIBUTES") {
            if let pairs = Self.pairs(text) {
                for (key, value) in pairs { attributes[key] = .string(value) }
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

    /// Names and percent-encoded values, as in W3C Baggage; `nil` when any is malformed, or there are too many.
    private static func pairs(_ text: String) -> [(String, String)]? {
        var pairs: [(String, String)] = []
        for part in text.pieces(at: ",") {
            let part = part.trimming()
            if part.isEmpty { continue }
            guard let equals = part.unicodeScalars.firstIndex(of: "="), equals > part.startIndex, pairs.count < maximum
            else {
                return nil
            }
            let name = part[..<equals].trimming()
            let value = part[part.unicodeScalars.index(after: equals)...].trimming()
            guard !name.isEmpty, let decoded = value.removingPercentEncoding,
                let key = name.removingPercentEncoding
            else { return nil }
            pairs.append((key, decoded))
        }
        return pairs
    }
}
