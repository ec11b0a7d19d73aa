import Foundation
import HTTPChain

private struct User: Codable, Sendable {
    var id: Int
    var name: String
}

private struct NewUser: Encodable, Sendable {
    var name: String
}

/// A custom stage, of a kind that many users of the package write.
private struct StopwatchMiddleware: Middleware {
    var phase: Phase { .call }
    var summary: StageSummary { StageSummary("StopwatchMiddleware", purpose: "prints how long a call took") }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let time = request.environment.time
        let began = time.elapsed
        let label = "\(request.head.method) \(Redaction.standard.url(request.url))"
        defer { print("  [stopwatch] \(label): \((time.elapsed - began) / .milliseconds(1)) ms") }
        return try await next(request)
    }
}

private func makeChain(base: String) throws -> Chain {
    try Chain(transport: URLSessionTransport()) {
        StopwatchMiddleware()
        SerializerMiddleware(.json)
        StatusValidationMiddleware()
        URLBuilderMiddleware(base: base)
        HeadersMiddleware([.userAgent: "Quickstart"])
        GzipMiddleware()
    }
}

/// Sends requests to a server in this process.
func tour() async throws {
    try await withDemoServer { base in
        let chain = try makeChain(base: base)

        heading("The chain, as explain() shows it")
        print(chain.explain())

        heading("GET, decoded to a type")
        let user = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
        print("  \(user)")

        heading("POST, with a typed body")
        let created = try await chain.send(.post("users", body: .value(NewUser(name: "Grace"))), as: User.self)
        print("  \(created)")

        heading("A failure, as a typed error")
        do {
            _ = try await chain.send(.get("users/0", query: ["token": "hunter2"]), as: User.self)
        } catch let error as StatusError {
            print("  \(type(of: error)) \(error.status.code)\n  \(error)")
        }

        heading("What happened to one request, as trace() shows it")
        try await show(chain.trace(.get("users/{id}", path: ["id": 42])))
    }
}

/// Sends one GET to any server.
func visit(_ url: String) async throws {
    let chain = try makeChain(base: url)
    heading("The chain, as explain() shows it")
    print(chain.explain())
    heading("What happened to the request, as trace() shows it")
    let call = await chain.trace(.get(url))
    try show(call)
    do {
        let (preview, _) = try await call.response.body.peek(upTo: 512)
        heading("The body")
        print(preview)
    } catch {
        print("\n\(error)")
        exit(1)
    }
}

private func show(_ call: TracedCall) throws {
    print(call.trace)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("httpchain-quickstart.html")
    try call.trace.html().write(to: file, atomically: true, encoding: .utf8)
    print("\nThe same as a waterfall, for a browser: \(file.path)")
}

private func heading(_ text: String) {
    print("\n\(text)\n")
}
