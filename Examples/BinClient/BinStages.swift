import HTTPChain

/// Sets the `User-Agent` field.
struct AgentMiddleware: Middleware {
    let name: String

    var phase: Phase { .build }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        request.head.headerFields[.userAgent] = name
        return try await next(request)
    }
}

/// Reports deprecated resources (RFC 9745) on the standard error stream.
struct DeprecationMiddleware: Middleware {
    var report: @Sendable (String) -> Void = { message in printError(message) }

    var phase: Phase { .compress }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let asked = request.head
        let response = try await next(request)
        if let name = HTTPField.Name("Deprecation"), response.headers[name] != nil {
            // The request that was actually sent. A redirect may have changed the one that passed here.
            let sent = response.request ?? asked
            report("\(sent.method) \(sent.path ?? "") is deprecated.")
        }
        return response
    }
}
