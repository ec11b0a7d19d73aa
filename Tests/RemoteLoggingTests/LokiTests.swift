#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("Logs as Loki takes them", .seeded)
struct LokiTests {
    @Test("A batch is streams by component and level, each in order of time")
    func streams() throws {
        let records = [
            logRecord(at: 2, .info, "cart", "second"),
            logRecord(at: 1, .error, "cart", "failed", ["error.type": "Full"]),
            logRecord(at: 1, .info, "cart", "first"), logRecord(at: 3, .info, "mail", "sent"),
        ]
        #expect(
            try logText(.loki, records) == #"{"streams":["#
                + #"{"stream":{"level":"info","component":"cart","service_name":"shop"},"#
                + #""values":[["1000000000","first"],["2000000000","second"]]},"#
                + #"{"stream":{"level":"error","component":"cart","service_name":"shop"},"#
                + #""values":[["1000000000","failed",{"error_type":"Full"}]]},"#
                + #"{"stream":{"level":"info","component":"mail","service_name":"shop"},"#
                + #""values":[["3000000000","sent"]]}]}"#
        )
    }

    @Test("Attributes of the resource are labels where they were chosen, else metadata of every entry")
    func resource() throws {
        let resource = LogResource(
            serviceName: "shop",
            serviceVersion: "1.2",
            attributes: ["deployment.environment.name": "test", "region": "eu", "host.name": "a", "empty": ""]
        )
        let standard = try stream(logText(.loki, [logRecord()], of: resource))
        #expect(
            standard.labels == [
                "level": "info", "component": "shop", "service_name": "shop", "deployment_environment_name": "test",
            ]
        )
        #expect(
            standard.entries[0][2] == ["service_version": "1.2", "region": "eu", "host_name": "a", "empty": ""]
        )
        let chosen = try stream(
            logText(.loki(labels: ["region", "empty", "none"]), [logRecord()], of: resource)
        )
        #expect(chosen.labels == ["level": "info", "component": "shop", "service_name": "shop", "region": "eu"])
        #expect(chosen.entries[0][2]?["deployment_environment_name"] == "test")
    }

    @Test("A record's attribute is never a label")
    func noLabel() throws {
        let format = BuiltInWireFormat.loki(labels: ["region"])
        let stream = try stream(logText(format, [logRecord(.info, "a", "m", ["region": "eu", "level": "x"])]))
        #expect(stream.labels == ["level": "info", "component": "a", "service_name": "shop"])
        #expect(stream.entries[0][2] == ["region": "eu", "level": "x"])
    }

    @Test("A label of the resource does not stand in the place of the level")
    func reserved() throws {
        let resource = LogResource(serviceName: "shop", attributes: ["level": "high", "component": "x"])
        let stream = try stream(
            logText(.loki(labels: ["level", "component"]), [logRecord(.error)], of: resource)
        )
        #expect(stream.labels == ["level": "error", "component": "shop", "service_name": "shop"])
        #expect(stream.entries[0][2] == ["level": "high", "component": "x"])
    }

    @Test(
        "Names are made fit for LogQL",
        arguments: [
            ("http.request.method", "http_request_method"), ("plain_1", "plain_1"), ("1st", "key_1st"),
            ("_meta", "key_meta"), ("__name__", "key__name__"), ("", "key_"), ("-", "key_"), ("größe", "gr__e"),
            ("日本", "key__"), ("a b\"c", "a_b_c"), ("A:b", "A_b"),
        ]
    )
    func names(name: String, expected: String) throws {
        let stream = try stream(logText(.loki, [logRecord(.info, "a", "m", [name: "v"])]))
        #expect(stream.entries[0][2] == [expected: "v"])
    }

    @Test("A name that is taken gets a number")
    func taken() throws {
        let resource = LogResource(serviceName: "shop", attributes: ["a-b": "resource"])
        let attributes: LogAttributes = ["a.b": 1, "a_b": 2, "a_b_2": 3]
        let stream = try stream(logText(.loki, [logRecord(.info, "a", "m", attributes)], of: resource))
        #expect(stream.entries[0][2] == ["a_b": "resource", "a_b_2": "1", "a_b_3": "2", "a_b_2_2": "3"])
    }

    @Test(
        "Metadata are strings",
        arguments: [
            ("x\"\n", "x\"\n"), (true, "true"), (-7, "-7"), (0.5, "0.5"),
            (.decimal(Decimal(UInt64.max)), "18446744073709551615"), (.number(.nan), "NaN"),
            (.number(.infinity), "Infinity"), ([1, "a"], #"[1,"a"]"#), (["a": nil], #"{"a":null}"#), (nil, nil),
        ] as [(JSONValue, JSONValue?)]
    )
    func metadata(value: JSONValue, expected: JSONValue?) throws {
        let stream = try stream(logText(.loki, [logRecord(.info, "a", "m", ["v": value])]))
        #expect(stream.entries[0][2]?["v"] == expected)
    }

    @Test("Entries of the same time stay in their order, one nanosecond after another")
    func sameTime() throws {
        let records = [
            logRecord(at: 1), logRecord(at: 1), logRecord(at: 0.5), logRecord(at: 1.000_000_001), logRecord(at: 1),
        ]
        let times = try stream(logText(.loki, records)).entries.map { $0[0]?.string ?? "" }
        #expect(Set(times).count == 5)
        #expect(times.map { UInt64($0) ?? 0 } == times.map { UInt64($0) ?? 0 }.sorted())
        #expect(times[0] == "500000000")
        #expect(times[1] == "1000000000")
    }

    @Test(
        "The line is the message, pairs or an object",
        arguments: [
            (.message, "Hello, \"you\"", ["a": "x", "b_c": "2", "n": "[1]", "host_name": "h"]),
            (.logfmt, #"msg="Hello, \"you\"" a=x b.c=2 n=[1] host.name=h"#, nil),
            (.json, #"{"message":"Hello, \"you\"","a":"x","b.c":2,"n":[1],"z":null,"host.name":"h"}"#, nil),
        ] as [(BuiltInWireFormat.LokiLine, String, JSONValue?)]
    )
    func lines(line: BuiltInWireFormat.LokiLine, expected: String, metadata: JSONValue?) throws {
        let resource = LogResource(serviceName: "shop", attributes: ["host.name": "h"])
        let attributes: LogAttributes = ["a": "x", "b.c": 2, "n": [1], "z": nil]
        let record = logRecord(.info, "a", "Hello, \"you\"", attributes)
        let stream = try stream(logText(.loki(line: line), [record], of: resource))
        #expect(stream.entries[0][1]?.string == expected)
        #expect(stream.entries[0][2] == metadata)
    }

    @Test(
        "A value of logfmt stands in quotes where it could be read as something else",
        arguments: [
            ("plain", "plain"), ("", #""""#), ("a b", #""a b""#), ("a=b", #""a=b""#), ("\"", #""\"""#),
            ("\n", #""\n""#),
            ("ü", "ü"), ("\\", #""\\""#), ("\u{7F}", "\"\u{7F}\""),
        ]
    )
    func logfmt(value: String, expected: String) throws {
        let attributes: LogAttributes = ["k =\"": .string(value), "msg": 1]
        let stream = try stream(logText(.loki(line: .logfmt), [logRecord(.info, "a", "m", attributes)]))
        #expect(stream.entries[0][1]?.string == "msg=m k___=\(expected) attributes.msg=1")
    }

    @Test("An attribute does not stand in the place of an object's message")
    func message() throws {
        let stream = try stream(logText(.loki(line: .json), [logRecord(.info, "a", "m", ["message": "other"])]))
        #expect(stream.entries[0][1]?.string == #"{"message":"m","attributes.message":"other"}"#)
    }

    @Test("What is over Loki's limits is cut off, for one entry would have the whole batch refused")
    func limits() throws {
        let long = String(repeating: "ü", count: 200_000)
        var many: LogAttributes = ["long": .string(long), "after": .string(long)]
        for number in 0..<200 { many["n\(number)"] = .integer(Int64(number)) }
        let first = try stream(logText(.loki, [logRecord(.info, long, long, many)]))
        #expect(first.entries[0][1]?.string?.utf8.count == 256 << 10)
        let metadata = try #require(first.entries[0][2]?.object)
        #expect(metadata.reduce(0) { $0 + $1.key.utf8.count + ($1.value.string?.utf8.count ?? 0) } <= 64 << 10)
        #expect(try #require(first.labels["component"]?.string?.utf8.count) <= 2048)
        many = [:]
        for number in 0..<200 { many["n\(number)"] = .integer(Int64(number)) }
        #expect(try stream(logText(.loki, [logRecord(.info, "a", "m", many)])).entries[0][2]?.object?.count == 128)
        for line in [BuiltInWireFormat.LokiLine.logfmt, .json] {
            let entry = try stream(logText(.loki(line: line), [logRecord(.info, "a", long, many)])).entries[0]
            #expect(entry[1]?.string?.utf8.count ?? 0 <= 256 << 10)
        }
    }

    @Test("Without a component and a name of the service the level is left")
    func nothing() throws {
        let stream = try stream(logText(.loki, [logRecord(.info, "")], of: LogResource(serviceName: "")))
        #expect(stream.labels == ["level": "info"])
    }

    @Test("The content is JSON, and the path stands once after the receiver's URL")
    func url() {
        #expect(BuiltInWireFormat.loki().contentType == "application/json")
        #expect(BuiltInWireFormat.loki.url(endpoint: "http://a:3100/") == "http://a:3100/loki/api/v1/push")
        #expect(BuiltInWireFormat.loki.url(endpoint: "http://a/loki/api/v1/push") == "http://a/loki/api/v1/push")
    }

    @Test(
        "An answer says what became of the batch",
        arguments: [
            (204, "", .accepted()), (200, "x", .accepted()), (429, "", .later), (500, "", .later), (503, "", .later),
            (599, "", .later), (260, "blocked until 1", .refused("ingestion is blocked: blocked until 1")),
            (400, "entry too\n far behind", .refused("the receiver responded with 400: entry too far behind")),
            (404, "", .refused("the receiver responded with 404")), (401, "", .later), (403, "", .later),
            (413, "", .tooLarge),
            (
                400, "entry ignored, reason: 'too far behind',\ntotal ignored: 2 out of 10 for stream: {}",
                .accepted(
                    rejected: 2,
                    message: "entry ignored, reason: 'too far behind', total ignored: 2 out of 10 for stream: {}"
                )
            ),
            (
                400, "total ignored: 1 out of 4 for stream: {a}; total ignored: 3 out of 3 for stream: {b}",
                .accepted(
                    rejected: 4,
                    message: "total ignored: 1 out of 4 for stream: {a}; total ignored: 3 out of 3 for stream: {b}"
                )
            ),
            (
                400, "total ignored: 9 out of 3 for stream: {}",
                .refused("the receiver responded with 400: total ignored: 9 out of 3 for stream: {}")
            ),
        ] as [(Int, String, LogReceipt)]
    )
    func receipts(status: Int, body: String, expected: LogReceipt) {
        let head = HTTPResponse(status: .init(code: status))
        #expect(BuiltInWireFormat.loki.receipt(for: head, body: Data(body.utf8)) == expected)
    }

    @Test("Every line and metadata value is read back by Foundation as it was", arguments: [7, 8] as [UInt64])
    func random(seed: UInt64) throws {
        let batch = RandomLogs(seed: seed).batch(of: 300)
        for line in [BuiltInWireFormat.LokiLine.message, .logfmt, .json] {
            let format = BuiltInWireFormat.loki(line: line)
            let content = try JSONDecoder().decode(JSONValue.self, from: format.encode(batch))
            let entries = (content["streams"]?.array ?? []).flatMap { $0["values"]?.array ?? [] }
            #expect(entries.count == batch.records.count)
            for entry in entries {
                let text = try #require(entry[1]?.string)
                let fits = batch.records.contains { record in
                    switch line {
                    case .message: record.message.utf8.elementsEqual(text.utf8)
                    case .logfmt: text.hasPrefix("msg=")
                    case .json: true
                    }
                }
                #expect(fits)
                if line == .json { #expect(try parsedJSON(text)["message"]?.string != nil) }
            }
        }
    }

    private func stream(_ content: String) throws -> (labels: JSONValue, entries: [JSONValue]) {
        let stream = try #require(try parsedJSON(content)["streams"]?[0])
        return (try #require(stream["stream"]), try #require(stream["values"]?.array))
    }
}
#endif
