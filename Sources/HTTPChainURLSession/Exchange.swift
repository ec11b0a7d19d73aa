import Foundation
import HTTPChainCore
import HTTPTypes

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request with its response; it combines the platform's callbacks for a task into one result and one body.
///
/// It retains its task and its session until the platform reports that the task has ended.
final class Exchange: Sendable {
    fileprivate struct State {
        var task: URLSessionTask?
        var waiter: CheckedContinuation<Void, any Error>?
        /// The response, until the waiting call takes it.
        var response: Response?
        var buffer: SpillBuffer?
        var work = Work()
        var timer: Task<Void, Never>?
        /// The head, once it has arrived.
        var head: HTTPResponse?
        /// A head, with the bytes received so far, that is kept until the first bytes of the content show whether the
        /// platform has decoded it.
        var undecided: (status: Int, fields: HTTPFields, beginning: Data)?
        /// The reason why this side ended the transfer.
        var ending: (any Error)?
        /// Whether the task will end by itself, after a redirect that isn't followed.
        var isRedirected = false
        /// Whether further events of the task are ignored.
        var isOver = false
        var sentCount: Int64 = 0
        /// The number of times that the platform requested the request's body.
        var starts = 0
        /// Whether the network accepted bytes of the request's body, on any connection.
        var wasTaken = false
        /// Whether the platform waits for a network.
        var isWaitingForNetwork = false
        /// The writing ends of failed streams, kept open until the task has ended.
        var failedStreams: [any Sendable] = []
    }

    private let head: HTTPRequest
    /// The options of the call, which determine its redaction.
    private let options: RequestOptions
    private let upload: Upload
    private let progress: (@Sendable (Int64, Int64?) -> Void)?
    /// The timer for the deadline of the call and the limits of the transfer.
    ///
    /// It runs until the response's body is finished.
    private let timer: TransferTimer?
    private let configuration: URLSessionTransport.Configuration
    private let control: ConnectionControl
    private let report: (@Sendable (ConnectionMetrics) -> Void)?
    private let connectivity: (@Sendable (Bool) -> Void)?
    private let time: any TimeSource
    private let state = Locked(State())

    init(
        head: HTTPRequest,
        options: RequestOptions,
        upload: Upload,
        progress: (@Sendable (Int64, Int64?) -> Void)?,
        timer: TransferTimer?,
        configuration: URLSessionTransport.Configuration,
        control: ConnectionControl,
        report: (@Sendable (ConnectionMetrics) -> Void)?,
        connectivity: (@Sendable (Bool) -> Void)?,
        time: any TimeSource
    ) {
        self.head = head
        self.options = options
        self.upload = upload
        self.progress = progress
        self.timer = timer
        self.configuration = configuration
        self.control = control
        self.report = report
        self.connectivity = connectivity
        self.time = time
    }

    // MARK: What the transport asks

