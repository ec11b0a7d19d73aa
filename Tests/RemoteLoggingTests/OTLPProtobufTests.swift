#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("Logs as OTLP in protocol buffers", .seeded)
struct OTLPProtobufTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    /// The fields of a message, in order.
    private func fields(_ content: Data) throws -> [(number: Int, value: ProtobufReader.Value)] {
        var reader = ProtobufReader(content)
        var fields: [(number: Int, value: ProtobufReader.Value)] = []
        while let field = try reader.next() { fields.append(field) }
        return fields
    }

    /// The message that is the first value of a field.
    private func message(_ number: Int, in content: Data) throws -> Data {
        try #require(try fields(content).first { $0.number == number }?.value.data)
    }

    @Test("A record is its fields by their numbers, in little endian and in as few bytes as they take")
    func record() throws {
        let batch = LogBatch(
            resource: LogResource(serviceName: "shop"),
            records: [
                logRecord(at: 1, .error, "cart", "No", ["a": -1, "trace_id": .string(Self.trace), "trace_flags": "01"])
            ]
        )
        let resourceLogs = try message(1, in: BuiltInWireFormat.otlp(.protobuf).encode(batch))
        let record = try message(2, in: message(2, in: resourceLogs))
        let time = [UInt8](withUnsafeBytes(of: UInt64(1_000_000_000).littleEndian) { Array($0) })
        var expected: [UInt8] = [0x09] + time + [0x59] + time
        expected += [0x10, 17, 0x1A, 5] + "error".utf8
        expected += [0x2A, 4, 0x0A, 2] + "No".utf8
        expected += [0x32, 16, 0x0A, 1] + "a".utf8
        expected += [0x12, 11, 0x18, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
        expected += [0x4A, 16, 0x4B, 0xF9, 0x2F, 0x35, 0x77, 0xB3, 0x4D, 0xA6]
        expected += [0xA3, 0xCE, 0x92, 0x9D, 0x0E, 0x0E, 0x47, 0x36]
        expected += [0x45, 1, 0, 0, 0]
        #expect([UInt8](record) == expected)
    }

    @Test("Whatever messages are written are read as they were, nested and of any length, to the last byte")
    func roundTrip() throws {
        let messages = RandomMessages()
        for _ in 0..<2000 {
            let message = messages.message()
            let content = RandomMessages.content(of: message)
            #expect(try RandomMessages.isRead(content, as: message), "\(message)")
            #expect(try RandomMessages.isRead((Data([0]) + content).dropFirst(), as: message), "\(message)")
            // Without its last byte, the last field is not there.
            guard !content.isEmpty else { continue }
            let cut = try? RandomMessages.isRead(content.dropLast(), as: message)
            #expect(cut != true, "\(message)")
        }
    }

    @Test("A batch in protocol buffers is shorter than in JSON")
    func length() throws {
        let batch = RandomLogs(seed: 9).batch(of: 100)
        let json = try BuiltInWireFormat.otlp().encode(batch)
        let protobuf = try BuiltInWireFormat.otlp(.protobuf).encode(batch)
        #expect(protobuf.count * 3 < json.count * 2, "\(protobuf.count) \(json.count)")
    }

    @Test("Lengths of one, two and three bytes are read back", arguments: [0, 127, 128, 16_383, 16_384, 100_000])
    func lengths(count: Int) throws {
        let text = String(repeating: "x", count: count)
        let batch = LogBatch(resource: LogResource(serviceName: "s"), records: [logRecord(.info, "c", text)])
        let resourceLogs = try message(1, in: BuiltInWireFormat.otlp(.protobuf).encode(batch))
        let body = try message(5, in: message(2, in: message(2, in: resourceLogs)))
        #expect(try fields(body).map(\.value) == [.bytes(Data(text.utf8))])
    }

    /// An `ExportLogsServiceResponse`.
    private static func response(_ partial: [UInt8]) -> [UInt8] { [0x0A, UInt8(partial.count)] + partial }

    @Test(
        "An answer in protocol buffers says what became of the batch",
        arguments: [
            (200, [], .accepted()), (200, response([]), .accepted()),
            (200, response([0x08, 3, 0x12, 4] + "old\n".utf8), .accepted(rejected: 3, message: "old")),
            (200, response([0x12, 4] + "slow".utf8), .accepted(message: "slow")),
            (200, response([0x12, 9] + "a\u{1B}[2J\0\u{7F}\u{7}b".utf8), .accepted(message: "a [2J b")),
            (
                200, response([0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
                .accepted()
            ),
            (200, [0x0A, 200, 1, 2], .accepted()), (200, [0xFF], .accepted()), (200, [0x0B], .accepted()),
            (200, Array("{}".utf8), .accepted()), (503, [], .later),
            (400, [0x08, 3, 0x12, 7] + "no logs".utf8, .refused("the receiver responded with 400: no logs")),
            (400, [0x12, 2, 0xFF, 0xFE], .refused("the receiver responded with 400")),
        ] as [(Int, [UInt8], LogReceipt)]
    )
    func receipts(status: Int, body: [UInt8], expected: LogReceipt) {
        let head = HTTPResponse(
            status: .init(code: status),
            headerFields: [.contentType: "application/x-protobuf"]
        )
        for encoding in OTLPEncoding.allCases {
            #expect(BuiltInWireFormat.otlp(encoding).receipt(for: head, body: Data(body)) == expected)
        }
    }

    @Test("An answer without a type is read as the request was written, one with a type by that")
    func answerType() {
        let format = BuiltInWireFormat.otlp(.protobuf)
        let bytes = Data(Self.response([0x08, 2]))
        #expect(format.receipt(for: HTTPResponse(status: .ok), body: bytes) == .accepted(rejected: 2))
        #expect(BuiltInWireFormat.otlp().receipt(for: HTTPResponse(status: .ok), body: bytes) == .accepted())
        let json = HTTPResponse(status: .ok, headerFields: [.contentType: "Application/JSON; charset=utf-8"])
        let text = Data(#"{"partialSuccess":{"rejectedLogRecords":"5"}}"#.utf8)
        #expect(format.receipt(for: json, body: text) == .accepted(rejected: 5))
    }

    @Test(
        "What is no message is an error and never a trap, cut off or changed anywhere",
        arguments: [1, 2] as [UInt64]
    )
    func damage(seed: UInt64) throws {
        let random = Seed.numbers(seed)
        let content = try BuiltInWireFormat.otlp(.protobuf).encode(RandomLogs(seed: seed).batch(of: 3))
        for end in 0..<content.count { read(content.prefix(end), depth: 0) }
        for _ in 0..<2000 {
            var changed = content
            changed[Int(random.next() % UInt64(changed.count))] = UInt8(truncatingIfNeeded: random.next())
            read(changed, depth: 0)
        }
        #expect(throws: ProtobufReader.Malformed.self) { try fields(Data(content.prefix(content.count - 1))) }
    }

    /// Reads everything that may be a message as one.
    private func read(_ content: Data, depth: Int) {
        var reader = ProtobufReader(content)
        while depth < 12, let field = try? reader.next() {
            if let data = field.value.data { read(data, depth: depth + 1) }
        }
    }
}
#endif
