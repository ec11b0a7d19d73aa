import Foundation
import HTTPChainCore
import HTTPTypes
import Logging

/// Collects the information about one exchange, and writes its record once.
final class ExchangeRecorder: Sendable {
    /// The request of the exchange, and the settings for logging it.
    struct Call: Sendable {
        let request: HTTPRequest
        let isAbsolute: Bool
        /// The record of how the inner stages handled the call.
        let record: CallRecord?
        let body: RequestBodyView
        let attempt: Int
        let id: UInt64
        let logging: CallLogging
        let component: String
        let seesBodies: Bool
        let redaction: LogRedaction
    }

    private struct Answer: Sendable {
        let head: HTTPResponse
        let timeToHead: Duration
        /// The number of attempts made, if a stage reports it.
        let attempts: Int?
        /// The request as the transport sent it, if the transport reports it.
        let request: HTTPRequest?
        let declaredSize: Int64?
        var tee: BodyTee?
        /// The content, if it was already complete when the head arrived.
        var content: BodyPreview?
    }

    private struct State: Sendable {
        var answer: Answer?
        var isOver = false
    }

    private let journal: ExchangeJournal
    private let call: Call
    private let time: any TimeSource
    private let start: Duration
    private let bound: TimeBound
    private let startDate: Date
    /// The trace of the task.
    private let trace: TraceIdentity?
    private let state = Locked(State())

    init(_ call: Call, for journal: ExchangeJournal, options: borrowing RequestOptions) {
        self.journal = journal
        self.call = call
        time = options.environment.time
        start = time.elapsed
        bound = TimeBound(options, start: start)
        startDate = time.date
        trace = journal.metadataProvider.flatMap { TraceIdentity($0.get()) }
    }

    /// Starts to observe the response's body when the head has arrived.
    func follow(_ response: inout Response) {
        let body = response.body
        var answer = Answer(
            head: response.head,
            timeToHead: time.elapsed - start,
            attempts: response.options.contains(AttemptCountFact.self) ? response.attempts : nil,
            request: response.request,
            declaredSize: response.declaredLength(answering: call.request.method)
        )
        if let bytes = body.bytes {
            // The body is complete, so there is no need to wait until it's read.
            answer.content = BodyPreview(bytes, upTo: call.seesBodies ? journal.bodyLimit : 0)
            state.withLock { $0.answer = answer }
            return end(.complete, counted: Int64(bytes.count))
        }
        let (counted, tee) = body.tee(upTo: call.seesBodies ? journal.bodyLimit : 0)
        answer.tee = tee
        state.withLock { $0.answer = answer }
        let interest = Locked<BodyInterest?>(BodyInterest(self))
        let isReplayable = body.isReplayable
        response.body = counted.transformed(length: body.length) { [self] inner in
            // A body that can be read only once has ended when its reader has. The reader takes over the interest,
            // because the body may be released before it. A replayable body has ended when the body and its last reader
            // are released.
            let interest = interest.withLock { interest in
                defer { if !isReplayable { interest = nil } }
                return interest
            }
            return LoggedReader(inner: inner, recorder: self, interest: interest)
        }
    }

