import Foundation
import HTTPChainCore
import HTTPTypes

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The session behind a transport, and how it ends.
final class Engine: Sendable {
    /// What every transport made without a configuration uses, for as long as the process lives.
    static let shared = Engine(URLSessionTransport.Configuration())

    private struct State {
        /// Calls between their beginning and the end of their task.
        var active = 0
        var isShutDown = false
        var isInvalidated = false
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let configuration: URLSessionTransport.Configuration
    private let session: SessionHandle
    private let state = Locked(State())

    init(_ configuration: URLSessionTransport.Configuration) {
        self.configuration = configuration
        session = SessionHandle(configuration)
    }

    deinit {
        if !state.withLock({ $0.isInvalidated }) { session.invalidate() }
    }

    func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        let progress = request.options[UploadProgress.self]
        let time = request.environment.time
        let wire = try request.forWire()
        try Self.check(wire)
        guard begin() else { throw shutDownError(wire.head) }
        var isHandedOver = false
        defer { if !isHandedOver { finish() } }
        let upload = try await Upload(wire, memory: configuration.memoryWatermark, limit: configuration.spillLimit)
        let exchange = Exchange(
            head: wire.head,
            upload: upload,
            progress: progress,
            configuration: configuration,
            time: time
        )
        let urlRequest = try Self.urlRequest(wire, upload, exchange)
        isHandedOver = true
        return try await exchange.response { [self] in
            // The session is not invalidated before `finish()`, so it still takes tasks.
            let task = session.session.dataTask(with: urlRequest)
            session.delegate.register(exchange, for: task) { self.finish() }
            // A shutdown that came in between did not see this exchange among those to end.
            if state.withLock({ $0.isShutDown }) { exchange.end(throwing: shutDownError(wire.head)) }
            return task
        }
    }

    /// Ends every call, waits until the platform has let go of them, and gives up the sessions.
    func shutDown() async {
        let isFirst = state.withLock { state in
            defer { state.isShutDown = true }
            return !state.isShutDown
        }
        if isFirst {
            for exchange in session.delegate.exchanges { exchange.end(throwing: shutDownError(nil)) }
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.active > 0 { state.idleWaiters.append(continuation) }
                return state.active == 0
            }
            if isIdle { continuation.resume() }
        }
        let mayInvalidate = state.withLock { state in
            defer { state.isInvalidated = true }
            return !state.isInvalidated
        }
        if mayInvalidate { session.invalidate() }
    }

    private func begin() -> Bool {
        state.withLock { state in
            if state.isShutDown { return false }
            state.active += 1
            return true
        }
    }

    private func finish() {
        let waiters: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.active -= 1
            guard state.active == 0 else { return [] }
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func shutDownError(_ head: HTTPRequest?) -> TransportError {
        TransportError(
            .shutDown,
            sent: head == nil ? .maybe : .nothing,
            stage: stageName,
            exchange: head.map { ExchangeSnapshot($0) }
        )
    }
}

extension Engine {
    private static func check(_ wire: WireRequest) throws(InvalidRequestError) {
        if wire.head.path == "*" {
            throw InvalidRequestError(.invalidURL(wire.url, "URLSession cannot send a request for \"*\""))
        }
        // A GET with a body fails in URLSession, and a HEAD is sent without it.
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
        _ exchange: Exchange
    ) throws(InvalidRequestError) -> URLRequest {
        guard let url = URL(string: wire.url) else {
            throw InvalidRequestError(.invalidURL(wire.url, "URLSession does not take it for a URL"))
        }
        var request = URLRequest(url: url)
        request.httpMethod = wire.head.method.rawValue
        for field in wire.head.headerFields {
            let name = field.name.rawName
            if let before = request.value(forHTTPHeaderField: name) {
                // RFC 9110 §5.3 joins with commas; RFC 6265 §5.4 has one Cookie field with semicolons.
                let separator = field.name == .cookie ? "; " : ", "
                request.setValue(before + separator + field.value, forHTTPHeaderField: name)
            } else {
                request.setValue(field.value, forHTTPHeaderField: name)
            }
        }
        if case .none = upload { return request }
        PlatformBehaviour.attach(upload, exchange.makeBodyStream(), to: &request)
        return request
    }
}
