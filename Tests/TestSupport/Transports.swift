package import HTTPChainCore
import HTTPTypes

/// Answers from a closure, and reads nothing by itself.
package struct ClosureTransport: Transport {
    package var capabilities: TransportCapabilities
    package var optionsRead: [any RequestOption.Type]
    package var answer: @Sendable (Request) async throws -> Response

    /// - Parameters:
    ///   - capabilities: What it says of itself; what `InMemoryTransport` says by default.
    ///   - options: The options that it reads; none by default.
    ///   - answer: Answers each request; 200 without content by default.
    package init(
        capabilities: TransportCapabilities = .closure,
        reading options: [any RequestOption.Type] = [],
        _ answer: @escaping @Sendable (Request) async throws -> Response = { _ in Response(.ok) }
    ) {
        self.capabilities = capabilities
        optionsRead = options
        self.answer = answer
    }

    /// Answers every request with a copy of one response.
    package init(capabilities: TransportCapabilities = .closure, answering response: Response) {
        self.init(capabilities: capabilities) { _ in response }
    }

    /// Answers after a delay, by the time source of the request.
    ///
    /// - Parameters:
    ///   - delay: The delay.
    ///   - isDelayed: Whether the response to a request is delayed; each is by default.
    ///   - response: The response; 200 without content by default.
    package static func delayed(
        by delay: Duration,
        where isDelayed: @escaping @Sendable (Request) -> Bool = { _ in true },
        answering response: Response = Response(.ok)
    ) -> ClosureTransport {
        ClosureTransport { request in
            if isDelayed(request) { try await request.environment.time.sleep(for: delay) }
            return response
        }
    }

    package func send(_ request: consuming Request) async throws -> Response {
        try await answer(request)
    }
}

extension TransportCapabilities {
    /// What a transport can do that hands the request to a closure.
    package static let closure: TransportCapabilities = [.streamsUploads, .backpressure, .keepsRepeatedFields]
}