    /// Ends with the end of the response's body, or with an error from the inner stages.
    func end(_ bodyEnd: ExchangeLog.BodyEnd?, counted: Int64? = nil, error: (any Error)? = nil) {
        let (isFirst, answer) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.answer)
        }
        guard isFirst else { return }
        let head = answer?.head ?? (error as? any ResponseError)?.response.head
        let errorType = error.flatMap {
            HTTPSemantics.errorType(of: $0, isTimeUp: bound.hasPassed(at: time.elapsed))
        }
        let isCancelled = error != nil && errorType == nil
        let outcome = Self.outcome(head: head, end: bodyEnd, error: error, isCancelled: isCancelled)
        guard let entry = journal.entry(for: outcome, from: call.component, asking: call.logging.detail) else { return }
        let snapshot = (error as? any HTTPChainError)?.exchange
        let status = head?.status ?? snapshot?.response?.status
        let duration = time.elapsed - start
        let end = LogFilter.End(
            level: entry.level,
            status: status,
            outcome: outcome,
            duration: duration,
            origin: { self.origin(sent: answer?.request, snapshot: snapshot) }
        )
        // This is decided before redaction, which costs more than anything else.
        let decision = journal.decision(LogFilter.Facts(callID: call.id, component: call.component, end: end))
        if decision == false { return }
        var exchange = exchange(sent: answer?.request, snapshot: snapshot, duration: duration)
        exchange.outcome = outcome
        exchange.level = entry.level
        if let error {
            exchange.error =
                errorType.map { LoggedError(error, type: $0, redaction: call.redaction) } ?? .cancellation
        }
        exchange.status = status
        exchange.bodyEnd = bodyEnd
        exchange.timeToHead = answer?.timeToHead
        if journal.unit == .call {
            let known = (error as? any HTTPChainError)?.notedAttempts ?? answer?.attempts
            exchange.attempts = known ?? call.record?.attempts
        }
        if let head { exchange.cache = LoggedCacheStatus(head.headerFields, redaction: call.redaction) }
        exchange.responseSize = ExchangeLog.Size(
            declared: answer?.declaredSize ?? (answer == nil ? head?.headerFields.declaredLength : nil),
            counted: answer == nil ? nil : counted ?? answer?.tee?.count
        )
        if bodyEnd == .dropped, let size = answer?.declaredSize, size == answer?.tee?.count {
            // A reader that knows the length may stop before it has seen the end.
            exchange.bodyEnd = .complete
        }
        if entry.detail >= .headers { addFields(to: &exchange, head: head, sent: answer?.request) }
        if entry.detail == .bodies { addBodies(to: &exchange, head: head, answer: answer, error: error) }
        journal.write(exchange, isDecided: decision == true, asking: call.logging.detail)
    }

    private static func outcome(
        head: HTTPResponse?,
        end: ExchangeLog.BodyEnd?,
        error: (any Error)?,
        isCancelled: Bool
    ) -> ExchangeOutcome {
        if isCancelled { return .cancelled }
        guard let head, end != .broken else { return .failure }
        let byStatus = ExchangeOutcome(status: head.status)
        return error != nil && byStatus == .success ? .failure : byStatus
    }

    /// Returns the original request, whose URL an inner stage may have completed.
    private func ownHead(_ sent: HTTPRequest?) -> HTTPRequest {
        call.isAbsolute ? call.request : call.record?.target ?? sent ?? call.request
    }

    private func origin(sent: HTTPRequest?, snapshot: ExchangeSnapshot?) -> Origin? {
        let own = ownHead(sent)
        if let origin = Request(head: own).origin { return origin }
        return Origin(own.authority == nil ? snapshot?.url ?? Request(head: own).url : Request(head: own).url)
    }

    private func exchange(sent: HTTPRequest?, snapshot: ExchangeSnapshot?, duration: Duration) -> ExchangeLog {
        let own = ownHead(sent)
        var url = call.redaction.url(Request(head: own).url)
        let final = sent.map { call.redaction.url(Request(head: $0).url) }
        if own.authority == nil, let snapshot { url = call.redaction.url(snapshot.url) }
        var exchange = ExchangeLog(
            call.request.method,
            url,
            duration: duration,
            start: startDate,
            component: call.component,
            unit: journal.unit,
            callID: call.id
        )
        exchange.origin = Request(head: own).origin ?? Origin(url)
        if let final, final != url { exchange.finalURL = final }
        exchange.attempt = call.attempt
        exchange.requestSize = call.body.size
        exchange.attributes = call.redaction.attributes(call.logging.attributes)
        let sentTrace = sent.flatMap { TraceIdentity($0.headerFields) }
        // The span that was sent is that of an attempt. The parent of the call itself is the task's span.
        exchange.attributes.add(journal.unit == .attempt ? sentTrace ?? trace : trace ?? sentTrace?.withoutSpan)
        return exchange
    }

    private func addFields(to exchange: inout ExchangeLog, head: HTTPResponse?, sent: HTTPRequest?) {
        exchange.requestFields = call.redaction.fields((sent ?? call.request).headerFields)
        exchange.responseFields = head.map { call.redaction.fields($0.headerFields) }
    }

    private func addBodies(to exchange: inout ExchangeLog, head: HTTPResponse?, answer: Answer?, error: (any Error)?) {
        exchange.requestBody = call.body.shown(call.redaction)
        let preview = answer?.content ?? answer?.tee?.preview ?? (error as? any HTTPChainError)?.exchange?.bodyPreview
        guard let preview, let head else { return }
        exchange.responseBody = LoggedBody(
            preview,
            size: exchange.bodyEnd == .complete ? exchange.responseSize.best : exchange.responseSize.declared,
            fields: BodyFields(head.headerFields),
            redaction: call.redaction
        )
    }
}

extension Response {
    /// The expected size of the body in bytes, or `nil` if only the end of the body determines it.
    fileprivate func declaredLength(answering method: HTTPRequest.Method) -> Int64? {
        if hasNoContent(answering: request?.method ?? method) { return 0 }
        return body.length ?? headers.declaredLength
    }
}

extension HTTPChainError {
    /// The number of attempts made, if the error contains it.
    ///
    /// An error for a 200 that can't be decoded doesn't.
    fileprivate var notedAttempts: Int? {
        for error in causes {
            if let count = (error as? any AnnotatedError)?.notes.attemptCount { return count }
            if let response = (error as? any ResponseError)?.response {
                return response.options.contains(AttemptCountFact.self) ? response.attempts : nil
            }
        }
        return nil
    }
}
