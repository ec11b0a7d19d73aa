import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Everything observed of an exchange, before it is redacted and written.
struct RecordedExchange: Sendable {
    /// The failure of an exchange.
    struct Failure: Sendable {
        let text: String
        /// The name of the ``TransportError`` kind.
        let kind: String?
        let sent: TransportError.Sent?
    }

    var place: RecordingMiddleware.Place
    var attempt = 1
    var started: Date
    var request: HTTPRequest
    var url: String
    var requestBody: CapturedBody?
    /// The file that was sent.
    ///
    /// It is read when the entry is made.
    var requestFile: HTTPBody?
    var response: HTTPResponse?
    var responseBody = CapturedBody()
    /// The time since the beginning at which each chunk of the response arrived, and the chunk's length.
    var arrivals: [(time: Duration, count: Int)] = []
    /// The time since the beginning at which the request was read to its end, the head arrived, and the exchange ended.
    var sent: Duration?
    var head: Duration?
    var end: Duration = .zero
    var failure: Failure?
    var connection: ConnectionMetrics?
    var redaction: Redaction
}

/// An entry, and the contents stored in files next to the archive.
struct RecordedEntry: Sendable {
    var entry: HAREntry
    var files: [(name: String, content: Data)] = []
}

extension RecordedExchange {
    /// The maximum number of chunks of a response whose times are recorded.
    static let arrivalLimit = 1000

    /// Makes the entry, with secrets redacted.
    ///
    /// Blocks, because it reads the file that was sent.
    func entry(_ storage: HARBodyStorage, fileName: () -> String) -> RecordedEntry {
        let redaction = redaction.adding(markedIn: request.headerFields)
        let limit = Int(clamping: storage.limit.bytes)
        let requestBody = requestBody ?? requestFile.map { CapturedBody(file: $0, limit: limit) }
        let asked = requestBody.map { body in
            StoredContent(
                body,
                type: request.headerFields[.contentType],
                // The content of a call is observed before it is encoded.
                codings: place == .call ? nil : request.headerFields[.contentEncoding],
                redaction: redaction,
                limit: limit
            )
        }
        var har = HARRequest(request, url: url, content: asked, redaction: redaction)
        if let requestBody, asked?.isRedacted != true { har.bodySize = requestBody.count }
        let version = Self.version(connection)
        har.httpVersion = version
        var answer = HARResponse(status: 0)
        var content: StoredContent?
        if let response {
            let stored = StoredContent(
                responseBody,
                type: response.headerFields[.contentType],
                codings: response.headerFields[.contentEncoding],
                redaction: redaction,
                limit: limit
            )
            content = stored
            answer = HARResponse(response, content: stored, wireSize: responseBody.count, redaction: redaction)
            answer.httpVersion = version
        }
        var files: [(name: String, content: Data)] = []
        if let threshold = storage.fileThreshold {
            if let bytes = asked?.bytes, Int64(bytes.count) > threshold.bytes {
                let name = fileName()
                har.postData?.text = nil
                har.postData?.encoding = nil
                har.postData?.customFields["_file"] = .string(name)
                files.append((name, bytes))
            }
            if let bytes = content?.bytes, Int64(bytes.count) > threshold.bytes {
                let name = fileName()
                answer.content.text = nil
                answer.content.encoding = nil
                answer.content.customFields["_file"] = .string(name)
                files.append((name, bytes))
            }
        }
        var entry = HAREntry(started: started, request: har, response: answer, timings: timings)
        addCustomFields(to: &entry, redaction)
        return RecordedEntry(entry: entry, files: files)
    }

    private static func version(_ connection: ConnectionMetrics?) -> String {
        switch connection?.protocolName {
        case nil: "unknown"
        case "h2": "HTTP/2"
        case "h3": "HTTP/3"
        case let name?: name.uppercased()
        }
    }

    private var timings: HARTimings {
        var timings = HARTimings()
        let head = head ?? end
        let sent = min(sent ?? .zero, head)
        var before = 0.0
        if let connection, connection.isReused != true {
            // Look-up and connection precede sending. If their times are unknown, they are included in the time for
            // sending.
            if let lookup = connection.domainLookup { timings.dns = lookup.milliseconds }
            if let connect = connection.connect { timings.connect = connect.milliseconds }
            if let secure = connection.secureConnection { timings.ssl = secure.milliseconds }
            before = max(timings.dns, 0) + max(timings.connect, 0)
        }
        timings.send = max(0, sent.milliseconds - before)
        before = max(0, before - sent.milliseconds)
        timings.wait = max(0, (head - sent).milliseconds - before)
        timings.receive = max(0, (end - head).milliseconds)
        return timings
    }

    private func addCustomFields(to entry: inout HAREntry, _ redaction: Redaction) {
        entry.customFields["_place"] = .string(place.rawValue)
        if attempt > 1 { entry.customFields["_attempt"] = .integer(Int64(attempt)) }
        if arrivals.count > 1, let head {
            // The time of each chunk after the head, in milliseconds, and its number of bytes.
            entry.customFields["_chunks"] = .array(
                arrivals.map { arrival in
                    let time = max(0, (arrival.time - head).milliseconds)
                    let whole = Int64(exactly: time)
                    return .array([whole.map { .integer($0) } ?? .number(time), .integer(Int64(arrival.count))])
                }
            )
        }
        if let failure {
            entry.customFields["_error"] = .string(redaction.text(failure.text, upTo: HARText.longest))
            if let kind = failure.kind { entry.customFields["_errorKind"] = .string(kind) }
            if let sent = failure.sent { entry.customFields["_errorSent"] = .string("\(sent)") }
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded to microseconds to avoid digits from floating-point errors.
    var milliseconds: Double { (inSeconds * 1e6).rounded() / 1000 }

    static func milliseconds(_ value: Double) -> Duration {
        // The comparison is `false` for NaN.
        .nanoseconds(Int64(((value > 0 ? min(value, 1e12) : 0) * 1e6).rounded()))
    }
}

extension CapturedBody {
    /// Reads the beginning of a file.
    ///
    /// If the file can't be read, the content is empty and marked as truncated.
    ///
    /// This blocks.
    init(file body: HTTPBody, limit: Int) {
        guard let file = body.file, let opened = try? ContentFile.reading(file.url.path, access: .standard) else {
            self.init(count: body.length ?? 0, isTruncated: true)
            return
        }
        let length = body.length ?? (try? opened.contentLength)
        let start = max(0, file.range?.lowerBound ?? 0)
        let bytes = (try? opened.read(at: start, count: Int(min(Int64(limit), length ?? .max)))) ?? Data()
        let count = Int64(bytes.count)
        self.init(chunks: [bytes], count: length ?? count, isTruncated: count < length ?? .max)
    }
}
