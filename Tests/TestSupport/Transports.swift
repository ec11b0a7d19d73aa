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

    package func send(_ request: consuming Request) async throws -> Response {
        try await answer(request)
    }
}

extension TransportCapabilities {
    /// What a transport can do that hands the request to a closure.
    package static let closure: TransportCapabilities = [.streamsUploads, .backpressure, .keepsRepeatedFields]
}
