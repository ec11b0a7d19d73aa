import Foundation
import HTTPChainAuth
import HTTPChainCache
public import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainGzip
import HTTPChainHeaders
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainSerializer
import HTTPChainStatusValidation
import HTTPChainTimeout
import HTTPChainURLBuilder
import HTTPTypes

/// The chain that the README shows.
public enum ReadmeScenarios {
    /// The fields that the chain puts on a request, for a plain client that sends the same.
    public static let fields: [(name: String, value: String)] = [
        ("User-Agent", "MyApp/1.0"), ("Accept", "application/json"), ("Accept-Encoding", "gzip"),
        ("Authorization", "Bearer \(token)"),
    ]

    private static let token = "0123456789abcdef0123456789abcdef"

    /// The README's stages over a transport.
    ///
    /// Its last one does not print the time, which is no part of a client.
    public static func chain(over transport: some Transport, base: String) throws -> Chain {
        try Chain(transport: transport) {
            ErrorHandlerMiddleware(.problemDetails)
            TimeoutMiddleware(.seconds(60))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base)
            HeadersMiddleware([.userAgent: "MyApp/1.0"])
            RedirectMiddleware()
            GzipMiddleware()
            CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .by { _ in "ada" })
            RetryMiddleware()
            BearerAuthMiddleware(token: Secret(token), for: base, allowsPlaintext: true)
            AttemptTimeoutMiddleware(connect: .seconds(10))
            ClosureMiddleware("Timing", phase: .wire, keepsDeadlines: true) { request, next in
                let began = ContinuousClock.now
                defer { _ = ContinuousClock.now - began }
                return try await next(request)
            }
        }
    }

    /// The chain over a transport that answers at once: a reply that may not be stored, one that is stored with each call,
    /// the same with the cache switched off for the call, one that is served from the store, and the same transport
    /// without the chain.
    public static func inMemory() async throws -> [Scenario] {
        let base = "https://api.example.com/v2"
        let bytes = Data(#"{"id":42,"name":"Ada"}"#.utf8)
        func transport(_ cacheControl: String) -> PromptTransport {
            PromptTransport(
                response: Response(
                    .ok,
                    headers: [
                        .contentType: "application/json", .cacheControl: cacheControl,
                        .date: HTTPDate(Date()).description,
                    ],
                    body: HTTPBody(bytes)
                )
            )
        }
        let passing = try chain(over: transport("no-store"), base: base)
        let storing = try chain(over: transport("max-age=0"), base: base)
        let serving = try chain(over: transport("max-age=86400"), base: base)
        let bare = try Chain(transport: transport("no-store"))
        let request = Request.get("users/42")
        let whole = Request.get(base + "/users/42")
        let uncached = request.caching(.off)
        _ = try await serving.send(request)
        return [
            Scenario(name: "readme.chain.none") { count in
                for _ in 0..<count { try await check(bare.send(whole), isHit: false) }
            },
            Scenario(name: "readme.chain.pass") { count in
                for _ in 0..<count { try await check(passing.send(request), isHit: false) }
            },
            Scenario(name: "readme.chain.cache.off") { count in
                for _ in 0..<count { try await check(passing.send(uncached), isHit: false) }
            },
            Scenario(name: "readme.chain.cache.store") { count in
                for _ in 0..<count { try await check(storing.send(request), isHit: false) }
            },
            Scenario(name: "readme.chain.cache.hit") { count in
                for _ in 0..<count { try await check(serving.send(request), isHit: true) }
            },
        ]
    }

    private static func check(_ response: Response, isHit: Bool) throws {
        guard response.status == .ok, (response.cacheStatus?.isHit ?? false) == isHit else {
            throw UnexpectedStatus(code: response.status.code)
        }
    }

    /// A small call over a network through a chain, and its response read to its end.
    public static func calls(of request: Request, through chain: Chain, named name: String) -> Scenario {
        Scenario(name: name) { count in
            for _ in 0..<count {
                let response = try await chain.send(request)
                guard response.status == .ok else { throw UnexpectedStatus(code: response.status.code) }
                _ = try await response.body.collect(upTo: .kibibytes(64))
            }
        }
    }
}

/// Answers at once, so that it keeps any deadline, as those to a network do.
struct PromptTransport: Transport {
    let response: Response

    var capabilities: TransportCapabilities { [.keepsDeadlines, .keepsRepeatedFields] }

    func send(_ request: consuming Request) async throws -> Response {
        response
    }
}
