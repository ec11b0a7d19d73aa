#if AllTests
import Foundation
import HTTPChain
import HTTPTypes
import TestSupport
import Testing

/// The server of `frames.py`, which does what the path of a request says and counts requests by their names.
struct FrameServer {
    /// What the server counts of one request.
    struct Count: Equatable, CustomStringConvertible {
        let seen: Int
        /// How often the server acted on it, or may have.
        let processed: Int

        var description: String { "seen \(seen), processed \(processed)" }
    }

    let base: String
    private let control: String

    /// Nil when the server does not run, which is said loudly.
    init?(_ server: Server = .frames, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let base = server.base(sourceLocation: sourceLocation),
            let control = Server.control.base(sourceLocation: sourceLocation)
        else { return nil }
        (self.base, self.control) = (base, control)
    }

    /// The counts of the requests whose names begin with `prefix`.
    func counts(_ prefix: String) async throws -> [String: Count] {
        let text = try await command("counts/\(prefix)")
        return try JSONDecoder().decode([String: [Int]].self, from: text)
            .mapValues { Count(seen: $0[0], processed: $0[1]) }
    }

    /// A request with a name that the server counts it by.
    static func request(
        _ method: HTTPRequest.Method = .get,
        _ path: String,
        named name: String,
        body: HTTPBody = .empty
    ) -> Request {
        Request(method, path, headers: HTTPFields(["X-Id": name]), body: body)
    }

    /// Gives the server a command, such as `nginx/reload`.
    @discardableResult
    func command(_ path: String) async throws -> Data {
        try await URLSessionTransport().send(.get("\(control)/\(path)")).body.collect(upTo: .mebibytes(8))
    }
}

/// A chain over HTTP/2.
enum FrameChain: String, CaseIterable, CustomTestStringConvertible {
    case readme = "the README's chain"
    case retry = "RetryMiddleware"
    case standard, server, mobile, commandLine

    var testDescription: String { rawValue }

    func chain(to base: String, over carrier: Carrier, deadline: Duration = .seconds(30)) throws -> Chain {
        let transport = try carrier.secureTransport()
        let timeout = TimeoutMiddleware(deadline)
        func replaced(_ chain: Chain) throws -> Chain { try chain.replacing(TimeoutMiddleware.self, with: timeout) }
        switch self {
        case .readme:
            return try Chain(transport: transport) {
                ErrorHandlerMiddleware(.problemDetails)
                timeout
                SerializerMiddleware(.json)
                StatusValidationMiddleware()
                URLBuilderMiddleware(base: base)
                HeadersMiddleware([.userAgent: "HTTPChain/interoperability"])
                RedirectMiddleware()
                GzipMiddleware()
                CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .by { _ in "ada" })
                RetryMiddleware()
                BearerAuthMiddleware(token: "hunter2", for: base)
                AttemptTimeoutMiddleware(connect: .seconds(10))
            }
        case .retry:
            return try Chain(transport: transport) {
                timeout
                StatusValidationMiddleware()
                URLBuilderMiddleware(base: base)
                RetryMiddleware()
            }
        case .standard: return try replaced(.standard(base: base, over: transport))
        case .server: return try replaced(.server(base: base, over: transport))
        case .mobile: return try replaced(.mobile(base: base, over: transport))
        case .commandLine: return try replaced(.commandLine(base: base, over: transport))
        }
    }
}
#endif
