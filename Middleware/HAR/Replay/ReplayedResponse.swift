import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Makes the response of an entry.
struct ReplayedResponse: Sendable {
    let page: ReplayBook.Page
    let condition: ReplayCondition.Verdict
    let settings: ReplaySettings
    /// The folder of the archive's files, or `nil` for an archive in memory.
    let directory: URL?
    let transport: String
    let time: any TimeSource
    let request: HTTPRequest
    let redaction: Redaction

    private var label: String { "entry \(page.number) (\(page.request.har.method) \(page.request.har.url))" }

    /// Waits for the recorded time of the head, and responds.
    ///
    /// - Throws: The recorded failure; ``HARError`` if the entry has no valid response.
    func response() async throws -> Response {
        let recorded = page.entry.response
        let factor = settings.usedDelayFactor
        if factor > 0 {
            let timings = page.entry.durations
            let wait = timings.total - max(0, timings.receive)
            try await time.sleep(for: .milliseconds(wait * factor))
        }
        if recorded.status <= 0 { throw failure(sent: .maybe) }
        guard (200...999).contains(recorded.status) else {
            throw HARError(.invalidResponse(entry: label, why: "its status is \(recorded.status)"))
        }
        switch condition {
        case .asRecorded, .unfit: break
        case .notModified: return Response(head: try head(.notModified, keeping: Self.fieldsOf304))
        case .failed: return Response(head: try head(.preconditionFailed, keeping: ["date"]))
        }
        var head = try head(status, keeping: nil)
        if head.endsWithHead(answering: request.method) { return Response(head: head) }
        let body = try await content()
        head.headerFields[.contentLength] = ending == nil ? body.length.map { "\($0)" } : nil
        return Response(head: head, body: delivered(body))
    }

    private var status: HTTPResponse.Status {
        HTTPResponse.Status(code: page.entry.response.status, reasonPhrase: page.entry.response.statusText)
    }

    /// The fields that RFC 9110 §15.4.5 requires in a 304.
    private static let fieldsOf304: Set<String> = [
        "cache-control", "content-location", "date", "etag", "expires", "vary", "last-modified",
    ]

    private func head(_ status: HTTPResponse.Status, keeping names: Set<String>?) throws(HARError) -> HTTPResponse {
        var fields = HTTPFields()
        let isEncoded = !page.entry.response.values(of: "content-encoding").isEmpty
        for field in page.entry.response.fields {
            // HTTP/2 pseudo-header fields, as Chrome writes them, aren't fields.
            guard let name = HTTPField.Name(field.name) else { continue }
            if let names, !names.contains(name.canonicalName) { continue }
            switch name.canonicalName {
            // These fields describe the framing and encoding of the original message.
            case "transfer-encoding", "content-encoding": continue
            case "content-digest", "repr-digest", "digest", "content-md5":
                if isEncoded { continue }
            default: break
            }
            for value in field.lines {
                let value = name == .contentType ? typeAsSent(value) : shifted(value, of: name)
                do {
                    try fields.append(received: HTTPField(name: name, value: value))
                } catch {
                    throw HARError(.invalidResponse(entry: label, why: "it has \(error)"))
                }
            }
        }
        return HTTPResponse(status: status, headerFields: fields)
    }

    /// Returns a date, moved so that its distance from now equals its original distance from the exchange.
    private func shifted(_ value: String, of name: HTTPField.Name) -> String {
        guard settings.shiftsDates, name == .date || name == .expires, let date = HTTPDate(value)?.date else {
            return value
        }
        let shift = time.date.timeIntervalSince(page.entry.started)
        return HTTPDate(date.addingTimeInterval(shift.rounded())).description
    }

    /// The error at the end of incomplete recorded content; `nil` if the content is complete.
    ///
    /// This is the recorded failure, or the reason that the rest wasn't recorded: it was too long or wasn't read.
    private var ending: (any Error)? {
        if page.entry.customFields["_error"] != nil { return failure(sent: .answered) }
        let content = page.entry.response.content
        guard content.isTruncated else { return nil }
        let why =
            content.comment ?? "the rest was not read by the client that was recorded, or is beyond the body limit"
        return HARError(.contentNotRecorded(entry: label, why: why))
    }

