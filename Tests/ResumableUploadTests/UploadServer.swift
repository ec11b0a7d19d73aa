#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A server that takes uploads by one of the protocols, in memory, and fails where a test says so.
///
/// It is written by the specifications and shares no code with the stage.
final class UploadServer: Transport {
    enum Speaks: Sendable, CaseIterable { case tus, draft }

    /// What goes wrong with one request.
    enum Fault: Sendable, Hashable {
        /// The connection is lost after so many bytes of the content, which the server keeps.
        case cut(after: Int64)
        /// The request is done, and its answer is lost.
        case lostAnswer
        /// Nothing is done, and this is the answer.
        case answer(Int, HTTPFields = [:])
    }

    struct Upload: Sendable {
        var bytes = Data()
        var length: Int64
        var isComplete = false
    }

    struct State: Sendable {
        var uploads: [String: Upload] = [:]
        var created = 0
        var requests: [HTTPRequest] = []
        /// By the number of the request, from 0.
        var faults: [Int: Fault] = [:]
        /// Fields that every answer has.
        var fields: HTTPFields = [:]
        /// Where uploads are, before their number.
        var location = "/uploads/"
        /// The largest content of a request that is taken; 413 for a larger one.
        var largestRequest = Int64.max
        /// Whether an upload is gone once it is complete.
        var forgetsComplete = false
    }

    let capabilities: TransportCapabilities
    private let speaks: Speaks
    private let state = Locked(State())

    init(
        _ speaks: Speaks,
        faults: [Int: Fault] = [:],
        capabilities: TransportCapabilities = [.reportsUploadProgress, .streamsUploads],
        _ change: (inout State) -> Void = { _ in }
    ) {
        self.speaks = speaks
        self.capabilities = capabilities
        var initial = State(faults: faults)
        change(&initial)
        state.withLock { $0 = initial }
    }

    func change(_ change: (inout State) -> Void) {
        var copy = state.withLock { $0 }
        change(&copy)
        let changed = copy
        state.withLock { $0 = changed }
    }

    var seen: State { state.withLock { $0 } }
    var methods: [String] { seen.requests.map(\.method.rawValue) }
    /// The one upload that was made.
    var content: Data? { seen.uploads.values.first?.bytes }

    func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        let head = request.head
        let (fault, known) = state.withLock { state -> (Fault?, State) in
            state.requests.append(head)
            return (state.faults[state.requests.count - 1], state)
        }
        if case .answer(let code, let fields) = fault {
            var response = Response(HTTPResponse.Status(code: code), headers: fields)
            response.request = head
            return response
        }
        var content = try await content(of: request, upTo: known.largestRequest)
        guard Int64(content.count) <= known.largestRequest else { return Response(.contentTooLarge) }
        var isCut = false
        if case .cut(let count) = fault, Int64(content.count) >= count {
            content = content.prefix(Int(count))
            isCut = true
        }
        let received = content
        let cut = isCut
        var response = state.withLock { Self.answer(head, received, isCut: cut, speaks, &$0) }
        for extra in known.fields where !response.headers.contains(extra.name) { response.headers.append(extra) }
        if isCut || fault == .lostAnswer { throw TransportError(.connectionLost, sent: .maybe, stage: "UploadServer") }
        response.request = head
        return response
    }

    /// Reads the content as a transport does, and reports it.
    private func content(of request: borrowing Request, upTo limit: Int64) async throws -> Data {
        let body = request.body
        let report = capabilities.contains(.reportsUploadProgress) ? request.beginUploadReport() : nil
        var content = Data()
        for try await chunk in body {
            content += chunk
            report?(Int64(content.count), body.length)
        }
        return content
    }

    private static func answer(
        _ head: HTTPRequest,
        _ content: Data,
        isCut: Bool,
        _ speaks: Speaks,
        _ state: inout State
    ) -> Response {
        let path = head.path ?? ""
        let fields = head.headerFields
        switch head.method {
        case .options: return Response(.noContent)
        case .delete:
            return Response(state.uploads.removeValue(forKey: path) == nil ? .notFound : .noContent)
        case .head:
            guard let upload = state.uploads[path] else { return Response(.notFound) }
            return Response(.ok, headers: status(of: upload, speaks))
        case .patch where path.hasPrefix(state.location):
            guard var upload = state.uploads[path] else { return Response(.notFound) }
            let type = speaks == .tus ? "application/offset+octet-stream" : "application/partial-upload"
            guard fields[.contentType] == type else { return Response(.unsupportedMediaType) }
            guard fields[field("Upload-Offset")] == "\(upload.bytes.count)", !upload.isComplete else {
                return Response(.conflict, headers: speaks == .draft ? status(of: upload, speaks) : [:])
            }
            upload.bytes += content
            let isLast = fields[field("Upload-Complete")] == "?1" && !isCut
            upload.isComplete = speaks == .tus ? upload.bytes.count == upload.length : isLast
            state.uploads[path] = upload
            let answer = status(of: upload, speaks)
            if upload.isComplete, state.forgetsComplete { state.uploads[path] = nil }
            if upload.isComplete, speaks == .draft { return Response(.ok, headers: answer, body: "the answer") }
            return Response(.noContent, headers: answer)
        default:
            guard let length = fields[field("Upload-Length")].flatMap(Int64.init) else { return Response(.badRequest) }
            if speaks == .tus, fields[field("Tus-Resumable")] != "1.0.0" { return Response(.preconditionFailed) }
            if speaks == .draft, fields[field("Upload-Complete")] != "?0" || !content.isEmpty {
                return Response(.badRequest)
            }
            let url = state.location + "\(state.created)"
            state.created += 1
            var upload = Upload(bytes: content, length: length)
            upload.isComplete = speaks == .tus && Int64(content.count) == length
            state.uploads[URLPath.of(url)] = upload
            var answer = status(of: upload, speaks)
            answer[.location] = url
            return Response(.created, headers: answer)
        }
    }

    private static func status(of upload: Upload, _ speaks: Speaks) -> HTTPFields {
        var fields: HTTPFields = [field("Upload-Offset"): "\(upload.bytes.count)"]
        fields[field("Upload-Length")] = "\(upload.length)"
        if speaks == .tus { fields[field("Tus-Resumable")] = "1.0.0" }
        if speaks == .draft { fields[field("Upload-Complete")] = upload.isComplete ? "?1" : "?0" }
        return fields
    }
}

enum URLPath {
    /// The path of a URL or of a path.
    static func of(_ url: String) -> String { Request.get(url).head.path ?? url }
}

/// A field of one of the protocols.
func field(_ text: StaticString) -> HTTPField.Name { HTTPField.Name(constant: text) }
#endif
