package import Foundation
import HTTPChainCore

/// The head of a request as sent on the wire.
public struct LoopbackRequest: Sendable, Hashable {
    /// The framing of the body, RFC 9112 §6.3.
    package enum Framing: Sendable, Hashable {
        /// No body: neither field is present.
        case none
        /// `Content-Length`.
        case contentLength(Int64)
        /// `Transfer-Encoding: chunked`.
        case chunked
    }

    /// A header field as sent on the wire.
    package struct Field: Sendable, Hashable {
        /// The name, in its original letter case.
        package let name: String
        /// The value without surrounding white space.
        package let value: String
    }

    /// The method.
    public let method: String
    /// The request target: path and query.
    public let target: String
    /// The protocol version, `HTTP/1.1`.
    package let version: String
    /// The header fields in order.
    package let fields: [Field]
    /// The bytes through the blank line.
    package let bytes: Data
    /// The framing of the body.
    package let framing: Framing

    /// Returns the values of the fields with this name, ignoring case.
    public func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    init(parsing bytes: Data) throws(LoopbackError) {
        self.bytes = bytes
        let lines = bytes.split(separator: Data("\r\n".utf8)).map { String(decoding: $0, as: UTF8.self) }
        let start = (lines.first ?? "").pieces(at: " ", omittingEmptySubsequences: false).map { String($0) }
        guard start.count == 3, start[2].begins(with: "HTTP/1.") else {
            throw LoopbackError(.malformed("the request line is \"\(lines.first ?? "")\""))
        }
        (method, target, version) = (start[0], start[1], start[2])
        var fields: [Field] = []
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.unicodeScalars.firstIndex(of: ":"), colon > line.startIndex else {
                throw LoopbackError(.malformed("the header line \"\(line)\" has no name"))
            }
            let value = line[line.unicodeScalars.index(after: colon)...].trimming()
            fields.append(Field(name: String(line[..<colon]), value: value))
        }
        self.fields = fields
        framing = try Self.framing(of: fields)
    }

    private static func framing(of fields: [Field]) throws(LoopbackError) -> Framing {
        let lengths = fields.filter { $0.name.lowercased() == "content-length" }.map(\.value)
        let codings = fields.filter { $0.name.lowercased() == "transfer-encoding" }.map(\.value)
        guard codings.isEmpty || lengths.isEmpty else {
            throw LoopbackError(.malformed("both Transfer-Encoding and Content-Length are there"))
        }
        if let coding = codings.first {
            guard codings.count == 1, coding.lowercased() == "chunked" else {
                throw LoopbackError(.malformed("Transfer-Encoding is \(codings)"))
            }
            return .chunked
        }
        guard let text = lengths.first else { return .none }
        guard lengths.count == 1, let length = ContentLength.parse(text) else {
            throw LoopbackError(.malformed("Content-Length is \(lengths)"))
        }
        return .contentLength(length)
    }
}

/// The record of a request that a ``LoopbackServer`` received.
package struct LoopbackRecord: Sendable, Hashable {
    /// The head.
    package let request: LoopbackRequest
    /// The number of its connection, counted from 1.
    package let connection: Int
    /// The number of body bytes read by the script.
    package internal(set) var bodyLength: Int64 = 0
    /// The first body bytes, at most ``bodyLimit``.
    package internal(set) var body = Data()
    /// Whether the body was read to its end.
    package internal(set) var bodyIsComplete = false
    /// Whether the client ended the connection during the exchange.
    package internal(set) var peerClosed = false

    /// The number of body bytes kept: 64 KiB.
    package static let bodyLimit = 65_536
}
