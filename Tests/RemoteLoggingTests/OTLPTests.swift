#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("Logs as OTLP", .seeded)
struct OTLPTests {
    @Test("A batch is an ExportLogsServiceRequest, a scope for each component")
    func batch() throws {
        let resource = LogResource(serviceName: "shop", serviceVersion: "1.2", attributes: ["host.name": "a", "n": 1])
        let content = try logText(
            .otlp,
            [
                logRecord(at: 1.5, .error, "cart", "No \"room\"", ["error.type": "Full"]),
                logRecord(at: 2, .info, "mail", "Sent"),
                logRecord(at: 3, .debug, "cart", ""),
            ],
            of: resource
        )
        func attribute(_ name: String, _ value: String) -> String {
            #"{"key":"\#(name)","value":{"stringValue":"\#(value)"}}"#
        }
        func times(_ time: String) -> String { #""timeUnixNano":"\#(time)","observedTimeUnixNano":"\#(time)""# }
        let resourceAttributes: [String] = [
            attribute("service.name", "shop"), attribute("service.version", "1.2"), attribute("host.name", "a"),
            #"{"key":"n","value":{"intValue":"1"}}"#, attribute("telemetry.sdk.name", "HTTPChain"),
            attribute("telemetry.sdk.language", "swift"), attribute("telemetry.sdk.version", "0.1.0"),
        ]
        let cart: [String] = [
            "{" + times("1500000000") + #","severityNumber":17,"severityText":"error","#
                + #""body":{"stringValue":"No \"room\""},"attributes":["# + attribute("error.type", "Full") + "]}",
            "{" + times("3000000000") + #","severityNumber":5,"severityText":"debug","body":{"stringValue":""}}"#,
        ]
        let mail =
            "{" + times("2000000000") + #","severityNumber":9,"severityText":"info","body":{"stringValue":"Sent"}}"#
        let expected: [String] = [
            #"{"resourceLogs":[{"resource":{"attributes":["#, resourceAttributes.joined(separator: ","),
            #"]},"scopeLogs":[{"scope":{"name":"cart"},"logRecords":["#, cart.joined(separator: ","),
            #"]},{"scope":{"name":"mail"},"logRecords":["#, mail,
            #"]}],"schemaUrl":"https://opentelemetry.io/schemas/1.44.0"}]}"#,
        ]
        #expect(content == expected.joined())
    }

    @Test(
        "Levels are severities of the log data model",
        arguments: [
            (.trace, 1), (.debug, 5), (.info, 9), (.notice, 10), (.warning, 13), (.error, 17), (.critical, 21),
        ] as [(Logger.Level, Int64)]
    )
    func severities(level: Logger.Level, number: Int64) throws {
        let fields = try fields(of: logRecord(level))
        #expect(fields["severityNumber"]?.integer == number)
        #expect(fields["severityText"]?.string == "\(level)")
    }

    @Test(
        "Values keep their kinds",
        arguments: [
            ("x", #"{"stringValue":"x"}"#), (true, #"{"boolValue":true}"#), (7, #"{"intValue":"7"}"#),
            (.integer(.min), #"{"intValue":"-9223372036854775808"}"#), (0.5, #"{"doubleValue":0.5}"#),
            (.decimal(Decimal(UInt64.max)), #"{"stringValue":"18446744073709551615"}"#),
            (.number(2), #"{"doubleValue":2.0}"#), (.number(.nan), #"{"doubleValue":"NaN"}"#),
            (.number(.infinity), #"{"doubleValue":"Infinity"}"#),
            (.number(-.infinity), #"{"doubleValue":"-Infinity"}"#),
            (nil, "{}"), ([], #"{"arrayValue":{"values":[]}}"#),
            (["a", 1, nil], #"{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"1"},{}]}}"#),
            (
                ["b": [:], "a": false],
                #"{"kvlistValue":{"values":[{"key":"a","value":{"boolValue":false}},"#
                    + #"{"key":"b","value":{"kvlistValue":{"values":[]}}}]}}"#
            ),
        ] as [(JSONValue, String)]
    )
    func values(value: JSONValue, expected: String) throws {
        #expect(
            try logText(.otlp, [logRecord(.info, "a", "m", ["v": value])]).contains(
                #"{"key":"v","value":\#(expected)}"#
            )
        )
    }

    @Test("What is nested too deep for the parsers of protocol buffers is left out")
    func depth() throws {
        var value: JSONValue = 1
        for _ in 0..<1000 { value = ["a": value] }
        let content = try logText(.otlp, [logRecord(.info, "a", "m", ["v": value])])
        #expect(content.contains("…"))
        #expect(content.components(separatedBy: "kvlistValue").count == 18)
    }

    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    @Test(
        "The attributes of a trace are the record's fields where they are valid, and attributes where they are not",
        arguments: [
            (["trace_id": .string(trace), "span_id": .string(span), "trace_flags": "01"], [trace, span, "1"], []),
            (["a": 1, "span_id": .string(span), "trace_id": .string(trace)], [trace, span, nil], ["a"]),
            (["trace_id": .string(trace.uppercased())], [trace.uppercased(), nil, nil], []),
            (["trace_id": .string(trace), "span_id": "xyz"], [trace, nil, nil], ["span_id"]),
            (["trace_id": .string(trace), "trace_flags": "1"], [trace, nil, nil], ["trace_flags"]),
            (["trace_id": .string(trace), "trace_flags": "ff"], [trace, nil, "255"], []),
            (["span_id": .string(span), "trace_flags": "01"], [nil, nil, nil], ["span_id", "trace_flags"]),
            (["trace_id": .string(String(repeating: "0", count: 32))], [nil, nil, nil], ["trace_id"]),
            (["trace_id": .string(String(repeating: "g", count: 32))], [nil, nil, nil], ["trace_id"]),
            (["trace_id": .string(trace + "0")], [nil, nil, nil], ["trace_id"]),
            (["trace_id": 17, "traceid_": .string(trace)], [nil, nil, nil], ["trace_id", "traceid_"]),
        ] as [(LogAttributes, [String?], [String])]
    )
    func traces(attributes: LogAttributes, expected: [String?], left: [String]) throws {
        let fields = try fields(of: logRecord(.info, "a", "m", attributes))
        let seen = [fields["traceId"]?.string, fields["spanId"]?.string, fields["flags"]?.integer.map { "\($0)" }]
        #expect(seen == expected)
        #expect(fields["attributes"]?.array?.compactMap { $0["key"]?.string } ?? [] == left)
    }

    private let library = ["telemetry.sdk.name", "telemetry.sdk.language", "telemetry.sdk.version"]

    @Test("The resource names the library that sends, unless it does so itself")
    func sdk() throws {
        #expect(try names(LogResource(serviceName: "shop")) == ["service.name"] + library)
        let own = LogResource(serviceName: "shop", attributes: ["telemetry.sdk.name": "opentelemetry"])
        #expect(try names(own) == ["service.name", "telemetry.sdk.name"])
    }

    @Test(
        "The scopes of this library have its version and the version of the conventions, those of others do not",
        arguments: [("http.client", true), ("http.client.attempt", true), ("HTTPChain.LogShipper", true), ("a", false)]
    )
    func scopes(component: String, isOwn: Bool) throws {
        let content = try parsedJSON(logText(.otlp, [logRecord(.info, component)]))
        let scope = try #require(content["resourceLogs"]?[0]?["scopeLogs"]?[0])
        #expect(scope["scope"]?["name"]?.string == component)
        #expect(scope["scope"]?["version"]?.string == (isOwn ? "0.1.0" : nil))
        #expect(scope["schemaUrl"]?.string == (isOwn ? "https://opentelemetry.io/schemas/1.44.0" : nil))
    }

    @Test("The name and version of the service stand once")
    func service() throws {
        let attributes: LogAttributes = ["service.name": "other", "service.version": "9", "z": 1]
        let named = LogResource(serviceName: "shop", serviceVersion: "1", attributes: attributes)
        #expect(try names(named) == ["service.name", "service.version", "z"] + library)
        #expect(try logText(.otlp, [], of: named).contains("other") == false)
        let unversioned = LogResource(serviceName: "shop", attributes: attributes)
        #expect(
            try logText(.otlp, [], of: unversioned).contains(
                #"{"key":"service.version","value":{"stringValue":"9"}}"#
            )
        )
    }

    @Test("The content is JSON, or protocol buffers where that is wanted")
    func contentType() {
        #expect(BuiltInWireFormat.otlp().contentType == "application/json")
        #expect(BuiltInWireFormat.otlp(.protobuf).contentType == "application/x-protobuf")
    }

    @Test(
        "The path stands once after the receiver's URL",
        arguments: [
            ("http://a:4318", "http://a:4318/v1/logs"), ("http://a:4318/", "http://a:4318/v1/logs"),
            ("https://a/otlp", "https://a/otlp/v1/logs"), ("https://a/v1/logs", "https://a/v1/logs"),
            ("https://a/v1/logs/", "https://a/v1/logs"),
        ]
    )
    func url(endpoint: String, expected: String) {
        #expect(BuiltInWireFormat.otlp.url(endpoint: endpoint) == expected)
    }

    @Test(
        "An answer says what became of the batch",
        arguments: [
            (200, "", .accepted()), (200, "{}", .accepted()), (204, "", .accepted()), (202, "not JSON", .accepted()),
            (200, #"{"partialSuccess":{}}"#, .accepted()), (200, #"{"partialSuccess":null}"#, .accepted()),
            (
                200, #"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too\n old"}}"#,
                .accepted(rejected: 3, message: "too old")
            ),
            (200, #"{"partialSuccess":{"rejectedLogRecords":4}}"#, .accepted(rejected: 4)),
            (200, #"{"partialSuccess":{"errorMessage":"slow down"}}"#, .accepted(message: "slow down")),
            (200, #"{"partialSuccess":{"rejectedLogRecords":"-3"}}"#, .accepted()),
            (200, #"{"partialSuccess":{"rejectedLogRecords":"many"}}"#, .accepted()),
            (200, #"{"partialSuccess":{"rejectedLogRecords":"9223372036854775807"}}"#, .accepted(rejected: .max)),
            (200, #"{"partialSuccess":[1]}"#, .accepted()), (200, "[[[[", .accepted()),
            (429, "", .later), (502, "", .later), (503, #"{"message":"x"}"#, .later), (504, "", .later),
            (400, #"{"code":3,"message":"no logs"}"#, .refused("the receiver responded with 400: no logs")),
            (400, "plain words", .refused("the receiver responded with 400: plain words")),
            (413, "", .tooLarge), (401, "", .later), (403, "", .later),
            (500, "", .refused("the receiver responded with 500")),
            (301, "", .refused("the receiver responded with 301")),
        ] as [(Int, String, LogReceipt)]
    )
    func receipts(status: Int, body: String, expected: LogReceipt) {
        let head = HTTPResponse(status: .init(code: status))
        #expect(BuiltInWireFormat.otlp.receipt(for: head, body: Data(body.utf8)) == expected)
    }

    @Test("What the receiver says is shown without secrets, and not at any length")
    func message() throws {
        let head = HTTPResponse(status: .badRequest)
        let long = #"{"message":"token=abcdef \#(String(repeating: "x ", count: 5000))"}"#
        guard case .refused(let reason) = BuiltInWireFormat.otlp().receipt(for: head, body: Data(long.utf8)) else {
            Issue.record("it was not refused")
            return
        }
        #expect(!reason.contains("abcdef"))
        #expect(reason.count < 600)
        let page = HTTPResponse(status: .badRequest, headerFields: [.contentType: "text/html"])
        #expect(
            BuiltInWireFormat.otlp().receipt(for: page, body: Data("<html>".utf8))
                == .refused("the receiver responded with 400 Bad Request")
        )
    }

    @Test("Everything is read back by Foundation as it was", arguments: [5, 6] as [UInt64])
    func random(seed: UInt64) throws {
        let batch = RandomLogs(seed: seed).batch(of: 300)
        let content = try JSONDecoder().decode(JSONValue.self, from: BuiltInWireFormat.otlp().encode(batch))
        var seen: [String: [JSONValue]] = [:]
        for scope in content["resourceLogs"]?[0]?["scopeLogs"]?.array ?? [] {
            seen[scope["scope"]?["name"]?.string ?? "", default: []] += scope["logRecords"]?.array ?? []
        }
        for (component, records) in Dictionary(grouping: batch.records, by: \.component) {
            let read = try #require(seen[component])
            #expect(read.count == records.count)
            for (record, fields) in zip(records, read) {
                #expect(JSONValue.string(record.message).isWritten(as: fields["body"]?["stringValue"] ?? nil))
                let attributes = fields["attributes"]?.array ?? []
                let meant = record.attributes.filter { attribute in
                    attribute.name == "span_id" ? fields["spanId"] == nil : attribute.name != "trace_id"
                }
                #expect(attributes.count == meant.count)
                for (attribute, pair) in zip(meant, attributes) {
                    #expect(JSONValue.string(attribute.name).isWritten(as: pair["key"] ?? nil))
                    let value = plain(pair["value"] ?? nil)
                    #expect(attribute.value.isWritten(as: value), "\(attribute.value) \(pair)")
                }
            }
        }
    }

    /// The value of an `AnyValue`; numbers that are not finite are null.
    private func plain(_ value: JSONValue) -> JSONValue {
        guard let (kind, content) = value.object?.first else { return nil }
        return switch kind {
        case "intValue": content.string.flatMap { Int64($0) }.map { .integer($0) } ?? nil
        case "doubleValue": content.string == nil ? content : nil
        case "arrayValue": .array(content["values"]?.array?.map(plain) ?? [])
        case "kvlistValue":
            .object(
                Dictionary(
                    content["values"]?.array?.map { ($0["key"]?.string ?? "", plain($0["value"] ?? nil)) } ?? []
                ) { first, _ in first }
            )
        default: content
        }
    }

    private func fields(of record: LogRecord) throws -> JSONValue {
        let content = try parsedJSON(logText(.otlp, [record]))
        return try #require(content["resourceLogs"]?[0]?["scopeLogs"]?[0]?["logRecords"]?[0])
    }

    private func names(_ resource: LogResource) throws -> [String] {
        let content = try parsedJSON(logText(.otlp, [], of: resource))
        return content["resourceLogs"]?[0]?["resource"]?["attributes"]?.array?.compactMap { $0["key"]?.string } ?? []
    }
}
#endif
