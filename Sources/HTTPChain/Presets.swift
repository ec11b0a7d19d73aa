public import HTTPChainCache
public import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainGzip
import HTTPChainMultipart
import HTTPChainProgress
import HTTPChainRedirect
import HTTPChainRemoteLogging
import HTTPChainRetry
import HTTPChainSerializer
import HTTPChainStatusValidation
import HTTPChainTimeout
import HTTPChainURLBuilder
public import HTTPChainURLSession

/// Chains to begin with: the recommended stages in the right order, with safe defaults.
///
/// Each is a few lines of plain code, to be read here, printed with `print(chain)`, changed with
/// ``/HTTPChainCore/Chain/inserting(_:before:)``, ``/HTTPChainCore/Chain/replacing(_:with:)`` and
/// ``/HTTPChainCore/Chain/removing(_:)``, or copied into the application and edited there.
///
/// Each ends an exchange in which the network does not move, and each limits the time of a whole call: a server that
/// sends a byte now and then moves, and holds a call for ever. The limit is five minutes in
/// ``server(base:over:log:authentication:environment:)-(String,_,_,_,_)`` and an hour in the others, so that a large
/// transfer over a slow network has its time; `request.timeout(_:)` sets another one for a call, or none.
///
/// Their base holds: a reference such as `//other.example/a`, or a complete URL of another origin, is a
/// `URLBuilderError`, unless the call allows it with `request.leavingOrigin()`.
extension Chain {
    /// JSON over HTTP for any program: typed errors, forms, redirects, compression and retries.
    ///
    /// ```swift
    /// let chain = try Chain.standard(base: "https://api.example.com/v2")
    /// let user = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
    /// ```
    ///
    /// - Parameters:
    ///   - base: What relative references are joined with.
    ///   - transport: What carries the requests; URLSession by default.
    ///   - authentication: The stage that authenticates, such as `BearerAuthMiddleware`; none by default.
    ///   - environment: Clock and randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` when the base is not an absolute URL, or the authentication may not
    ///   be used so.
    public static func standard(
        base: String,
        over transport: any Transport = URLSessionTransport(),
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(3_600))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            MultipartMiddleware()
            RedirectMiddleware()
            GzipMiddleware()
            RetryMiddleware()
            authentication
            AttemptTimeoutMiddleware()
        }
    }

    /// For calls from one service to others: each call is logged, failures are found fast, and retries stay few.
    ///
    /// No redirects are followed, because where a service sends its requests is a matter of its configuration.
    ///
    /// - Parameters:
    ///   - base: What relative references are joined with.
    ///   - transport: What carries the requests: `AsyncHTTPClientTransport` on Linux.
    ///   - log: Takes one record for each call: a `LogShipper`; none by default.
    ///   - authentication: The stage that authenticates; none by default.
    ///   - environment: Clock and randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` as ``standard(base:over:authentication:environment:)-(String,_,_,_)`` does.
    public static func server(
        base: String,
        over transport: any Transport,
        log: (any LogSink)? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            if let log { RemoteLoggingMiddleware(log) }
            TimeoutMiddleware(.seconds(300))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            MultipartMiddleware()
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

    /// For an app on a phone: what was fetched is stored, and a network that comes and goes is waited for.
    ///
    /// - Parameters:
    ///   - base: What relative references are joined with.
    ///   - transport: What carries the requests; URLSession by default.
    ///   - store: Where responses are stored, as HTTP allows; 20 MB in memory by default, `.files(in:limit:)` to keep
    ///     them when the app ends.
    ///   - partition: Whose the stored responses are; with an authentication it has to be said, as
    ///     `.by { _ in account.id }`.
    ///   - authentication: The stage that authenticates; none by default.
    ///   - environment: Clock and randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` as ``standard(base:over:authentication:environment:)-(String,_,_,_)`` does.
    public static func mobile(
        base: String,
        over transport: any Transport = URLSessionTransport(),
        cache store: some CacheStore = .memory(limit: .megabytes(20)),
        partition: CachePartition = .none,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(3_600))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            MultipartMiddleware()
            RedirectMiddleware()
            GzipMiddleware()
            CacheMiddleware(store: store, partition: partition)
            RetryMiddleware(RetryPolicy(maximumAttempts: 4, backoff: Backoff(base: .seconds(1))))
            authentication
            AttemptTimeoutMiddleware()
        }
    }

    /// For a command-line tool: progress to show, errors to print, and no patience with a server that is silent.
    ///
    /// - Parameters:
    ///   - base: What relative references are joined with.
    ///   - transport: What carries the requests; URLSession by default.
    ///   - log: Takes one record for each call: a `LogShipper` with the settings `.commandLine`; none by default.
    ///   - authentication: The stage that authenticates; none by default.
    ///   - environment: Clock and randomness; the system's by default.
    /// - Throws: ``/HTTPChainCore/ChainOrderError`` as ``standard(base:over:authentication:environment:)-(String,_,_,_)`` does.
    public static func commandLine(
        base: String,
        over transport: any Transport = URLSessionTransport(),
        log: (any LogSink)? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try Chain(transport: transport, environment: environment) {
            ErrorHandlerMiddleware(.problemDetails)
            if let log { RemoteLoggingMiddleware(log) }
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(3_600))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            MultipartMiddleware()
            RedirectMiddleware()
            GzipMiddleware()
            RetryMiddleware()
            authentication
            AttemptTimeoutMiddleware(connect: .seconds(10))
        }
    }
}
