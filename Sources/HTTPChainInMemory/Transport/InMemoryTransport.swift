import Foundation
public import HTTPChainCore
public import HTTPTypes

/// A transport without a network: closures, routes and scripts answer, and every request is recorded.
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
/// Replies that were enqueued are used up first, in order; then the routes are asked, the one added last first, so that
/// a test can override what its fixture set. When nothing matches, ``UnmatchedRequestError`` shows what was near.
///
/// It keeps the contract of a real transport. A request is checked and its body read before it is answered. The body of
/// a response can be read once, is held to the `Content-Length` of its head
/// (``/HTTPChainCore/TransportError/Kind/truncatedBody`` when it is shorter,
/// ``/HTTPChainCore/TransportError/Kind/malformedResponse`` when it is longer), and there is none in an answer to HEAD
/// and with 1xx, 204 and 304. It can be used by any number of tasks at a time.
public final class InMemoryTransport: Transport {
    /// Answers a request; its body is all there and can be read again and again.
    public typealias Handler = @Sendable (Request) async throws -> Response

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

    /// The capabilities that the stages above are told of; it does not change what the transport does.
    public let capabilities: TransportCapabilities
    /// "InMemoryTransport".
    public let name = "InMemoryTransport"
    private let bodyLimit: ByteCount
    private let network: SimulatedNetwork
    private let state: Watched<State>

    /// Makes a transport that has no answers yet.
    ///
    /// - Parameters:
    ///   - capabilities: What the stages above are told, to test how they adapt; all that a good network transport can
    ///     by default.
    ///   - recordedBodyLimit: How much of each request's body is recorded; 1 MiB by default.
    ///   - recordedRequestLimit: How many requests are recorded, the latest; 10,000 by default.
    ///   - network: How slow the network is that it pretends to have; nothing takes time by default.
    public init(
        capabilities: TransportCapabilities = .inMemory,
        recordedBodyLimit: ByteCount = .mebibytes(1),
        recordedRequestLimit: Int = 10_000,
        network: SimulatedNetwork = SimulatedNetwork()
    ) {
        self.capabilities = capabilities
        self.network = network
        bodyLimit = recordedBodyLimit
        state = Watched(State(recordings: Recordings(limit: recordedRequestLimit)))
    }

    /// Makes a transport whose requests are all answered by one closure.
    ///
    /// - Parameters:
    ///   - capabilities: What the stages above are told; all that a good network transport can by default.
    ///   - handler: Answers what no reply and no route added later does; what it throws, the client gets.
    public convenience init(
        capabilities: TransportCapabilities = .inMemory,
        handler: @escaping Handler
    ) {
        self.init(capabilities: capabilities)
        on(nil, "*", answer: handler)
    }
}

// MARK: - Answers

extension InMemoryTransport {
    /// Answers the requests that fit a method and a pattern.
    ///
    /// A pattern is a path (`"/users/:id"`) for every host, or has a host, with or without scheme and port
    /// (`"https://api.example.com/users"`, `"//*.example.com:8080/users"`, `"//example.com"` for every path there).
    ///
    /// - `:name` stands for one segment that is not empty, `*` as a whole segment for one as well.
    /// - `*` at the end stands for the rest, which may be empty: `"/files/*"` fits `/files`, `/files/a` and
    ///   `/files/a/b`, `"/img-*"` fits `/img-1.png`, `"*"` fits everything.
    /// - A query in the pattern names parameters that must be there, in any order, among others (`"/users?page=2"`,
    ///   `"/users?page"` for any value); without one the query does not matter.
    ///
    /// Segments and parameters are compared percent-decoded. Of several routes that fit, the one added last answers.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for any.
    ///   - pattern: The path, with or without a host.
    ///   - times: How often the route answers at most, after which it no longer fits; ``assertAllUsed()`` wants it to
    ///     be used as often. Any number by default.
    ///   - isRequired: Whether ``assertAllUsed()`` wants it to be used at least once; `false` by default.
    ///   - handler: Answers; what it throws, the client gets.
    public func on(
        _ method: HTTPRequest.Method?,
        _ pattern: String,
        times: Int? = nil,
        isRequired: Bool = false,
        answer handler: @escaping Handler
    ) {
        add(method, pattern, times: times, isRequired: isRequired, .handler(handler))
    }

