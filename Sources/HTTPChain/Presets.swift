public import HTTPChainCache
public import HTTPChainCookies
public import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainGzip
import HTTPChainHeaders
import HTTPChainMultipart
import HTTPChainProgress
import HTTPChainRedirect
import HTTPChainRemoteLogging
import HTTPChainRequestProcessor
import HTTPChainRetry
public import HTTPChainSerializer
import HTTPChainStatusValidation
import HTTPChainTimeout
import HTTPChainURLBuilder
public import HTTPChainURLSession

/// Preset chains with the recommended stages in the right order and safe defaults.
///
/// Each preset is a few lines of plain code. You can print it with `print(chain)`, change it with
/// ``/HTTPChainCore/Chain/inserting(_:before:)``, ``/HTTPChainCore/Chain/replacing(_:with:)`` and
/// ``/HTTPChainCore/Chain/removing(_:)``, or copy it into your application and edit it there.
///
/// Each preset ends an exchange that makes no progress. It also limits the time of a whole call, because a server that
/// sends a byte now and then could keep the call open forever. The limit is five minutes in
/// ``server(base:over:log:serializer:authentication:environment:)`` and an hour in the others, which
/// is enough for a large transfer over a slow network. `request.timeout(_:)` changes or removes it for a call.
///
/// A reference to an origin other than the base's, such as `//other.example/a` or a complete URL, throws a
/// `URLBuilderError`, unless the call allows it with `request.url(leavesOrigin: .allowed)`.
extension Chain {
    /// Makes a chain for JSON over HTTP in any program: typed errors, forms, redirects, compression and retries.
    ///
    /// ```swift
    /// let chain = try Chain.standard(base: "https://api.example.com/v2")
    /// let user = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - base: The base URL for relative references.
    ///   - transport: The transport; URLSession by default.
    ///   - serializer: The serializer for typed values; JSON by default.
    ///   - jar: The jar that the cookies of responses are stored in and sent from; none by default.
    ///   - authentication: The authentication stage, such as `BearerAuthMiddleware`; none by default.
    ///   - environment: The clock and source of randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` if the base isn't an absolute URL, or the authentication isn't
    ///   allowed in this chain.
    public static func standard(
        base: String,
        over transport: any Transport = URLSessionTransport(),
        serializer: any Serializer = .json,
        cookies jar: CookieJar? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(3_600))
            SerializerMiddleware(serializer)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            HeadersMiddleware()
            MultipartMiddleware()
            RequestProcessorMiddleware()
            RedirectMiddleware()
            if let jar { CookieMiddleware(jar) }
            GzipMiddleware()
            RetryMiddleware()
            authentication
            AttemptTimeoutMiddleware()
        }
    }

    /// Makes a chain for calls between services: logs each call, fails fast, and limits retries.
    ///
    /// It doesn't follow redirects, because a service's configuration decides where its requests go.
    ///
    /// - Parameters:
    ///   - base: The base URL for relative references.
    ///   - transport: The transport: `AsyncHTTPClientTransport` on Linux.
    ///   - log: The sink for a record of each call, such as a `LogShipper`; none by default.
    ///   - serializer: The serializer for typed values; JSON by default.
    ///   - authentication: The authentication stage; none by default.
    ///   - environment: The clock and source of randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` as ``standard(base:over:serializer:cookies:authentication:environment:)`` does.
    public static func server(
        base: String,
        over transport: any Transport,
        log: (any LogSink)? = nil,
        serializer: any Serializer = .json,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            if let log { RemoteLoggingMiddleware(log) }
            TimeoutMiddleware(.seconds(300))
            SerializerMiddleware(serializer)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            HeadersMiddleware()
            MultipartMiddleware()
            RequestProcessorMiddleware()
            GzipMiddleware()
            RetryMiddleware(
                RetryPolicy(
                    maximumAttempts: 3,
                    backoff: Backoff(base: .milliseconds(100)),
                    retryAfterLimit: .seconds(5)
                )
            )
            authentication
            AttemptTimeoutMiddleware(connect: .seconds(10), response: .seconds(30), read: .seconds(30))
        }
    }

    /// Makes a chain for an app on a phone: caches responses, and retries longer on an unreliable network.
    ///
    /// - Parameters:
    ///   - base: The base URL for relative references.
    ///   - transport: The transport; URLSession by default.
    ///   - store: The store for responses, as HTTP allows; 20 MB in memory by default. Use `.files(in:limit:)` to keep
    ///     them when the app ends.
    ///   - partition: The user that the stored responses belong to. Required with authentication:
    ///     `.by { _ in account.id }`.
    ///   - serializer: The serializer for typed values; JSON by default.
    ///   - jar: The jar that the cookies of responses are stored in and sent from; none by default.
    ///   - authentication: The authentication stage; none by default.
    ///   - environment: The clock and source of randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` as ``standard(base:over:serializer:cookies:authentication:environment:)`` does.
    public static func mobile(
        base: String,
        over transport: any Transport = URLSessionTransport(),
        cache store: some CacheStore = .memory(limit: .megabytes(20)),
        partition: UserPartition = .none,
        serializer: any Serializer = .json,
        cookies jar: CookieJar? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(3_600))
            SerializerMiddleware(serializer)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            HeadersMiddleware()
            MultipartMiddleware()
            RequestProcessorMiddleware()
            RedirectMiddleware()
            if let jar { CookieMiddleware(jar) }
            GzipMiddleware()
            CacheMiddleware(store: store, partition: partition)
            RetryMiddleware(RetryPolicy(maximumAttempts: 4, backoff: Backoff(base: .seconds(1))))
            authentication
            AttemptTimeoutMiddleware()
        }
    }

    /// Makes a chain for a command-line tool: progress to show, errors to print, and a short connect timeout.
    ///
    /// - Parameters:
    ///   - base: The base URL for relative references.
    ///   - transport: The transport; URLSession by default.
    ///   - log: The sink for a record of each call, such as a `LogShipper` with the settings `.commandLine`; none by
    ///     default.
    ///   - serializer: The serializer for typed values; JSON by default.
    ///   - jar: The jar that the cookies of responses are stored in and sent from; none by default.
    ///   - authentication: The authentication stage; none by default.
    ///   - environment: The clock and source of randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` as ``standard(base:over:serializer:cookies:authentication:environment:)`` does.
    public static func commandLine(
        base: String,
        over transport: any Transport = URLSessionTransport(),
        log: (any LogSink)? = nil,
        serializer: any Serializer = .json,
        cookies jar: CookieJar? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            if let log { RemoteLoggingMiddleware(log) }
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(3_600))
            SerializerMiddleware(serializer)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            HeadersMiddleware()
            MultipartMiddleware()
            RequestProcessorMiddleware()
            RedirectMiddleware()
            if let jar { CookieMiddleware(jar) }
            GzipMiddleware()
            RetryMiddleware()
            authentication
            AttemptTimeoutMiddleware(connect: .seconds(10))
        }
    }
}
