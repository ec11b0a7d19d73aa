import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The messages of tus 1.0.0: https://tus.io/protocols/resumable-upload.
struct Tus: UploadWire {
    static let version = "1.0.0"
    /// "Core protocol", PATCH: the media type of all appends.
    static let mediaType = "application/offset+octet-stream"

    let metadata: UploadMetadata

    let completesByOffset = true
    /// "Core protocol", HEAD: the statuses for an unknown upload.
    let lostStatuses: Set<Int> = [403, 404, 410]

    func creation(of request: Request, length: Int64, hasContent: Bool) throws -> Request {
        var creation = request.ofUpload(.post, to: request.url)
        creation.headers[.tusResumable] = Self.version
        creation.headers[.uploadLength] = "\(length)"
        creation.headers[.uploadMetadata] = try metadata.fieldValue()
        if hasContent { creation.headers[.contentType] = Self.mediaType }
        return creation
    }

    func complete(_ request: inout Request, for action: UploadAction) {
        // "Core protocol", OPTIONS: this is the only request without a version.
        if action != .discover { request.headers[.tusResumable] = Self.version }
        guard case .append(let content, _) = action else { return }
        request.headers[.contentType] = Self.mediaType
        request.headers[.uploadOffset] = "\(content.lowerBound)"
    }

    func answer(_ head: HTTPResponse, now: Date) -> UploadAnswer {
        let fields = head.headerFields
        var answer = plainAnswer(head, now: now)
        answer.offset = count(fields[.uploadOffset])
        answer.length = count(fields[.uploadLength])
        answer.limits.maximumSize = count(fields[.tusMaxSize])
        let server = ServerTime(fields, now: now)
        answer.expiry = fields[.uploadExpires].flatMap { HTTPDate($0, now: server.now) }.map { server.local($0.date) }
        answer.extensions = fields[.tusExtension].map { value in
            Set(value.pieces(at: ",").map { $0.trimming() })
        }
        return answer
    }
}