    /// Answers the requests that fit a method and a pattern with one scripted reply.
    ///
    /// See ``on(_:_:times:isRequired:answer:)`` for the pattern.
    ///
    /// - Parameters:
    ///   - method: The method; `nil` for any.
    ///   - pattern: The path, with or without a host.
    ///   - times: How often the route answers at most; any number by default.
    ///   - isRequired: Whether ``assertAllUsed()`` wants it to be used at least once; `false` by default.
    ///   - reply: What to answer, each time.
    public func on(
        _ method: HTTPRequest.Method?,
        _ pattern: String,
        times: Int? = nil,
        isRequired: Bool = false,
        reply: ScriptedReply
    ) {
        add(method, pattern, times: times, isRequired: isRequired, .replies([reply]))
    }

    /// Answers the requests that fit a method and a pattern with scripted replies: each once, in order.
    ///
    /// When they are used up the route no longer fits; ``assertAllUsed()`` wants all of them used. See
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

    /// Adds a reply to the script, which answers whatever request comes, in order and before any route.
    ///
    /// - Parameters:
    ///   - reply: What to answer.
    ///   - times: How often; once by default.
    public func enqueue(_ reply: ScriptedReply, times: Int = 1) {
        state.update { $0.replies.append(contentsOf: Array(repeating: reply, count: max(0, times))) }
    }

    /// Adds replies to the script.
    public func enqueue(_ replies: [ScriptedReply]) {
        state.update { $0.replies.append(contentsOf: replies) }
    }

    /// Makes sure that all that was scripted was asked for.
    ///
    /// - Throws: ``UnusedRepliesError`` with the replies that are left, the routes with `times` that were used less
    ///   often, and the routes that are required and were not used.
    public func assertAllUsed() throws {
        let (replies, used, routes) = state.read { ($0.replies, $0.usedReplies, $0.routes) }
        var unused = replies.enumerated().map { index, reply in
            "reply \(used + index + 1) of \(used + replies.count): \(reply)"
        }
        for route in routes where route.missingUses > 0 {
            unused.append("route \(route.name): used \(route.uses) of \(route.uses + route.missingUses) times")
        }
        if !unused.isEmpty { throw UnusedRepliesError(unused: unused, stage: name) }
    }

    /// Forgets replies, routes and recordings.
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
    /// The requests received, in the order they came; a request that could not be sent at all is not among them.
    ///
    /// A request is there as soon as it is received; its body, response and error follow as they come.
    public var requests: [RecordedRequest] { state.read(\.recordings.requests) }

    /// The number of requests that were received, those no longer recorded included.
    public var requestCount: Int { state.read(\.recordings.count) }

    /// Waits until this many requests were received.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func waitForRequests(_ count: Int) async throws {
        try await state.wait { $0.recordings.count >= count ? () : nil }
    }

    /// Forgets the recordings and nothing else.
    public func clearRequests() {
        state.update { $0.recordings.removeAll() }
    }
}

// MARK: - Sending

extension InMemoryTransport {
    /// Answers a request from the script or a route.
    ///
    /// - Throws: ``/HTTPChainCore/InvalidRequestError`` for what no transport can send; ``UnmatchedRequestError`` when
    ///   nothing answers; ``/HTTPChainCore/BodyError`` when the request's body breaks its length;
    ///   ``/HTTPChainCore/TransportError`` as scripted; what a closure throws; `CancellationError` when the task is
    ///   cancelled.
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

    /// RFC 9110 §8.6: these methods give content a meaning, so that they name its length even when it is 0.
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

    /// One request that was received, and what answers it.
    private struct Answering: Sendable {
        let wire: WireRequest
        let head: HTTPRequest
        let options: RequestOptions
        let number: Int
        let answer: Answer
    }

    /// Answers, and gives up what waits beyond the deadline of the call or a limit of the transfer.
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
            time: exchange.options[EnvironmentOption.self].time,
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
            time: exchange.options[EnvironmentOption.self].time,
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
            if !variables.isEmpty { request.options[RouteVariables.self] = variables }
            return try delivery.deliver(try await handler(request))
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
    /// The capabilities of an ``InMemoryTransport``: streamed uploads with their progress, backpressure, repeated
    /// fields.
    public static let inMemory: TransportCapabilities = [
        .streamsUploads, .backpressure, .reportsUploadProgress, .keepsRepeatedFields, .keepsDeadlines,
    ]
}
