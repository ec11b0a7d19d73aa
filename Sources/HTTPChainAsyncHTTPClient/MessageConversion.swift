#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// - Parameter replacesFieldBytes: Whether the client's connections have a ``FieldBytesHandler`` over HTTP/1.1.
    init(_ request: WireRequest, upload: Upload?, replacesFieldBytes: Bool) {
        self.init(url: request.url)
        method = HTTPMethod(rawValue: request.head.method.rawValue)
        headers.reserveCapacity(request.head.headerFields.count + 3)
        var isReplaced = false
        func text(_ field: HTTPField) -> String {
            guard replacesFieldBytes, let text = field.withUnsafeBytesOfValue(FieldBytes.text) else {
                return field.value
            }
            isReplaced = true
            return text
        }
        let fields = request.head.headerFields
        for field in fields
        where field.name != .cookie && field.name != ExchangeBoard.field && field.name != FieldBytesHandler.field {
            headers.add(name: field.name.rawName, value: text(field))
        }
        // HTTPFields keeps cookies in separate fields, as HTTP/2 may. RFC 6265 §5.4 requires a single Cookie field.
        if fields.contains(.cookie) {
            headers.add(name: "Cookie", value: fields[fields: .cookie].map(text).joined(separator: "; "))
        }
        if isReplaced { headers.add(name: FieldBytesHandler.field.rawName, value: "1") }
        if let upload {
            guard request.contentLength != 0 else { return }
            body = .stream(
                UploadChunks(upload: upload),
                length: request.contentLength.map { .known($0) } ?? .unknown
            )
        } else if let bytes = request.body.singlePiece, !bytes.isEmpty {
            body = .bytes(ByteBuffer(bytes: bytes))
        }
    }
}

extension WireRequest {
    /// The target to send if the client (1.37) would send "/" instead; nil for other targets.
    ///
    /// The client does so for a path whose percent-encoded bytes aren't UTF-8, because Foundation can't read it.
    var unreadableTarget: String? {
        guard let target = head.path, target.utf8.contains(UInt8(ascii: "%")) else { return nil }
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        return String(validUTF8: Array(path).percentDecoded()) == nil ? target : nil
    }
}

extension Response {
    init(
        _ response: HTTPClientResponse,
        to request: HTTPRequest,
        lifetime: any AnyObject & Sendable,
        errors: ErrorTranslation
    ) async throws {
        var fields = HTTPFields()
        let isReplaced =
            response.version.major == 1 && response.headers.contains(name: FieldBytesHandler.field.rawName)
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name), !isReplaced || name != FieldBytesHandler.field else { continue }
            let original = isReplaced ? FieldBytes.original(value.utf8) : nil
            try fields.append(
                received: original.map { HTTPField(name: name, value: $0) } ?? HTTPField(name: name, value: value)
            )
        }
        guard (100...999).contains(response.status.code) else {
            throw MalformedHeadError(detail: "status code \(response.status.code)")
        }
        let status = HTTPResponse.Status(
            code: Int(response.status.code),
            reasonPhrase: Self.isVisible(response.status.reasonPhrase) ? response.status.reasonPhrase : ""
        )
        let head = HTTPResponse(status: status, headerFields: fields)
        let chunks = ResponseChunks(
            body: response.body,
            lifetime: lifetime,
            errors: errors,
            head: head
        )
        let isCoded = fields.contains(.transferEncoding)
        let length = isCoded ? nil : fields.value(of: .contentLength).flatMap(ContentLength.parse)
        // Over HTTP/2, the end may arrive later. The limits of a body apply to it.
        let hasEnded = length == 0 && response.version.major == 1
        if hasEnded || head.endsWithHead(answering: request.method) {
            // The end of the body has already arrived. It is read so that the connection can serve the next request.
            for try await _ in chunks {}
            self.init(head: head)
        } else {
            self.init(head: head, body: .once(length: length, chunks: chunks))
        }
        self.request = request
    }

    /// Whether a reason phrase is printable ASCII; it comes from the server, and the status type rejects others.
    private static func isVisible(_ phrase: String) -> Bool {
        phrase.utf8.allSatisfy { $0 == 0x09 || (0x20...0x7E).contains($0) }
    }
}

/// The body of a response as chunks of data, with this package's errors.
struct ResponseChunks: AsyncSequence, Sendable {
    typealias Element = Data

    let body: HTTPClientResponse.Body
    /// An object that is retained as long as the response can be read.
    let lifetime: any AnyObject & Sendable
    let errors: ErrorTranslation
    let head: HTTPResponse

    struct AsyncIterator: AsyncIteratorProtocol {
        var inner: HTTPClientResponse.Body.AsyncIterator
        let lifetime: any AnyObject & Sendable
        let errors: ErrorTranslation
        let head: HTTPResponse

        mutating func next() async throws -> Data? {
            do {
                return try await inner.next().map { Data($0.readableBytesView) }
            } catch {
                throw errors.translate(error, response: head)
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(inner: body.makeAsyncIterator(), lifetime: lifetime, errors: errors, head: head)
    }
}
#endif
