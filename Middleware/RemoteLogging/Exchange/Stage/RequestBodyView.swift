import Foundation
import HTTPChainCore
import HTTPTypes

/// Observes a request's body while it is sent.
///
/// Streams are counted as they are read. Bytes, files and values are left unchanged.
struct RequestBodyView: Sendable {
    private enum Content: Sendable {
        case nothing
        case seen(BodyPreview)
        case stream(BodyTee)
        case value(any Encodable & Sendable)
    }

    private let content: Content
    private let length: Int64?
    private let fields: BodyFields
    private let showsContent: Bool
    private let made: MadeContent

    /// - Parameter limit: The size limit of the logged body; `nil` to log none.
    init(_ request: inout Request, upTo limit: ByteCount?) async {
        if let measured = try? await request.body.measured() { request.body = measured }
        let body = request.body
        length = body.length
        fields = BodyFields(request.head.headerFields)
        showsContent = limit != nil
        made = MadeContent(outer: request.options[RequestContentObserverNote.self])
        if length == nil { request.options[RequestContentObserverNote.self] = made }
        if let value = body.value {
            content = .value(value)
        } else if body.isEmpty {
            content = .nothing
        } else if let bytes = body.bytes {
            content = limit.map { .seen(BodyPreview(bytes, upTo: $0)) } ?? .nothing
        } else if body.file != nil {
            // The beginning of the file is read separately, so that a transport can send the file in its own way. If
            // the file can't be read, the transport reports that.
            let preview = if let limit { try? await body.peek(upTo: limit).preview } else { BodyPreview?.none }
            content = preview.map { .seen($0) } ?? .nothing
        } else {
            let tee = body.tee(upTo: limit ?? 0)
            request.body = tee.body
            content = .stream(tee.seen)
        }
    }

    var size: ExchangeLog.Size {
        let length = made.length ?? length
        // A stream that wasn't read was replaced by an inner stage or never sent, so its size is unknown.
        if case .stream(let tee) = content, tee.count > 0 || tee.isComplete {
            return .init(declared: length, counted: tee.count)
        }
        return .init(declared: length)
    }

    func shown(_ redaction: LogRedaction) -> LoggedBody? {
        guard showsContent else { return nil }
        switch content {
        case .nothing: return nil
        case .value(let value): return LoggedBody(value: value)
        case .seen(let preview): return LoggedBody(preview, size: length, fields: fields, redaction: redaction)
        case .stream(let tee):
            let size = length ?? (tee.isComplete ? tee.count : nil)
            return LoggedBody(tee.preview, size: size, fields: fields, redaction: redaction)
        }
    }
}

/// Records the size of content that an inner stage makes, such as a framed form or an encoded value.
private final class MadeContent: RequestContentObserver {
    private let outer: (any RequestContentObserver)?
    private let size = Locked<Int64?>(nil)

    init(outer: (any RequestContentObserver)?) {
        self.outer = outer
    }

    var length: Int64? { size.withLock { $0 } }

    func contentIsMade(_ content: HTTPBody) -> HTTPBody {
        size.withLock { $0 = content.length }
        return outer?.contentIsMade(content) ?? content
    }

    func contentIsEncoded(_ content: HTTPBody) -> HTTPBody {
        outer?.contentIsEncoded(content) ?? content
    }
}

extension BodyPreview {
    /// Makes the beginning of complete content.
    init(_ bytes: Data, upTo limit: ByteCount) {
        let shown = bytes.prefix(Int(clamping: limit.bytes))
        // A slice would keep all of a large body in memory.
        self.init(shown.count < bytes.count ? Data(shown) : bytes, isTruncated: shown.count < bytes.count)
    }
}
