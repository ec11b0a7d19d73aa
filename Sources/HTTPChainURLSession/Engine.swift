import Foundation
import HTTPChainCore
import HTTPTypes

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session behind a transport, which can be shut down.
final class Engine: Sendable {
    /// The engine of every transport created without a configuration, for the lifetime of the process.
    static let shared = Engine(URLSessionTransport.Configuration())

    private struct State: Sendable {
        /// The number of calls that have begun and whose tasks haven't ended.
        var active = 0
        var isShutDown = false
        var isInvalidated = false
        /// The calls that are reading their body before sending it.
        var preparing: [Int: Task<Upload, any Error>] = [:]
        var lastPreparation = 0
        /// The sessions for a single request whose tasks haven't ended.
        var separateSessions: [ObjectIdentifier: SessionHandle] = [:]
    }

    let configuration: URLSessionTransport.Configuration
    let control: ConnectionControl
    private let session: SessionHandle
    private let state = Watched(State())

    init(_ configuration: URLSessionTransport.Configuration, _ control: ConnectionControl = .standard) {
        self.configuration = configuration
        self.control = control
        session = SessionHandle(configuration, control)
    }

    deinit {
        if !state.read(\.isInvalidated) { session.invalidate() }
    }

    func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        if request.body.isUnmeasuredFile { request.body = try await request.body.measured() }
        let progress = request.beginUploadReport()
        let report = request.options[ConnectionReportNote.self]
        let connectivity = request.options[ConnectivityReportNote.self]
        let time = request.environment.time
        // This request carries the limits of the exchange. The head and body are used separately.
        let limited = Request(head: request.head, options: request.options)
        let wire = try request.forWire()
        try Self.check(wire)
        guard begin() else { throw shutDownError(wire) }
        var isHandedOver = false
        defer { if !isHandedOver { finish() } }
        let timer = TransferTimer(limited)
        timer?.stores()
        // A stream may have to be stored first. The limits of the call and of the attempt include the time for that.
        let isAtHand = wire.body.bytes != nil || wire.body.file != nil
        let upload =
            if let timer, !isAtHand {
                try await timer.run { try await self.prepareUpload(of: wire) }
            } else {
                try await prepareUpload(of: wire)
            }
        timer?.stored(upload.isNone ? .atOnce : .told)
        let exchange = Exchange(
            head: wire.head,
            options: limited.options,
            upload: upload,
            progress: progress,
            timer: timer,
            configuration: configuration,
            control: control,
            report: report,
            connectivity: connectivity,
            time: time
        )
        let urlRequest = try Self.urlRequest(wire, upload, exchange, limited.options)
        isHandedOver = true
        return try await exchange.response { [self] in
            // The session isn't invalidated before `finish(_:)`, so it still accepts the task.
            let session = exchange.needsSeparateSession ? makeSeparateSession() : self.session
            let task = session.session.dataTask(with: urlRequest)
            session.delegate.register(exchange, for: task) { self.finish(session) }
            // If the transport was shut down in the meantime, the shutdown didn't end this exchange.
            if state.read(\.isShutDown) { exchange.end(throwing: shutDownError(wire)) }
            return task
        }
    }

    /// Ends all calls, waits until the platform has released them, and ends the session.
    func shutDown() async {
        let isFirst = state.update { state in
            defer { state.isShutDown = true }
            return !state.isShutDown
        }
        if isFirst {
            for preparation in state.read({ Array($0.preparing.values) }) { preparation.cancel() }
            for session in [session] + state.read({ Array($0.separateSessions.values) }) {
                for exchange in session.delegate.exchanges { exchange.end(throwing: shutDownError(nil)) }
            }
        }
        await state.waitUninterrupted { $0.active == 0 ? () : nil }
        let mayInvalidate = state.update { state in
            defer { state.isInvalidated = true }
            return !state.isInvalidated
        }
        if mayInvalidate { session.invalidate() }
    }

    /// Converts the body of a request to a form that the platform accepts.
    ///
    /// This may read a stream to its end, in a task that ``shutDown()`` can cancel.
    private func prepareUpload(of wire: WireRequest) async throws -> Upload {
        if let bytes = wire.body.bytes { return bytes.isEmpty ? .none : .bytes(bytes) }
        let preparation = Task { [configuration] in
            try await Upload(wire, memory: configuration.memoryWatermark, limit: configuration.spillLimit)
        }
        let id: Int? = state.update { state in
            if state.isShutDown { return nil }
            state.lastPreparation += 1
            state.preparing[state.lastPreparation] = preparation
            return state.lastPreparation
        }
        guard let id else {
            preparation.cancel()
            throw shutDownError(wire)
        }
        defer { state.update { $0.preparing[id] = nil } }
        do {
            return try await withTaskCancellationHandler {
                try await preparation.value
            } onCancel: {
                preparation.cancel()
            }
        } catch {
            if !Task.isCancelled, state.read(\.isShutDown) { throw shutDownError(wire) }
            throw error
        }
    }

    private func begin() -> Bool {
        state.update { state in
            if state.isShutDown { return false }
            state.active += 1
            return true
        }
    }

    /// Makes a session for a single request.
    private func makeSeparateSession() -> SessionHandle {
        let separate = SessionHandle(session.session.configuration, control)
        state.update { $0.separateSessions[ObjectIdentifier(separate)] = separate }
        return separate
    }

    /// Called when the task of a session has ended.
    private func finish(_ used: SessionHandle) {
        if state.update({ $0.separateSessions.removeValue(forKey: ObjectIdentifier(used)) }) != nil {
            used.invalidate()
        }
        finish()
    }

    private func finish() {
        state.update { $0.active -= 1 }
    }

    private func shutDownError(_ wire: WireRequest?) -> TransportError {
        TransportError(
            .shutDown,
            sent: wire == nil ? .maybe : .nothing,
            stage: stageName,
            exchange: wire.map { ExchangeSnapshot($0.head, redaction: $0.redaction) }
        )
    }
}

