#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("Logs as newline-delimited JSON", .seeded)
struct NDJSONTests {
    @Test("A record is an object on a line")
    func lines() throws {
        let resource = LogResource(serviceName: "shop", serviceVersion: "1.2", attributes: ["host.name": "a"])
        let records = [
            logRecord(at: 784_111_777.25, .notice, "cart", "two\nlines", ["b": 1, "a": ["x"], "n": .number(.nan)]),
            logRecord(at: 784_111_778, .info, "mail", "Sent"),
        ]
        #expect(
            try logText(.ndjson, records, of: resource) == #"""
                {"time":"1994-11-06T08:49:37.250000Z","level":"notice","component":"cart","message":"two\nlines",\#
                "attributes":{"b":1,"a":["x"],"n":null},\#
                "resource":{"host.name":"a","service.name":"shop","service.version":"1.2"}}
                {"time":"1994-11-06T08:49:38.000000Z","level":"info","component":"mail","message":"Sent",\#
                "resource":{"host.name":"a","service.name":"shop","service.version":"1.2"}}

                """#
        )
    }

    @Test("Attributes may be members of the object itself")
    func flat() throws {
        let content = try logText(
            BuiltInWireFormat.ndjson(flat: true),
            [logRecord(at: 0, .error, "a", "m", ["b": 1, "level": "high", "service.name": "x", "c": ["d": nil]])],
            of: LogResource(serviceName: "shop", attributes: ["time": 1])
        )
        #expect(
            content == #"""
                {"time":"1970-01-01T00:00:00.000000Z","level":"error","component":"a","message":"m","b":1,\#
                "attributes.level":"high","attributes.service.name":"x","c":{"d":null},\#
                "service.name":"shop","attributes.time":1}

                """#
        )
    }

    @Test("A batch of nothing is nothing")
    func empty() throws {
        #expect(try logText(.ndjson, []) == "")
    }

    @Test("The content type is that of newline-delimited JSON")
    func contentType() {
        #expect(BuiltInWireFormat.ndjson().contentType == "application/x-ndjson")
    }

    @Test(
        "The status alone says what became of the batch",
        arguments: [(200, .accepted()), (503, .later), (400, .refused("the receiver responded with 400"))]
            as [(Int, LogReceipt)]
    )
    func receipts(status: Int, expected: LogReceipt) {
        let head = HTTPResponse(status: .init(code: status))
        #expect(BuiltInWireFormat.ndjson().receipt(for: head, body: Data("{}".utf8)) == expected)
    }

    @Test(
        "Everything is read back by Foundation as it was",
        arguments: [9, 10] as [UInt64],
        [false, true]
    )
    func random(seed: UInt64, isFlat: Bool) throws {
        let batch = RandomLogs(seed: seed).batch(of: 300)
        let content = try BuiltInWireFormat.ndjson(flat: isFlat).encode(batch)
        let lines = content.split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == batch.records.count)
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        for (line, record) in zip(lines, batch.records) {
            let object = try JSONDecoder().decode(JSONValue.self, from: line)
            let date = try #require(formatter.date(from: object["time"]?.string ?? ""))
            #expect(abs(date.timeIntervalSince(record.date)) < 0.001)
            #expect(object["level"]?.string == "\(record.level)")
            #expect(JSONValue.string(record.component).isWritten(as: object["component"] ?? nil))
            #expect(JSONValue.string(record.message).isWritten(as: object["message"] ?? nil))
            for attribute in record.attributes {
                let value = isFlat ? object[attribute.name] : object["attributes"]?[attribute.name]
                #expect(attribute.value.isWritten(as: try #require(value)))
            }
        }
    }
}
#endif
