import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A transport without a network: it responds with closures, routes and scripts, and records every request.
///
/// ```swift
/// let transport = InMemoryTransport()
/// transport.on(.get, "/users/:id") { request in
///     Response(.ok, body: HTTPBody("user \(request.routeVariables["id"] ?? "")"))
/// }
/// transport.enqueue(.status(503))
/// let chain = try Chain(transport: transport) { RetryMiddleware() }
/// _ = try await chain.send(.get("https://api.example.com/users/7"))
/// #expect(transport.requests.count == 2)
/// try transport.assertAllUsed()
/// ```
///
/// Enqueued replies are used first, in order. Then the routes are searched, the most recently added first, so that a
/// test can override its fixture. If nothing matches, ``UnmatchedRequestError`` shows the nearest routes.
///
/// It fulfils the contract of a real transport: it checks a request and reads its body before responding. The body of a
/// response can be read once and must match the `Content-Length` of its head
/// (``/HTTPChainCore/TransportError/Kind/truncatedBody`` if it is shorter,
/// ``/HTTPChainCore/TransportError/Kind/malformedResponse`` if it is longer). Responses to HEAD and 1xx, 204 and 304
/// responses have no body. Any number of tasks may use it concurrently.
public final class InMemoryTransport: BuiltInTransport {
    /// A closure that responds to a request, whose body is complete and replayable.
    package typealias Handler = @Sendable (Request) async throws -> Response

    private struct State: Sendable {
        var replies: [ScriptedReply] = []
        var usedReplies = 0
        var routes: [Route] = []
        var recordings: Recordings
    }

    private enum Answer: Sendable {
        case reply(ScriptedReply)
        case handler(Handler, variables: [String: String])
        case nothing(routes: [Route], usedReplies: Int)
    }

    /// The capabilities reported to the stages; they don't change the transport's behaviour.
    package let transportCapabilities: TransportCapabilities
    private let bodyLimit: ByteCount
    private let network: SimulatedNetwork
    private let state: Watched<State>

    /// Creates a transport without replies, or one that responds to all requests with a closure.
    ///
    /// - Parameters:
    ///   - capabilities: The capabilities reported to the stages, for testing how the stages adapt. Defaults to those
    ///     of a good network transport.
    ///   - recordedBodyLimit: The maximum number of bytes recorded of each request's body; 1 MiB by default.
    ///   - recordedRequestLimit: The maximum number of requests that are recorded; 10,000 by default. Beyond it, the
    ///     oldest are dropped.
    ///   - network: The speed of the simulated network; no delays by default.
    ///   - handler: A closure that responds to requests that no reply and no route matches; none by default. Its errors
    ///     are thrown to the client.
    public init(
        capabilities: TransportCapabilities? = nil,
        recordedBodyLimit: ByteCount = .mebibytes(1),
        recordedRequestLimit: Int = 10_000,
        network: SimulatedNetwork = SimulatedNetwork(),
        handler: (@Sendable (Request) async throws -> Response)? = nil
    ) {
        transportCapabilities = capabilities ?? .inMemory
        self.network = network
        bodyLimit = recordedBodyLimit
        state = Watched(State(recordings: Recordings(limit: recordedRequestLimit)))
        if let handler { on(nil, "*", answer: handler) }
    }
}

// MARK: - Answers

extension InMemoryTransport {
    /// Responds to requests that match a method and a pattern.
    ///
    /// A pattern is a path (`"/users/:id"`) for every host, or includes a host, with or without scheme and port
    /// (`"https://api.example.com/users"`, `"//*.example.com:8080/users"`, `"//example.com"` for every path there).
    ///
    /// - `:name` matches one non-empty segment, and so does `*` as a whole segment.
    /// - `*` at the end matches the rest, which may be empty: `"/files/*"` matches `/files`, `/files/a` and
    ///   `/files/a/b`, `"/img-*"` matches `/img-1.png`, `"*"` matches everything.
    /// - A query in the pattern lists required parameters, in any order; others are allowed (`"/users?page=2"`,
    ///   `"/users?page"` for any value). Without a query in the pattern, the request's query is ignored.
    ///
    /// Segments and parameters are percent-decoded before they are compared. If several routes match, the most recently
    /// added one responds.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for any.
    ///   - pattern: The path, with or without a host.
    ///   - times: The maximum number of uses, after which the route no longer matches. ``assertAllUsed()`` requires
    ///     that many uses. Any number by default.
    ///   - isRequired: Whether ``assertAllUsed()`` requires at least one use; `false` by default.
    ///   - handler: A closure that returns the response. Its errors are thrown to the client.
    public func on(
        _ method: HTTPRequest.Method?,
        _ pattern: String,
        times: Int? = nil,
        isRequired: Bool = false,
        answer handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        add(method, pattern, times: times, isRequired: isRequired, .handler(handler))
    }

