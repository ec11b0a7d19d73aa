import Foundation
import HTTPChainCore
import HTTPTypes

/// Observes an exchange, and passes it to a recorder when it is over.
///
/// During the call it only collects heads, references to chunks, and times. Redacting, encoding and writing happen on a
/// file thread.
final class ExchangeRecording: Sendable {
    private struct State: Sendable {
        var response: HTTPResponse?
        var sentRequest: HTTPRequest?
        var head: Duration?
        var connection: ConnectionMetrics?
        var isOver = false
    }

    private let recorder: HARRecorder
    private let place: RecordingMiddleware.Place
    private let request: HTTPRequest
    private let url: String
    private let record: CallRecord?
    private let attempt: Int
    private let requestBody: RequestCapture
    fileprivate let responseBody: BodyCapture
    private let redaction: Redaction
    private let time: any TimeSource
    private let start: Duration
    private let startDate: Date
    private let state = Locked(State())

    init(_ request: inout Request, at place: RecordingMiddleware.Place, to recorder: HARRecorder) {
        self.recorder = recorder
        self.place = place
        let environment = request.environment
        time = environment.time
        start = time.elapsed
        startDate = time.date
        redaction = request.redaction
        attempt = request.attempt
        self.request = request.head
        url = request.url
        record = place == .call ? request.recordCall() : nil
        responseBody = BodyCapture(limit: recorder.bodyLimit, time: time, start: start)
        requestBody = RequestCapture(&request, limit: recorder.bodyLimit, time: time, start: start)
        guard place == .wire else { return }
        let outer = request.options[ConnectionReportNote.self]
        request.options[ConnectionReportNote.self] = { [weak self] metrics in
            self?.state.withLock { $0.connection = metrics }
            outer?(metrics)
        }
    }

    /// Starts to observe the response's body when the head has arrived.
    func follow(_ response: inout Response) {
        let now = time.elapsed - start
        let head = response.head
        let sent = response.request
        state.withLock { state in
            state.response = head
            state.sentRequest = sent
            state.head = now
        }
        if let bytes = response.body.bytes {
            // The body is complete, so there is no need to wait until it's read.
            if !bytes.isEmpty { responseBody.append(bytes) }
            return finishResponse()
        }
        let body = response.body
        let isReplayable = body.isReplayable
        let interest = Locked<RecordingInterest?>(RecordingInterest(self))
        response.body = body.transformed(length: body.length) { [self] inner in
            // A body that can be read only once has ended when its reader has. A replayable body has ended when it is
            // released.
            let interest = interest.withLock { interest in
                defer { if !isReplayable { interest = nil } }
                return interest
            }
            return RecordingReader(inner, recording: self, interest: interest)
        }
    }

    func finishResponse() {
        responseBody.finish()
        end(nil)
    }

    /// Ends the recording, with the thrown error if there is one.
    func end(_ error: (any Error)?) {
        let (isFirst, state) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state)
        }
        guard isFirst else { return }
        // A call that was cancelled before its response has nothing to replay.
        if error is CancellationError, state.response == nil { return }
        let head = state.response ?? (error as? any ResponseError)?.response.head
        var exchange = RecordedExchange(
            place: place,
            attempt: attempt,
            started: startDate,
            request: place == .call ? state.sentRequest ?? request : request,
            url: url,
            redaction: redaction
        )
        if place == .call {
            if self.request.authority == nil, let target = record?.target { exchange.url = Request(head: target).url }
            // The method is the call's own, even if a redirect changed it.
            exchange.request.method = self.request.method
        }
        exchange.requestBody = requestBody.captured
        exchange.requestFile = requestBody.file
        exchange.sent = requestBody.end
        exchange.response = head
        (exchange.responseBody, exchange.arrivals) = responseBody.seen(declared: head)
        exchange.head = state.head
        exchange.end = time.elapsed - start
        exchange.connection = state.connection
        if let error, !(error is CancellationError) {
            let failure = error as? TransportError
            exchange.failure = RecordedExchange.Failure(
                text: (error as? any HTTPChainError)?.reason ?? "\(error)",
                kind: failure?.kind.name,
                sent: failure?.sent
            )
        }
        recorder.record(exchange)
    }
}

/// Passes on the chunks of a response and records them.
private struct RecordingReader: BodyReader {
    /// `nil` after the body has ended or broken.
    private var inner: (any BodyReader)?
    private let recording: ExchangeRecording
    private let interest: RecordingInterest?

    init(_ inner: sending any BodyReader, recording: ExchangeRecording, interest: RecordingInterest?) {
        self.inner = inner
        self.recording = recording
        self.interest = interest
        recording.responseBody.restart()
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        guard inner != nil else { return nil }
        do {
            if let chunk = try await inner?.read() {
                recording.responseBody.append(chunk)
                return chunk
            }
            inner = nil
            recording.finishResponse()
            return nil
        } catch {
            recording.end(error)
            throw error
        }
    }
}

/// An object that exists as long as the body can still be read to its end.
///
/// Its release reports that this is no longer possible.
private final class RecordingInterest: Sendable {
    private let recording: ExchangeRecording

    init(_ recording: ExchangeRecording) { self.recording = recording }

    deinit { recording.end(nil) }
}