extension Engine {
    private static func check(_ wire: WireRequest) throws(InvalidRequestError) {
        try wire.requirePath(for: "URLSession")
        // URLSession fails a GET with a body, and sends a HEAD without it.
        if wire.head.method == .get || wire.head.method == .head, wire.contentLength != 0 {
            throw InvalidRequestError(
                .unsupportedBody(
                    "URLSession cannot send a body with \(wire.head.method); "
                        + "use POST or QUERY, or the AsyncHTTPClient transport"
                )
            )
        }
    }

    private static func urlRequest(
        _ wire: WireRequest,
        _ upload: Upload,
        _ exchange: Exchange,
        _ options: RequestOptions
    ) throws(InvalidRequestError) -> URLRequest {
        guard let url = URL(string: wire.url) else { throw Exchange.rejectedURL(of: wire.head, wire.redaction) }
        var request = URLRequest(url: url)
        request.httpMethod = wire.head.method.rawValue
        // An event stream may be silent for a very long time. Its reader enforces a limit instead.
        if options[LongLivedResponseNote.self] { request.timeoutInterval = 7 * 86_400 }
        PlatformBehaviour.follow(options[NetworkHints.Option.self], in: &request)
        for field in wire.head.headerFields {
            let name = field.name.rawName
            if let before = request.value(forHTTPHeaderField: name) {
                // RFC 9110 §5.3 joins fields with commas. RFC 6265 §5.4 requires a single Cookie field with semicolons.
                let separator = field.name == .cookie ? "; " : ", "
                request.setValue(before + separator + field.value, forHTTPHeaderField: name)
            } else {
                request.setValue(field.value, forHTTPHeaderField: name)
            }
        }
        if case .none = upload { return request }
        PlatformBehaviour.attach(upload, to: &request) { exchange.makeBodyStream() }
        return request
    }
}
