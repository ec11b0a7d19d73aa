public import HTTPChainCore

/// A mock that responds to requests made from values of one type; see ``MockTransport``.
public struct Mock: Sendable {
    typealias Answer = @Sendable (MockCall) async throws -> Response

    /// A closure that returns the response closure for a value, or `nil` if the value is of another type.
    let answer: @Sendable (any Sendable) -> Answer?

    private static func answer<Value: Sendable>(
        _ type: Value.Type,
        call: @escaping @Sendable (Value, MockCall) async throws -> Response
    ) -> @Sendable (any Sendable) -> Answer? {
        { value in
            guard let value = value as? Value else { return nil }
            return { try await call(value, $0) }
        }
    }

    /// Creates a mock that responds with a closure.
    ///
    /// - Parameters:
    ///   - type: The type of the values that the requests were made from. A protocol matches conforming types, and a
    ///     class its subclasses.
    ///   - delay: The delay before the response, on the clock of the request's environment; zero by default.
    ///   - respond: A closure that returns the response to the value and the request. Its errors are thrown to the
    ///     client.
    public init<Value: Sendable>(
        _ type: Value.Type,
        delay: Duration = .zero,
        respond: @escaping @Sendable (_ value: Value, _ request: Request) async throws -> Response
    ) {
        answer = Self.answer(type) { value, call in
            try await call.delivery.wait(for: delay)
            return try await call.delivery.deliver(try await respond(value, call.request))
        }
    }

    /// Creates a mock that responds with a closure and a helper.
    ///
    /// - Parameters:
    ///   - type: The type of the values that the requests were made from.
    ///   - delay: The delay before the response, on the clock of the request's environment; zero by default.
    ///   - helper: The key of the helper, which is created on first use.
    ///   - respond: A closure that returns the response to the value and the request, given the helper. Its errors are
    ///     thrown to the client.
    public init<Value: Sendable, Helper: Sendable>(
        _ type: Value.Type,
        delay: Duration = .zero,
        helper: HelperKey<Helper>,
        respond: @escaping @Sendable (_ value: Value, _ request: Request, _ helper: Helper) async throws -> Response
    ) {
        answer = Self.answer(type) { value, call in
            try await call.delivery.wait(for: delay)
            let helper = try await call.helpers.helper(helper)
            return try await call.delivery.deliver(try await respond(value, call.request, helper))
        }
    }

    /// Creates a mock that responds with a scripted reply, including its delays and its fault.
    ///
    /// With `reply: .failure(error)` it throws an error.
    ///
    /// - Parameters:
    ///   - type: The type of the values that the requests were made from.
    ///   - reply: The reply to each request.
    public init<Value: Sendable>(_ type: Value.Type, reply: ScriptedReply) {
        answer = Self.answer(type) { _, call in
            try await call.delivery.play(reply) {}
        }
    }
}

/// A request that a mock responds to.
struct MockCall: Sendable {
    let delivery: Delivery
    let request: Request
    let helpers: HelperTable
}