    /// The recorded content.
    private func content() async throws -> HTTPBody {
        let content = page.entry.response.content
        if let name = content.customFields["_file"]?.string {
            guard let directory else {
                throw HARError(.contentNotRecorded(entry: label, why: "the archive has no folder"))
            }
            let found = try await FileExecutor.shared.run { HARFileName.file(named: name, in: directory) }
            guard let file = found else {
                let why = "\(name) is outside the archive's folder"
                throw HARError(.contentNotRecorded(entry: label, why: why))
            }
            return try await .file(file).measured()
        }
        if let bytes = HARBytes.decode(content.text, encoding: content.encoding, type: contentType) {
            return HTTPBody(bytes)
        }
        if content.text == nil, page.entry.response.hasNoContent || ending != nil { return .empty }
        let size = content.size < 0 ? "and its size is not known" : "of \(content.size) bytes"
        let why = content.text == nil ? "there is no text \(size)" : "its base64 cannot be decoded"
        throw HARError(.contentNotRecorded(entry: label, why: why))
    }

    private var contentType: String? {
        let recorded = page.entry.response
        return recorded.values(of: "content-type").first ?? recorded.content.mimeType
    }

    /// Returns a `Content-Type` with the actual charset of the text, which is UTF-8 if the recorded charset isn't
    /// supported or lacks characters.
    private func typeAsSent(_ value: String) -> String {
        let content = page.entry.response.content
        guard let text = content.text, content.encoding == nil, let type = MediaType(value), let charset = type.charset,
            HARBytes.encoded(text, in: charset) == nil
        else { return value }
        return "\(type.essence); charset=utf-8"
    }

    /// Returns the body with its recorded chunks and times.
    ///
    /// It fails at the end if the recorded body did.
    private func delivered(_ body: HTTPBody) -> HTTPBody {
        let schedule = ReplaySchedule(page.entry, factor: settings.usedDelayFactor)
        let ending = ending
        return .once(length: ending == nil ? body.length : nil) { [time] in
            ReplayReader(
                inner: try await body.makeReader(),
                total: body.length ?? 0,
                schedule: schedule,
                ending: ending,
                time: time
            )
        }
    }

    private func failure(sent: TransportError.Sent) -> TransportError {
        let fields = page.entry.customFields
        let kind = fields["_errorKind"]?.string
        let recorded = fields["_errorSent"]?.string
        let wasSent: TransportError.Sent = recorded == "nothing" ? .nothing : recorded == "answered" ? .answered : sent
        return TransportError(
            ReplayFailure.kind(named: kind),
            sent: wasSent,
            stage: transport,
            detail: "recorded: \(fields["_error"]?.string ?? page.entry.failure ?? "")",
            exchange: ExchangeSnapshot(request, redaction: redaction)
        )
    }
}

/// The kinds of failures, by name.
enum ReplayFailure {
    private static let kinds: [TransportError.Kind] = [
        .hostNotFound, .cannotConnect, .secureConnectionFailed, .untrustedServer, .networkNotAllowed,
        .insecureConnectionNotAllowed, .connectionLost, .malformedResponse, .truncatedBody, .timedOut, .shutDown,
    ]

    static func kind(named name: String?) -> TransportError.Kind { kinds.first { $0.name == name } ?? .other }
}

/// Validates the names of files in an archive.
enum HARFileName {
    /// Returns the file for a name in an archive, or `nil` if it is outside the archive's folder.
    ///
    /// Blocks.
    ///
    /// Symbolic links that lead outside count as outside.
    static func file(named name: String, in directory: URL) -> URL? {
        guard isSafe(name) else { return nil }
        let file = directory.appendingPathComponent(name).resolvingSymlinksInPath()
        let folder = directory.resolvingSymlinksInPath().path
        let start = folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/"
        return file.path.utf8.starts(with: start.utf8) ? file : nil
    }

    /// Whether a name stays within the archive's folder.
    ///
    /// Compares bytes, as the file system does: a combining mark after a `/` forms a different `Character`.
    private static func isSafe(_ name: String) -> Bool {
        !name.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == 0 }
            && name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && !$0.elementsEqual("..".utf8) }
    }
}