    /// Responds to requests that match a method and a pattern with one scripted reply.
    ///
    /// See ``on(_:_:times:isRequired:answer:)`` for the pattern.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for any.
    ///   - pattern: The path, with or without a host.
    ///   - times: The maximum number of uses; any number by default.
    ///   - isRequired: Whether ``assertAllUsed()`` requires at least one use; `false` by default.
    ///   - reply: The reply to each request.
    public func on(
        _ method: HTTPRequest.Method?,
        _ pattern: String,
        times: Int? = nil,
        isRequired: Bool = false,
        reply: ScriptedReply
    ) {
        add(method, pattern, times: times, isRequired: isRequired, .replies([reply]))
    }

    /// Responds to requests that match a method and a pattern with scripted replies, each once, in order.
    ///
    /// When they are used up, the route no longer matches. ``assertAllUsed()`` requires that all are used. See
    /// ``on(_:_:times:isRequired:answer:)`` for the pattern.
    public func on(_ method: HTTPRequest.Method?, _ pattern: String, replies: [ScriptedReply]) {
        add(method, pattern, times: replies.count, isRequired: false, .replies(replies))
    }

    private func add(
        _ method: HTTPRequest.Method?,
        _ pattern: String,
        times: Int?,
        isRequired: Bool,
        _ answer: Route.Answer
    ) {
        let route = Route(
            method: method,
            pattern: RoutePattern(pattern),
            times: times.map { max(0, $0) },
            isRequired: isRequired,
            answer: answer
        )
        state.update { $0.routes.append(route) }
    }

    /// Adds a reply to the script.
    ///
    /// The script responds to any request, in order and before any route.
    ///
    /// - Parameters:
    ///   - reply: The reply.
    ///   - times: The number of repetitions; 1 by default.
    public func enqueue(_ reply: ScriptedReply, times: Int = 1) {
        state.update { $0.replies.append(contentsOf: Array(repeating: reply, count: max(0, times))) }
    }

    /// Unavailable, because the script consists of replies, which can be sent several times.
    @available(*, unavailable, message: "write the reply without its type: .status(500), try .json(value)")
    public func enqueue(_ response: Response, times: Int = 1) {}

    /// Unavailable, because closures belong to routes.
    @available(*, unavailable, message: "give the closure to a route: on(nil, \"/*\", times: 1) { request in … }")
    public func enqueue(_ answer: @escaping @Sendable (Request) async throws -> Response, times: Int = 1) {}

    /// Adds replies to the script.
    package func enqueue(_ replies: [ScriptedReply]) {
        state.update { $0.replies.append(contentsOf: replies) }
    }

    /// Checks that all scripted replies and routes were used.
    ///
    /// - Throws: ``UnusedRepliesError`` with the remaining replies, the routes used less often than their `times`, and
    ///   the required routes that weren't used.
    public func assertAllUsed() throws {
        let (replies, used, routes) = state.read { ($0.replies, $0.usedReplies, $0.routes) }
        var unused = replies.enumerated().map { index, reply in
            "reply \(used + index + 1) of \(used + replies.count): \(reply.description)"
        }
        for route in routes where route.missingUses > 0 {
            unused.append("route \(route.name): used \(route.uses) of \(route.uses + route.missingUses) times")
        }
        if !unused.isEmpty { throw UnusedRepliesError(unused: unused, failedStage: name) }
    }

    /// Removes all replies, routes and recordings.
    public func reset() {
        state.update { state in
            state.replies = []
            state.usedReplies = 0
            state.routes = []
            state.recordings.removeAll()
        }
    }
}

// MARK: - Recordings

extension InMemoryTransport {
    /// The requests received, in order, except those that were invalid.
    ///
    /// A request appears as soon as it is received. Its body, response and error are added as they occur.
    public var requests: [RecordedRequest] { state.read(\.recordings.requests) }

    /// The number of requests received, including those no longer recorded.
    package var requestCount: Int { state.read(\.recordings.count) }

    /// Waits until this many requests have been received.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func waitForRequests(_ count: Int) async throws {
        try await state.wait { $0.recordings.count >= count ? () : nil }
    }
}

// MARK: - Sending

