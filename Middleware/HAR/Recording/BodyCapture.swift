import Foundation
import HTTPChainCore
import HTTPTypes

/// Keeps the first chunks of a body without copying them, and counts the rest.
final class BodyCapture: Sendable {
    private struct State: Sendable {
        var body = CapturedBody()
        var kept: Int64 = 0
        var arrivals: [(time: Duration, count: Int)] = []
        var end: Duration?
    }

    private let limit: Int64
    private let time: any TimeSource
    private let start: Duration
    private let state = Locked(State())

    init(limit: Int64, time: any TimeSource, start: Duration) {
        self.limit = limit
        self.time = time
        self.start = start
    }

    func restart() {
        state.withLock { $0 = State() }
    }

    func append(_ chunk: Data) {
        let now = time.elapsed - start
        state.withLock { state in
            state.body.count += Int64(chunk.count)
            if state.arrivals.count < RecordedExchange.arrivalLimit { state.arrivals.append((now, chunk.count)) }
            let room = limit - state.kept
            if room <= 0 { return }
            // A slice would keep the whole chunk alive.
            let part = Int64(chunk.count) <= room ? chunk : Data(chunk.prefix(Int(room)))
            state.body.chunks.append(part)
            state.kept += Int64(part.count)
        }
    }

    func finish() {
        let now = time.elapsed - start
        state.withLock { $0.end = now }
    }

    /// The time when the body was read to its end.
    var end: Duration? { state.withLock { $0.end } }

    /// The bytes that were read, or `nil` if reading never began.
    var captured: CapturedBody? {
        state.withLock { state in
            guard state.body.count > 0 || state.end != nil else { return nil }
            var body = state.body
            body.isTruncated = state.end == nil || state.kept < state.body.count
            return body
        }
    }

    /// Returns the bytes of a response's body that were read, with their arrival times.
    ///
    /// A reader that knows the length may stop before it has seen the end.
    func seen(declared head: HTTPResponse?) -> (CapturedBody, [(time: Duration, count: Int)]) {
        let declared = head?.headerFields.declaredLength
        return state.withLock { state in
            var body = state.body
            let isComplete = state.end != nil || (declared != nil && declared == body.count)
            body.isTruncated = !isComplete || state.kept < body.count
            return (body, state.arrivals)
        }
    }
}

/// Observes a request's body while it is sent.
///
/// A stream is observed as it is read; bytes and files are left unchanged.
final class RequestCapture: RequestContentObserver {
    private enum Content: Sendable {
        case nothing
        case bytes(Data)
        case file(HTTPBody)
        case stream
    }

    private let content: Locked<Content>
    private let stream: BodyCapture
    private let limit: Int64
    private let outer: (any RequestContentObserver)?

    init(_ request: inout Request, limit: Int64, time: any TimeSource, start: Duration) {
        stream = BodyCapture(limit: limit, time: time, start: start)
        self.limit = limit
        outer = request.options[RequestContentObserverNote.self]
        let body = request.body
        if let bytes = body.bytes {
            content = Locked(bytes.isEmpty ? .nothing : .bytes(bytes))
        } else if body.file != nil {
            content = Locked(.file(body))
        } else {
            content = Locked(.stream)
            if body.value == nil { request.body = watched(body) }
            if body.length == nil { request.options[RequestContentObserverNote.self] = self }
        }
    }

    private func watched(_ body: HTTPBody) -> HTTPBody {
        body.transformed(length: body.length) { [stream] inner in CapturingReader(inner, stream) }
    }

    /// Records content that an inner stage makes, such as a framed form or an encoded value.
    func contentIsMade(_ made: HTTPBody) -> HTTPBody {
        if let bytes = made.bytes {
            content.withLock { $0 = bytes.isEmpty ? .nothing : .bytes(bytes) }
            return outer?.contentIsMade(made) ?? made
        }
        content.withLock { $0 = .stream }
        let body = outer?.contentIsMade(made) ?? made
        return watched(body)
    }

    func contentIsEncoded(_ body: HTTPBody) -> HTTPBody { outer?.contentIsEncoded(body) ?? body }

    /// The time when the content was read to its end, if it's a stream.
    var end: Duration? { stream.end }

    /// The file that was sent, if any.
    ///
    /// It is read when the entry is written.
    var file: HTTPBody? {
        if case .file(let body) = content.withLock({ $0 }) { body } else { nil }
    }

    /// The content that was sent, or `nil` if there was none or it is a file.
    var captured: CapturedBody? {
        switch content.withLock({ $0 }) {
        case .nothing, .file: return nil
        case .bytes(let bytes):
            let isTruncated = Int64(bytes.count) > limit
            let kept = isTruncated ? Data(bytes.prefix(Int(limit))) : bytes
            return CapturedBody(chunks: [kept], count: Int64(bytes.count), isTruncated: isTruncated)
        case .stream: return stream.captured
        }
    }
}

/// Passes on the chunks of a request and records them.
private struct CapturingReader: BodyReader {
    private var inner: any BodyReader
    private let capture: BodyCapture

    init(_ inner: sending any BodyReader, _ capture: BodyCapture) {
        self.inner = inner
        self.capture = capture
        capture.restart()
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard let chunk = try await inner.read() else {
            capture.finish()
            return nil
        }
        capture.append(chunk)
        return chunk
    }
}
