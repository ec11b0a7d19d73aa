import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Parses the lines in the head of a part.
struct HeadParser {
    let part: Int
    let limits: MultipartLimits
    var fields: [(name: HTTPField.Name, value: [UInt8])] = []
    var size: Int64 = 0

    /// Throws if a line of this size, including its ending, would exceed the limit.
    func checkRoom(for count: Int) throws(MultipartError) {
        guard size + Int64(count) <= limits.headerSize.bytes else {
            throw MultipartError(.headerTooLarge(part: part, limit: limits.headerSize))
        }
    }

    /// Parses a line without its ending.
    ///
    /// A line that begins with whitespace continues the field before it (RFC 5322 §2.2.3).
    ///
    /// - Parameter size: The size of the line, including its ending.
    mutating func append(_ line: Data, size: Int) throws(MultipartError) {
        self.size += Int64(size)
        Steps.take(size)
        guard !line.contains(where: { $0 == 0x00 || $0 == 0x0D }), let first = line.first else {
            throw MultipartError(.malformedHeader(part: part))
        }
        if ASCII.isSpace(first) {
            guard !fields.isEmpty else { throw MultipartError(.malformedHeader(part: part)) }
            fields[fields.count - 1].value += [UInt8(ascii: " ")] + line.trimmingSpace()
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw MultipartError(.malformedHeader(part: part))
        }
        // `HTTPFields` crashes on HTTP/2 pseudo-header fields, so they are refused here.
        let name = line[..<colon].trimmingSpace()
        guard !name.isEmpty, name.allSatisfy(ASCII.isTokenByte),
            let fieldName = HTTPField.Name(String(decoding: name, as: UTF8.self))
        else { throw MultipartError(.malformedHeader(part: part)) }
        // It also crashes if there are too many fields.
        let limit = min(limits.headerCount, HTTPFields.receivedLimit)
        guard fields.count < limit else { throw MultipartError(.tooManyHeaders(part: part, limit: limit)) }
        fields.append((fieldName, Array(line[line.index(after: colon)...].trimmingSpace())))
    }

    var head: MultipartHead {
        var headers = HTTPFields()
        headers.reserveCapacity(fields.count)
        for (name, value) in fields { headers.append(HTTPField(name: name, lenientValue: value)) }
        return MultipartHead(headers: headers)
    }
}
