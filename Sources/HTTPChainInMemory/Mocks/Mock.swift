public import HTTPChainCore

/// Answers the requests that were made from values of one type; see ``MockTransport``.
public struct Mock: Sendable {
    typealias Answer = @Sendable (MockCall) async throws -> Response

    /// The type whose requests it answers.
    public let typeName: String

    /// How it answers a value, if it does.
    let answer: @Sendable (any Sendable) -> Answer?

    private init<Value: Sendable>(
        _ type: Value.Type,
        call: @escaping @Sendable (Value, MockCall) async throws -> Response
    ) {
        typeName = String(describing: type)
        answer = { value in
            guard let value = value as? Value else { return nil }
            return { try await call(value, $0) }
        }
    }

    /// Answers with a closure.
    ///
    /// - Parameters:
    ///   - type: The type of the values that the requests were made from; a protocol or a class fits what conforms to
    ///     it or inherits from it.
    ///   - delay: How long the answer takes, on the clock of the request's environment; no time by default.
    ///   - respond: Given the value and the request, gives the response; what it throws, the client gets.
    public init<Value: Sendable>(
        _ type: Value.Type,
        delay: Duration = .zero,
        respond: @escaping @Sendable (_ value: Value, _ request: Request) async throws -> Response
    ) {
        self.init(type) { value, call in
            try await call.wait(for: delay)
            return try call.delivery.deliver(try await respond(value, call.request))
        }
    }

    /// Answers with a closure that uses a helper.
    ///
    /// - Parameters:
    ///   - type: The type of the values that the requests were made from.
    ///   - delay: How long the answer takes, on the clock of the request's environment; no time by default.
    ///   - helper: Names the helper and makes it when the first mock that names it is used.
    ///   - respond: Given the value, the request and the helper, gives the response; what it throws, the client gets.
    public init<Value: Sendable, Helper: Sendable>(
        _ type: Value.Type,
        delay: Duration = .zero,
        helper: HelperKey<Helper>,
        respond: @escaping @Sendable (_ value: Value, _ request: Request, _ helper: Helper) async throws -> Response
    ) {
        self.init(type) { value, call in
            try await call.wait(for: delay)
            let helper = try await call.helpers.helper(helper)
            return try call.delivery.deliver(try await respond(value, call.request, helper))
        }
    }

    /// Answers with a scripted reply, its delays and its fault included.
    ///
    /// - Parameters:
    ///   - type: The type of the values that the requests were made from.
    ///   - reply: What to answer, each time.
    public init<Value: Sendable>(_ type: Value.Type, reply: ScriptedReply) {
        self.init(type) { _, call in
            try await call.delivery.play(reply) {}
        }
    }

    /// Fails.
    ///
    /// - Parameters:
    ///   - type: The type of the values that the requests were made from.
    ///   - delay: How long it takes to fail, on the clock of the request's environment; no time by default.
    ///   - error: What the client gets.
    public init<Value: Sendable>(_ type: Value.Type, delay: Duration = .zero, failing error: any Error) {
        self.init(type) { _, call in
            try await call.wait(for: delay)
            throw error
        }
    }
}

/// One request that a mock answers.
struct MockCall: Sendable {
    let delivery: Delivery
    let request: Request
    let helpers: HelperTable

    func wait(for delay: Duration) async throws {
        if delay > .zero { try await delivery.time.sleep(for: delay) }
    }
}
