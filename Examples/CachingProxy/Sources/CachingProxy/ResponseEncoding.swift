import Foundation
import HTTPChainCore
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Writes the chain's response to a client unchanged, in HTTP/1 framing.
///
/// The encoders of the server library add and remove fields, which a proxy must not do.
struct ResponseEncoding {
    /// The framing of the content, RFC 9112 §6.
    enum Framing: Equatable {
        /// No content, regardless of the fields.
        case none
        /// Content with a `Content-Length`.
        case length(Int64)
        /// Chunked content.
        case chunked
        /// Content that ends with the connection.
        case close
    }

    let framing: Framing
    /// Whether the connection can serve another request.
    let isPersistent: Bool
    private let response: HTTPResponse

    init(_ response: HTTPResponse, answering request: HTTPRequestHead) {
        self.response = response
        let code = response.status.code
        let isModern = request.version.major == 1 && request.version.minor >= 1
        if request.method == .HEAD || code < 200 || code == 204 || code == 304 {
            framing = .none
        } else if let length = response.headerFields[.contentLength].flatMap({ Int64($0) }) {
            framing = .length(length)
        } else {
            framing = isModern ? .chunked : .close
        }
        let asked = HopByHop.listed(request.headers["Connection"])
        isPersistent = isModern && framing != .close && !asked.contains("close")
    }

    /// Returns the status line and the fields, in their original order.
    func head() -> ByteBuffer {
        var text = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        let connection = response.headerFields[values: .connection]
        let listed = HopByHop.listed(connection)
        for field in response.headerFields where !HopByHop.contains(field.name.rawName, listed: listed) {
            text += "\(field.name.rawName): \(field.value)\r\n"
        }
        if framing == .chunked { text += "Transfer-Encoding: chunked\r\n" }
        if !isPersistent { text += "Connection: close\r\n" }
        return ByteBuffer(string: text + "\r\n")
    }

    func content(_ bytes: Data) -> ByteBuffer {
        var buffer = ByteBuffer()
        if framing == .chunked { buffer.writeString(String(bytes.count, radix: 16) + "\r\n") }
        buffer.writeBytes(bytes)
        if framing == .chunked { buffer.writeString("\r\n") }
        return buffer
    }

    /// The bytes that follow the content.
    var end: ByteBuffer? { framing == .chunked ? ByteBuffer(string: "0\r\n\r\n") : nil }
}
