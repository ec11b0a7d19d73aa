#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainGzip
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("The variables of OpenTelemetry")
struct OTLPEnvironmentTests {
    @Test("Without a variable logs go to this machine, in protocol buffers and uncompressed")
    func defaults() {
        let environment = OTLPEnvironment(for: .logs, in: [:])
        #expect(environment.url == "http://localhost:4318/v1/logs")
        #expect(environment.headers.isEmpty)
        #expect(environment.encoding == .protobuf && !environment.compresses && !environment.isDisabled)
        #expect(environment.timeout == .seconds(10))
        #expect(environment.resource == LogResource(serviceName: "unknown_service"))
        #expect(environment.problems == [])
        #expect(OTLPEnvironment(for: .traces, in: [:]).url == "http://localhost:4318/v1/traces")
        var settings = LogShipper.Settings.standard
        settings.exportTimeout = .seconds(10)
        #expect(environment.settings() == settings)
    }

    static let endpoints: [(variables: [String: String], url: String, problems: Int)] = [
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example"], "https://c.example/v1/logs", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example/otlp/"], "https://c.example/otlp/v1/logs", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example/otlp?x=1"], "https://c.example/otlp/v1/logs?x=1", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example?x=1/"], "https://c.example/v1/logs?x=1/", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example//?x=/"], "https://c.example/v1/logs?x=/", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example/a#b"], "https://c.example/a/v1/logs#b", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example/v1/logs?x=1"], "https://c.example/v1/logs?x=1", 0),
        (["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "https://l.example/in?x=1"], "https://l.example/in?x=1", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": " "], "http://localhost:4318/v1/logs", 0),
        (["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "https://l.example/in"], "https://l.example/in", 0),
        (
            [
                "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "https://l.example",
                "OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example",
            ],
            "https://l.example", 0
        ),
        (["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://t.example"], "http://localhost:4318/v1/logs", 0),
        (["OTEL_EXPORTER_OTLP_ENDPOINT": "c.example:4317"], "http://localhost:4318/v1/logs", 1),
        (
            ["OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "x", "OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example"],
            "https://c.example/v1/logs", 1
        ),
    ]

    @Test("The endpoint of the signal is taken as it is, the general one gets the signal's path", arguments: endpoints)
    func endpoint(variables: [String: String], url: String, problems: Int) {
        let environment = OTLPEnvironment(for: .logs, in: variables)
        #expect(environment.url == url)
        #expect(environment.problems.count == problems)
    }

    @Test(
        "The path of a receiver goes before the query of its URL",
        arguments: [
            ("https://h", "https://h/P"), ("https://h/", "https://h/P"), ("https://h/a", "https://h/a/P"),
            ("https://h/a?x=1", "https://h/a/P?x=1"), ("https://h/a/?x=/P", "https://h/a/P?x=/P"),
            ("https://h?x=1", "https://h/P?x=1"), ("https://h/a/P?x=1", "https://h/a/P?x=1"),
            ("https://h/a/P/?x=1", "https://h/a/P?x=1"), ("https://h/a#f?x", "https://h/a/P#f?x"),
            ("https://h/a?", "https://h/a/P?"),
        ]
    )
    func receivers(endpoint: String, url: String) {
        let formats: [(BuiltInWireFormat, String)] = [
            (.otlp, "/v1/logs"), (.otlpTraces(), "/v1/traces"), (.loki, "/loki/api/v1/push"),
        ]
        for (format, path) in formats {
            let made = format.url(endpoint: endpoint.replacing("/P", with: path))
            #expect(made == url.replacing("/P", with: path))
        }
    }

    @Test("Fields are decoded and marked as secrets; those that HTTP cannot send are named without their values")
    func headers() {
        let environment = OTLPEnvironment(
            for: .logs,
            in: [
                "OTEL_EXPORTER_OTLP_HEADERS":
                    " api-key = a%20b ,Authorization=Basic%20Zm9v,bad name=geheim,x=%0Ageheim,"
            ]
        )
        #expect(environment.headers.map(\.value) == ["a b", "Basic Zm9v"])
        #expect(environment.headers.allSatisfy { $0.indexingStrategy == .disallow })
        #expect(environment.problems.count == 2)
        #expect(!environment.problems.joined().contains("geheim"))
        let own = [
            "OTEL_EXPORTER_OTLP_HEADERS": "a=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "b=2",
        ]
        #expect(OTLPEnvironment(for: .traces, in: own).headers.map(\.name.canonicalName) == ["b"])
        let malformed = OTLPEnvironment(for: .logs, in: ["OTEL_EXPORTER_OTLP_HEADERS": "geheim"])
        #expect(malformed.headers.isEmpty)
        #expect(malformed.problems.count == 1)
        #expect(!malformed.problems.joined().contains("geheim"))
    }

    @Test(
        "A malformed field is left out and reported by its name or number, without its value; the others are kept",
        arguments: [
            ("geheim", "number 2"), ("=geheim", "number 2"), ("x=%geheim", "x"), ("x=%0Ageheim", "x"),
            ("X geheim=1", "number 2"), ("Authorization: Bearer geheim=", "number 2"), ("%FFgeheim=1", "number 2"),
            (":geheim=1", "number 2"),
        ]
    )
    func malformedHeaders(field: String, shown: String) throws {
        let text = "api-key=a%20b,\(field),Authorization=Basic%20Zm9v"
        let environment = OTLPEnvironment(for: .logs, in: ["OTEL_EXPORTER_OTLP_HEADERS": text])
        #expect(environment.headers.map(\.name.canonicalName) == ["api-key", "authorization"])
        #expect(environment.headers.map(\.value) == ["a b", "Basic Zm9v"])
        let problem = try #require(environment.problems.first)
        #expect(environment.problems.count == 1)
        #expect(problem.hasPrefix("OTEL_EXPORTER_OTLP_HEADERS has ") && problem.contains(shown))
        #expect(!problem.contains("geheim"))
    }

    @Test("Of too many fields the first are kept, and one problem says so")
    func manyHeaders() {
        let text = (0..<100_000).map { "x-\($0)=1" }.joined(separator: ",")
        let environment = OTLPEnvironment(for: .logs, in: ["OTEL_EXPORTER_OTLP_HEADERS": text])
        #expect(environment.headers.count == 128)
        #expect(environment.problems.count == 1)
    }

    @Test("Protocol, compression, timeout and bounds are read, and what makes no sense is a problem")
    func values() {
        let environment = OTLPEnvironment(
            for: .logs,
            in: [
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL": "http/json",
                "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_TIMEOUT": "2500",
                "OTEL_BLRP_MAX_QUEUE_SIZE": "100", "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE": "10",
                "OTEL_BLRP_SCHEDULE_DELAY": "250", "OTEL_BSP_MAX_QUEUE_SIZE": "7", "OTEL_SDK_DISABLED": "TRUE",
            ]
        )
        #expect(environment.encoding == .json && environment.compresses && environment.isDisabled)
        let settings = environment.settings()
        #expect(settings.exportTimeout == .milliseconds(2500) && settings.batchAge == .milliseconds(250))
        #expect(settings.queueRecords == 100 && settings.batchRecords == 10)
        #expect(environment.problems == [])
        let wrong = OTLPEnvironment(
            for: .traces,
            in: [
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd",
                "OTEL_EXPORTER_OTLP_TIMEOUT": "soon", "OTEL_BSP_MAX_QUEUE_SIZE": "0", "OTEL_SDK_DISABLED": "1",
            ]
        )
        #expect(wrong.encoding == .protobuf && !wrong.compresses && !wrong.isDisabled)
        #expect(wrong.timeout == .seconds(10))
        #expect(wrong.settings().queueRecords == LogShipper.Settings.standard.queueRecords)
        #expect(wrong.problems.count == 5)
        #expect(OTLPEnvironment(for: .logs, in: ["OTEL_EXPORTER_OTLP_TIMEOUT": "0"]).timeout == .seconds(3600))
        let longest = OTLPEnvironment(for: .logs, in: ["OTEL_EXPORTER_OTLP_TIMEOUT": "1099511627776"])
        #expect(longest.timeout == .milliseconds(1 << 40 as Int64) && longest.problems.isEmpty)
        let tooLong = OTLPEnvironment(for: .logs, in: ["OTEL_EXPORTER_OTLP_TIMEOUT": "1099511627777"])
        #expect(tooLong.timeout == .seconds(10) && tooLong.problems.count == 1)
    }

    @Test(
        "Telemetry is disabled by true alone, in any case, and what is neither true nor false is a problem",
        arguments: [
            ("true", true, 0), ("True", true, 0), ("false", false, 0), ("FALSE", false, 0), ("", false, 0),
            ("1", false, 1), ("yes", false, 1),
        ]
    )
    func disabled(text: String, isDisabled: Bool, problems: Int) {
        let environment = OTLPEnvironment(for: .logs, in: ["OTEL_SDK_DISABLED": text])
        #expect(environment.isDisabled == isDisabled)
        #expect(environment.problems.count == problems)
        #expect(environment.problems.allSatisfy { $0.hasPrefix("OTEL_SDK_DISABLED is neither true nor false") })
    }

    @Test("A variable of the exporter that has no effect is a problem; those of other signals are not")
    func unsupported() {
        let environment = OTLPEnvironment(
            for: .logs,
            in: [
                "OTEL_EXPORTER_OTLP_CERTIFICATE": "/geheim.pem", "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY": "/geheim.key",
                "OTEL_EXPORTER_OTLP_INSECURE": "", "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE": "/t.pem",
                "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": "delta", "OTEL_EXPORTER_OTLP_TIMEOUT": "1",
                "OTEL_EXPORTER_ZIPKIN_ENDPOINT": "http://z.example",
            ]
        )
        #expect(
            environment.problems == [
                "OTEL_EXPORTER_OTLP_CERTIFICATE is not supported and has no effect",
                "OTEL_EXPORTER_OTLP_LOGS_CLIENT_KEY is not supported and has no effect",
            ]
        )
    }

    static let resources: [(variables: [String: String], resource: LogResource, problems: Int)] = [
        (["OTEL_SERVICE_NAME": "shop"], LogResource(serviceName: "shop"), 0),
        (
            ["OTEL_RESOURCE_ATTRIBUTES": "service.name=a,service.version=1.2,host.name=h%2C1, region = eu "],
            LogResource(serviceName: "a", serviceVersion: "1.2", attributes: ["host.name": "h,1", "region": "eu"]), 0
        ),
        (
            ["OTEL_RESOURCE_ATTRIBUTES": "service.name=a,n=1", "OTEL_SERVICE_NAME": "b"],
            LogResource(serviceName: "b", attributes: ["n": "1"]), 0
        ),
        (["OTEL_RESOURCE_ATTRIBUTES": "a=1,broken"], LogResource(serviceName: "unknown_service"), 1),
        (["OTEL_RESOURCE_ATTRIBUTES": "a=%FF"], LogResource(serviceName: "unknown_service"), 1),
    ]

    @Test(
        "Who sends is the service's name and the attributes, of which a malformed list is not used",
        arguments: resources
    )
    func resource(variables: [String: String], resource: LogResource, problems: Int) {
        let environment = OTLPEnvironment(for: .logs, in: variables)
        #expect(environment.resource == resource)
        #expect(environment.problems.count == problems)
    }

    @Test("A shipper made of it sends what and where the variables say", .timeLimit(.minutes(10)))
    func shipper() async throws {
        let environment = OTLPEnvironment(
            for: .logs,
            in: [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "https://c.example", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=s3cret",
                "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_SERVICE_NAME": "shop",
            ]
        )
        let transport = InMemoryTransport { _ in Response(.ok) }
        let shipper = LogShipper(
            to: environment.url,
            format: .otlp(environment.encoding),
            resource: environment.resource,
            over: environment.transport(
                over: try Chain(transport: transport) {
                    GzipMiddleware(requests: environment.compresses ? .standard : nil)
                }
            ),
            settings: environment.settings()
        )
        for number in 0..<50 { shipper.log(logRecord(.info, "shop", "message \(number)")) }
        try await shipper.shutdown()
        let request = try #require(transport.requests.first)
        #expect(request.url == "https://c.example/v1/logs")
        #expect(request.headers[.contentType] == "application/x-protobuf")
        #expect(request.headers[.contentEncoding] == "gzip")
        #expect(request.headers[try #require(HTTPField.Name("api-key"))] == "s3cret")
    }
}
#endif