extension InMemoryTransport {
    /// Responds to a request from the script or a route.
    ///
    /// - Throws: ``/HTTPChainCore/InvalidRequestError`` for a request that no transport can send;
    ///   ``UnmatchedRequestError`` if nothing matches; ``/HTTPChainCore/BodyError`` if the request's body breaks its
    ///   length; ``/HTTPChainCore/TransportError`` as scripted; any error of a closure; `CancellationError` if the task
    ///   is cancelled.
    public func send(_ request: consuming Request) async throws -> Response {
        try Task.checkCancellation()
        let options = request.options
        let timer = TransferTimer(request, tellsConnection: true)
        let wire = try request.forWire()
        var head = wire.head
        if let length = wire.contentLength, length > 0 || Self.methodsWithContent.contains(head.method) {
            head.headerFields[.contentLength] = "\(length)"
        }
        let target = RouteTarget(head)
        let (number, answer) = state.update { state in
            let number = state.recordings.append(RecordedRequest(head: head, url: wire.url, options: options))
            return (number, Self.answer(head, target, in: &state))
        }
        do {
            let exchange = Answering(wire: wire, head: head, options: options, number: number, answer: answer)
            var response = try await respond(exchange, within: timer)
            try Task.checkCancellation()
            response.request = head
            return response
        } catch {
            record(number) { record in
                record.error = error
                record.response = nil
                record.responseBody = .none
            }
            throw error
        }
    }

    /// RFC 9110 §8.6: content has a defined meaning for these methods, so they send its length even if it is 0.
    private static let methodsWithContent: Set<HTTPRequest.Method> = [.post, .put, .patch, .query]

    private static func answer(_ head: HTTPRequest, _ target: RouteTarget, in state: inout State) -> Answer {
        if !state.replies.isEmpty {
            state.usedReplies += 1
            return .reply(state.replies.removeFirst())
        }
        for index in state.routes.indices.reversed() {
            guard let variables = state.routes[index].match(head.method, target) else { continue }
            let uses = state.routes[index].uses
            state.routes[index].uses += 1
            switch state.routes[index].answer {
            case .handler(let handler): return .handler(handler, variables: variables)
            case .replies(let replies): return .reply(replies[min(uses, replies.count - 1)])
            }
        }
        return .nothing(routes: state.routes, usedReplies: state.usedReplies)
    }

    /// A received request with its reply.
    private struct Answering: Sendable {
        let wire: WireRequest
        let head: HTTPRequest
        let options: RequestOptions
        let number: Int
        let answer: Answer
    }

    /// Responds within the deadline of the call and the limits of the transfer.
    private func respond(_ exchange: Answering, within timer: TransferTimer?) async throws -> Response {
        guard let timer else { return try await respond(to: exchange, timer: nil) }
        var response = try await timer.run { try await self.respond(to: exchange, timer: timer) }
        timer.answered(response.head)
        response.body = timer.keep(response.body)
        return response
    }

    private func respond(to exchange: Answering, timer: TransferTimer?) async throws -> Response {
        let number = exchange.number
        let delivery = Delivery(
            request: exchange.head,
            transport: name,
            time: exchange.options[EnvironmentNote.self].time,
            options: exchange.options,
            network: network,
            observer: { [weak self] progress in self?.record(number) { $0.note(progress) } },
            willDeliver: { [weak self] response in
                self?.record(number) { record in
                    record.response = response
                    record.responseBody = .pending
                }
            }
        )
        let progress = exchange.options.beginUploadReport()
        let receiver = Receiver(
            memory: bodyLimit,
            time: exchange.options[EnvironmentNote.self].time,
            rate: network.uploadPerSecond,
            progress: { sent, expected in
                timer?.sent(sent, of: expected)
                progress?(sent, expected)
            },
            record: { [bodyLimit] chunk in self.record(number) { $0.append(chunk, upTo: bodyLimit) } }
        )
        try await delivery.wait(for: network.connecting)
        timer?.connected()
        switch exchange.answer {
        case .reply(let reply):
            return try await delivery.play(reply) {
                _ = try await receiver.receive(exchange.wire, keeping: false)
                timer?.uploadEnded()
            }
        case .handler(let handler, let variables):
            var request = Request(head: exchange.head, options: exchange.options)
            request.body = try await receiver.receive(exchange.wire, keeping: true)
            timer?.uploadEnded()
            if !variables.isEmpty { request.options[RouteVariablesNote.self] = variables }
            return try await delivery.deliver(try await handler(request))
        case .nothing(let routes, let usedReplies):
            throw UnmatchedRequestError(
                exchange.head,
                routes: routes,
                usedReplies: usedReplies,
                stage: name,
                redaction: exchange.wire.redaction
            )
        }
    }

    private func record(_ number: Int, _ change: (inout RecordedRequest) -> Void) {
        state.update { $0.recordings.update(number, change) }
    }
}

extension TransportCapabilities {
    /// The capabilities of an ``InMemoryTransport``: streamed uploads with progress, backpressure, repeated fields, and
    /// deadlines.
    package static let inMemory: TransportCapabilities = [
        .streamsUploads, .backpressure, .reportsUploadProgress, .keepsRepeatedFields, .keepsDeadlines,
    ]
}