    /// Starts a task and waits for the response head.
    ///
    /// - Parameter makeTask: A closure that creates the task. It is always called, and the task always ends.
    func response(from makeTask: @escaping @Sendable () -> URLSessionTask) async throws -> Response {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let ending: (any Error)? = state.withLock { state in
                    if state.ending == nil { state.waiter = continuation }
                    return state.ending
                }
                // The timer starts before the call waits for the queue, because that may take long while the platform
                // verifies many servers at once.
                if let ending { continuation.resume(throwing: ending) } else { startTimers() }
                PlatformBehaviour.onControlQueue { self.start(makeTask()) }
            }
        } onCancel: {
            end(throwing: CancellationError())
        }
        // The response is passed while holding the lock, which orders memory between Foundation's threads and Swift's,
        // even for tools that don't understand continuations.
        let response = state.withLock { $0.response.take() }
        guard let response else { throw failure(.other, .answered, detail: "the response was taken twice") }
        return response
    }

    private func start(_ task: URLSessionTask) {
        let isWanted = state.withLock { state in
            state.task = task
            return state.ending == nil
        }
        guard isWanted else { return PlatformBehaviour.cancel(task) }
        task.resume()
    }

    private func startTimers() {
        startTimer()
        timer?.start { [weak self] error in self?.expire(error) }
    }

    /// Ends the transfer because of a timeout, discarding received bytes that haven't been read.
    private func expire(_ error: TimeoutError) {
        end(throwing: error)
        state.withLock { $0.buffer }?.abort(throwing: error)
    }

    /// Records that nothing waits for the exchange anymore.
    func isDone() {
        timer?.end()
    }

    /// Ends the transfer from this side, unless it has already ended; if the call is still waiting, it throws `error`.
    func end(throwing error: any Error) {
        let ended: State? = state.withLock { state in
            guard !state.isOver, state.ending == nil else { return nil }
            state.ending = error
            let before = state
            state.waiter = nil
            state.work = Work()
            state.timer = nil
            return before
        }
        guard let ended else { return }
        isDone()
        ended.waiter?.resume(throwing: error)
        ended.buffer?.abort(throwing: error)
        // The task is cancelled first, because an upload whose source is closed would look complete to the platform.
        if let task = ended.task, !ended.isRedirected { PlatformBehaviour.cancel(task) }
        ended.release()
    }

    // MARK: What the platform tells

    /// Called when there is no network that may carry the request, and the platform waits for one.
    func waitsForNetwork() {
        let isNews = state.withLock { state in
            defer { state.isWaitingForNetwork = true }
            return !state.isWaitingForNetwork && !state.isOver && state.ending == nil
        }
        if isNews { connectivity?(true) }
    }

    /// Records that a network carries the request.
    private func hasNetwork() {
        let isNews = state.withLock { state in
            defer { state.isWaitingForNetwork = false }
            return state.isWaitingForNetwork
        }
        if isNews { connectivity?(false) }
    }

    /// Called when a response head has arrived.
    func received(_ response: HTTPURLResponse) {
        // RFC 9110 §15.2: interim responses are skipped, but 101 is a final response.
        guard response.statusCode >= 200 || response.statusCode == 101 else { return }
        hasNetwork()
        // Apple platforms report a head for each part of multipart/x-mixed-replace. Only the first one is the
        // response's.
        guard state.withLock({ $0.head == nil && $0.undecided == nil }) else { return }
        guard let fields = fields(of: response) else { return }
        let status = response.statusCode
        if let codings = fields[.contentEncoding], PlatformBehaviour.showsDecodingInContent(codings) {
            state.withLock { $0.undecided = (status, fields, Data()) }
        } else {
            received(status, fields)
        }
    }

    /// Called when the platform asks whether to follow a redirect, after the response was received.
    ///
    /// Either the task is cancelled, or the platform's callback is called, which ends the task. FoundationNetworking
    /// traps if the task was cancelled before the callback is called.
    ///
    /// - Returns: Whether the callback may be called.
    func mayDeclineRedirect() -> Bool {
        guard PlatformBehaviour.trapsOnRedirectOfCancelledTask else { return true }
        return state.withLock { state in
            state.isRedirected = state.ending == nil
            return state.isRedirected
        }
    }

    /// Returns the fields of a response; if there are too many, ends the exchange and returns `nil`.
    private func fields(of response: HTTPURLResponse) -> HTTPFields? {
        do {
            return try ResponseHead.fields(of: response)
        } catch {
            end(throwing: failure(.malformedResponse, .answered, detail: "\(error)"))
            return nil
        }
    }

    /// - Parameters:
    ///   - isDecoded: Whether the platform has decoded the content, if known.
    ///   - lostBody: Whether the platform dropped the body.
    private func received(_ status: Int, _ fields: HTTPFields, isDecoded: Bool? = nil, lostBody: Bool = false) {
        do {
            let response = try ResponseHead(status: status, fields: fields, to: head.method, isDecoded: isDecoded)
            answer(response, lostBody: lostBody)
        } catch {
            end(throwing: failure(.malformedResponse, .answered, detail: error.detail))
        }
    }

    /// Determines the head of a response from the first bytes of its content.
    ///
    /// - Returns: The bytes to pass on; nil if more are needed.
    private func decide(by data: Data, isEnded: Bool = false) -> Data? {
        let (undecided, isWaiting) = state.withLock { state in
            state.undecided?.beginning.append(data)
            let undecided = state.undecided
            let isWaiting = !isEnded && undecided.map { $0.beginning.count < DecodedContent.magicLength } ?? false
            if !isWaiting { state.undecided = nil }
            return (undecided, isWaiting)
        }
        guard let (status, fields, beginning) = undecided else { return data }
        if isWaiting { return nil }
        received(status, fields, isDecoded: DecodedContent.isDecoded(beginning))
        return beginning
    }

    /// Called when bytes of the body have arrived.
    func received(_ data: Data) {
        if let data = decide(by: data) { append(data) }
    }

    private func append(_ data: Data) {
        guard let buffer = state.withLock({ $0.buffer }) else { return }
        do {
            try buffer.append(data)
        } catch let error as SpillLimitError {
            end(throwing: SpillLimitError(limit: error.limit, exchange: snapshot()))
        } catch {
            end(throwing: error)
        }
    }

    #if !canImport(FoundationNetworking)
    /// Called with the platform's metrics, just before the task ends.
    func measured(_ metrics: URLSessionTaskMetrics) {
        if let report, let metrics = ConnectionMetrics(metrics) { report(metrics) }
    }
    #endif

    /// Called when the network has accepted bytes of the request's body.
    ///
    /// - Parameters:
    ///   - count: The number since the last call.
    ///   - total: The number of bytes of the body in the current attempt, as counted by the platform.
    func sent(_ count: Int64, total: Int64) {
        let sent = state.withLock { state in
            state.wasTaken = true
            state.sentCount = PlatformBehaviour.sentCount(
                after: state.sentCount,
                count,
                total: total,
                of: upload.length
            )
            return state.sentCount
        }
        hasNetwork()
        timer?.sent(sent, of: upload.length)
        progress?(sent, upload.length)
    }

    /// Called when the task has ended, normally or with an error of the platform.
    ///
    /// - Parameters:
    ///   - error: The platform's error.
    ///   - response: The platform's response, for a head that wasn't reported.
    func completed(_ error: (any Error)?, response: URLResponse?) {
        if let rest = decide(by: Data(), isEnded: true), !rest.isEmpty { append(rest) }
        if error == nil, let response = response as? HTTPURLResponse, state.withLock({ $0.head == nil }) {
            // FoundationNetworking doesn't report a redirect without a usable Location until it has ended, and then
            // drops its body.
            if let fields = fields(of: response) { received(response.statusCode, fields, lostBody: true) }
        }
        let ended: State? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.isOver = true
            let before = state
            state = State()
            state.isOver = true
            state.response = before.response
            state.buffer = before.buffer
            return before
        }
        guard let ended else { return }
        if ended.buffer == nil { isDone() }
        ended.release()
        guard ended.ending == nil else { return }
        let failure: (any Error)? = error.map { transportError(for: $0, after: ended) }
        ended.waiter?.resume(
            throwing: failure ?? self.failure(.malformedResponse, .answered, detail: "the platform gave no response")
        )
        ended.buffer?.finish(throwing: failure)
    }

    /// Called when the platform requests the body; it may do so repeatedly, to send the body on another connection.
    func makeBodyStream() -> InputStream? {
        let isAgain = state.withLock { state in
            state.sentCount = 0
            state.starts += 1
            return state.starts > 1
        }
        if isAgain, let reason = reasonNotToResend {
            let lost = failure(
                .connectionLost,
                .maybe,
                detail: "the connection was closed before a response, and \(reason)"
            )
            end(throwing: lost)
            return brokenStream(lost)
        }
        do {
            guard let source = try startSource() else { return nil }
            return InputStream.reading(source) { [weak self] error, stream in
                self?.keep(stream)
                if !(error is UploadClosed) { self?.end(throwing: error) }
            }
        } catch {
            end(throwing: error)
            return brokenStream(error)
        }
    }

    /// The reason why the platform must not resend the body by itself, or `nil` if it may (RFC 9110 §9.2.2).
    private var reasonNotToResend: String? {
        if case .stream(let body, _) = upload, !body.isReplayable { return "the request body can be read only once" }
        return isRepeatable ? nil : "\(head.method) may not be sent twice without an Idempotency-Key"
    }

    /// Whether the platform may resend the request by itself.
    ///
    /// The server may have processed the first request. Only the caller or a stage knows whether the request may be
    /// repeated.
    private var isRepeatable: Bool {
        head.method.isIdempotent || head.headerFields[.idempotencyKey]?.isEmpty == false
    }

    /// Whether the request needs a separate session, because the platform could resend it if a connection is reused.
    var needsSeparateSession: Bool { PlatformBehaviour.resendsEmptyRequests && upload.isNone && !isRepeatable }

    /// Returns a stream for a body that can't be sent.
    private func brokenStream(_ error: any Error) -> InputStream? {
        InputStream.reading(BrokenUpload(error: error)) { [weak self] _, stream in self?.keep(stream) }
    }

    /// Keeps the writing end of a failed stream until the task has ended.
    private func keep(_ stream: (any Sendable)?) {
        guard let stream else { return }
        state.withLock { if !$0.isOver { $0.failedStreams.append(stream) } }
    }

    // MARK: Parts

    private func startSource() throws -> (any UploadSource)? {
        let source: any UploadSource
        var pump: Task<Void, Never>?
        switch upload {
        case .none: return nil
        case .bytes(let data): source = StoredUpload(data)
        case .file(let url, let range, let owner): source = StoredUpload(file: url, range: range, owner: owner)
        case .stream(let body, let length):
            let pulled = PulledUpload()
            source = pulled
            pump = Task { [weak self] in
                do {
                    try await pulled.pump(body, length: length)
                    self?.timer?.uploadEnded()
                } catch is UploadClosed {
                    // The transfer has already ended, with another error.
                } catch {
                    // It is only cancelled if its stream is replaced or no longer needed.
                    guard !Task.isCancelled else { return }
                    self?.end(throwing: error)
                    pulled.close()
                }
            }
        }
        // The previous stream, if any, is no longer read.
        state.withLock { $0.work }.stop()
        let work = Work(upload: source, pump: pump)
        let isWanted = state.withLock { state in
            guard !state.isOver, state.ending == nil else { return false }
            state.work = work
            return true
        }
        if !isWanted { work.stop() }
        return source
    }

    private func answer(_ answer: ResponseHead, lostBody: Bool) {
        var body = HTTPBody.empty
        var buffer: SpillBuffer?
        switch answer.content {
        case .none: break
        case .body(let length):
            if lostBody {
                let lost = TransportError(
                    .other,
                    sent: .answered,
                    stage: stageName,
                    detail: "FoundationNetworking drops the body of a redirect without a usable Location",
                    exchange: ExchangeSnapshot(head, response: answer.head, redaction: redaction)
                )
                body = .once(length: length) { LostBodyReader(error: lost) }
            } else {
                let spill = SpillBuffer(
                    watermark: configuration.memoryWatermark,
                    limit: configuration.spillLimit,
                    onFailure: { [weak self] in self?.end(throwing: $0) }
                )
                let source = ResponseSource(buffer: spill, exchange: self)
                buffer = spill
                body = .once(length: length) { [timer] in ResponseReader(source: source, timer: timer) }
                    .keepingDeadline(timer?.callDeadline)
            }
        }
        var response = Response(head: answer.head, body: body)
        response.request = head
        if !answer.original.isEmpty { response.options[OriginalContentFieldsFact.self] = answer.original }
        timer?.answered(answer.head)
        let waiter = state.withLock { [response] state -> CheckedContinuation<Void, any Error>? in
            guard !state.isOver, state.ending == nil, state.head == nil else { return nil }
            state.head = answer.head
            state.buffer = buffer
            let waiter = state.waiter.take()
            if waiter != nil { state.response = response }
            return waiter
        }
        waiter?.resume()
    }

    private func startTimer() {
        guard PlatformBehaviour.watchesResourceTimeout, let timeout = configuration.resourceTimeout else { return }
        let timer = Task { [weak self, time] in
            guard (try? await time.sleep(for: timeout)) != nil, let self else { return }
            let isAnswered = state.withLock { $0.head != nil }
            end(throwing: failure(.timedOut, isAnswered ? .answered : .maybe, detail: "resource timeout of \(timeout)"))
        }
        let isOver = state.withLock { state in
            guard !state.isOver, state.ending == nil else { return true }
            state.timer = timer
            return false
        }
        if isOver { timer.cancel() }
    }

    private func transportError(for error: any Error, after ended: State) -> any Error {
        if ended.head == nil, PlatformError.isInvalidURL(error) { return Self.rejectedURL(of: head, redaction) }
        // A separate session has no earlier connection.
        let mayHaveBeenSent =
            !needsSeparateSession
            && upload.mayHaveBeenSent(starts: ended.starts, wasTaken: ended.wasTaken, method: head.method)
        #if !canImport(FoundationNetworking)
        // If a connection was refused because of its certificate or keys, the platform reports that as cancelled. It
        // was refused in the handshake, but an earlier connection may have carried the request.
        if (error as? URLError)?.code == .cancelled, ended.head == nil,
            let host = Origin(scheme: head.scheme, authority: head.authority)?.host,
            let refusal = control.refusal(of: host)
        {
            return failure(.untrustedServer, mayHaveBeenSent ? .maybe : .nothing, detail: refusal)
        }
        #endif
        let reading = PlatformError(error, isAnswered: ended.head != nil, mayHaveBeenSent: mayHaveBeenSent)
        return TransportError(
            reading.kind,
            sent: reading.sent,
            stage: stageName,
            detail: redaction.text(reading.detail, upTo: Redaction.longestShown),
            exchange: ExchangeSnapshot(head, response: ended.head, redaction: redaction),
            underlyingError: reading.cause
        )
    }

    /// The error for a URL that the platform doesn't accept; the platform checks the URL before it connects.
    static func rejectedURL(of head: HTTPRequest, _ redaction: Redaction) -> InvalidRequestError {
        let isIPv6 = Origin(scheme: head.scheme, authority: head.authority)?.server.isIPv6 == true
        let why =
            isIPv6 && !PlatformBehaviour.acceptsIPv6Addresses
            ? "on Linux URLSession does not accept an IPv6 address as a host; use a host name, or the AsyncHTTPClient "
                + "transport" : "URLSession does not accept it as a URL"
        return InvalidRequestError(.invalidURL(redaction.url(Request(head: head).url), why))
    }

    private func failure(_ kind: TransportError.Kind, _ sent: TransportError.Sent, detail: String) -> TransportError {
        TransportError(kind, sent: sent, stage: stageName, detail: detail, exchange: snapshot())
    }

    private func snapshot() -> ExchangeSnapshot {
        ExchangeSnapshot(head, response: state.withLock { $0.head }, redaction: redaction)
    }

    private var redaction: Redaction { Request(head: head, options: options).redaction }
}

let stageName = "URLSessionTransport"

/// The work that provides the request's body.
private struct Work: Sendable {
    var upload: (any UploadSource)?
    var pump: Task<Void, Never>?

    func stop() {
        pump?.cancel()
        upload?.close()
    }
}

extension Exchange.State {
    /// Stops the exchange's work.
    fileprivate func release() {
        timer?.cancel()
        work.stop()
    }
}

/// An upload that throws when it is read, because the body can't be sent again.
private struct BrokenUpload: UploadSource {
    let error: any Error

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int { throw error }
    func close() {}
}
