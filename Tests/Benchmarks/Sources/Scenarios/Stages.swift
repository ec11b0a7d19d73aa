import HTTPChainCore
import HTTPTypes

/// Hands the request on and the response back.
struct PassThroughStage: Middleware {
    init() {}

    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await next(request)
    }
}

/// Hands the request on, as a stage does that leaves its caller's actor by itself.
struct ConcurrentStage: Middleware {
    init() {}

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await next(request)
    }
}

/// Hands the request on, as a stage does that takes a plain request: its caller keeps it, so that it is copied.
struct PlainStage: Middleware {
    init() {}

    nonisolated(nonsending) func intercept(_ request: Request, next: Next) async throws -> Response {
        try await next(request)
    }
}

/// Sets one header field, as a stage of a user would.
struct HeaderStage: Middleware {
    let name: HTTPField.Name
    let value: String

    init(_ name: HTTPField.Name, _ value: String) {
        self.name = name
        self.value = value
    }

    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        request.head.headerFields[name] = value
        return try await next(request)
    }
}

/// Answers every request with the same response.
struct CannedTransport: Transport {
    let response: Response

    init(_ response: Response = Response(.ok)) {
        self.response = response
    }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        response
    }
}
