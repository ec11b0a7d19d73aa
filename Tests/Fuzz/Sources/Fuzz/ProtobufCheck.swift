import Foundation
import HTTPTypes

@testable import HTTPChainLogShipper

/// The wire format of protocol buffers, and what a receiver of OTLP answers in it.
///
/// What is read is the same when it is written and read again, wherever its bytes lie; what is cut off gives the fields
/// before the cut; a receiver's words are one short line.
func checkProtobuf(_ input: Input) -> Int32 {
    let message = read(input.bytes)
    let written = write(message.fields)
    let again = read(written)
    require(again.isWhole && again.fields == message.fields, "\(message.fields) became \(again.fields)")
    let moved = read((Data([0xFF]) + written + Data([0xFF])).dropFirst().dropLast())
    require(moved == again, "in the middle of other bytes \(again.fields) became \(moved.fields)")
    for end in stride(from: 0, to: written.count, by: 1 + written.count / 50) {
        let part = read(written.prefix(end))
        require(again.fields.starts(with: part.fields), "cut at \(end) \(again.fields) became \(part.fields)")
    }
    checkAnswers(input.bytes)
    return 0
}

private struct Field: Equatable {
    let number: Int
    let value: ProtobufReader.Value
}

/// The fields of a message up to its end, or to what is malformed.
private struct Message: Equatable {
    var fields: [Field] = []
    var isWhole = true
}

private func read(_ bytes: Data) -> Message {
    var reader = ProtobufReader(bytes)
    var message = Message()
    do throws(ProtobufReader.Malformed) {
        while let field = try reader.next() {
            require((1..<(1 << 29)).contains(field.number), "the number \(field.number)")
            message.fields.append(Field(number: field.number, value: field.value))
        }
    } catch {
        message.isWhole = false
    }
    return message
}

private func write(_ fields: [Field]) -> Data {
    var writer = ProtobufWriter()
    write(fields, to: &writer)
    return Data(writer.bytes)
}

/// What is a message itself is written as one, so that lengths come before what is nested.
private func write(_ fields: [Field], to writer: inout ProtobufWriter, depth: Int = 0) {
    for field in fields {
        switch field.value {
        case .varint(let bits): writer.int64("varint", field.number, Int64(bitPattern: bits))
        case .fixed64(let bits): writer.fixed64("fixed64", field.number, bits)
        case .fixed32(let bits): writer.fixed32("fixed32", field.number, bits)
        case .bytes(let data):
            let inner = read(data)
            if depth < 8, inner.isWhole, write(inner.fields) == data {
                writer.message("message", field.number) { write(inner.fields, to: &$0, depth: depth + 1) }
            } else if let text = String(data: data, encoding: .utf8), Data(text.utf8) == data {
                writer.string("text", field.number, text)
            } else {
                let digits = data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                writer.identifier("bytes", field.number, digits)
            }
        }
    }
}

private func checkAnswers(_ body: Data) {
    for status in [200, 400, 503] {
        let head = HTTPResponse(status: .init(code: status))
        for format in [BuiltInWireFormat.otlp(.protobuf), .otlpTraces(.protobuf)] {
            switch format.receipt(for: head, body: body) {
            case .accepted(let rejected, let message):
                require(status == 200 && rejected >= 0, "\(rejected) rejected, and \(status)")
                checkLine(message)
            case .refused(let reason):
                require(status == 400, "\(status) is refused")
                checkLine(reason)
            case .later: require(status == 503, "\(status) is to come again")
            case .tooLarge: require(false, "\(status) is too large")
            }
        }
    }
}

private func checkLine(_ text: String?) {
    guard let text else { return }
    require(!text.isEmpty && text.count <= 560, "\(text.count) characters")
    require(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "a control character")
}
