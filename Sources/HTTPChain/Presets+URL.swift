public import Foundation
public import HTTPChainCache
public import HTTPChainCookies
public import HTTPChainCore
public import HTTPChainSerializer
public import HTTPChainURLSession

/// The preset chains with a `URL` as the base.
extension Chain {
    /// The same as ``standard(base:over:serializer:cookies:authentication:environment:)-(String,_,_,_,_,_)``.
    public static func standard(
        base: URL,
        over transport: any Transport = URLSessionTransport(),
        serializer: any Serializer = .json,
        cookies jar: CookieJar? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try .standard(
            base: base.absoluteString,
            over: transport,
            serializer: serializer,
            cookies: jar,
            authentication: authentication,
            environment: environment
        )
    }

    /// The same as ``server(base:over:log:serializer:authentication:environment:)-(String,_,_,_,_,_)``.
    public static func server(
        base: URL,
        over transport: any Transport,
        log: (any LogSink)? = nil,
        serializer: any Serializer = .json,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try .server(
            base: base.absoluteString,
            over: transport,
            log: log,
            serializer: serializer,
            authentication: authentication,
            environment: environment
        )
    }

    /// The same as ``mobile(base:over:cache:partition:serializer:cookies:authentication:environment:)-(String,_,_,_,_,_,_,_)``.
    public static func mobile(
        base: URL,
        over transport: any Transport = URLSessionTransport(),
        cache store: some CacheStore = .memory(limit: .megabytes(20)),
        partition: UserPartition = .none,
        serializer: any Serializer = .json,
        cookies jar: CookieJar? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try .mobile(
            base: base.absoluteString,
            over: transport,
            cache: store,
            partition: partition,
            serializer: serializer,
            cookies: jar,
            authentication: authentication,
            environment: environment
        )
    }

    /// The same as ``commandLine(base:over:log:serializer:cookies:authentication:environment:)-(String,_,_,_,_,_,_)``.
    public static func commandLine(
        base: URL,
        over transport: any Transport = URLSessionTransport(),
        log: (any LogSink)? = nil,
        serializer: any Serializer = .json,
        cookies jar: CookieJar? = nil,
        authentication: (any Middleware)? = nil,
        environment: ChainEnvironment? = nil
    ) throws -> Chain {
        try .commandLine(
            base: base.absoluteString,
            over: transport,
            log: log,
            serializer: serializer,
            cookies: jar,
            authentication: authentication,
            environment: environment
        )
    }
}
