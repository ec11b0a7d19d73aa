#if Macros
public import HTTPChain

/// Accepts these statuses alone.
@attached(peer)
public macro SuccessCodes(_ codes: StatusSet...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Accepts these statuses beside those of the chain.
@attached(peer)
public macro SuccessCodes(adding codes: StatusSet...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Handles errors of the call, before the chain's handlers.
@attached(peer)
public macro ErrorHandlers(_ handlers: ErrorHandler...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Handles errors of the call with these handlers alone.
@attached(peer)
public macro OnlyErrorHandlers(_ handlers: ErrorHandler...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Stores the response for a time, whatever the server says.
///
/// - Parameters:
///   - maxAge: How long the response is fresh.
///   - offline: Whether a stored response is given where no other can be had; written out, `true` or `false`.
///   - identifier: A name to find the stored response by; `{name}` and `%%0%%` stand for parameters.
@attached(peer)
public macro Cached(maxAge: Duration, offline: Bool = false, identifier: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Uses the cache in another way, or not: `@Cached(.off)`.
@attached(peer)
public macro Cached(_ use: CacheSettings.Use) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Uses the cache with settings of its own.
@attached(peer)
public macro Cached(_ settings: CacheSettings) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Removes what is stored once the call has succeeded.
@attached(peer)
public macro Invalidates(_ selections: CacheSelection...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Authenticates the call by the authenticator of a name.
@attached(peer)
public macro Authenticator(_ name: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends the call without credentials.
@attached(peer)
public macro Unauthenticated() =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Limits the time of the whole call; nil is no limit.
@attached(peer)
public macro Timeout(_ limit: Duration?) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Limits the time of each attempt; nil is no limit.
@attached(peer)
public macro AttemptTimeout(_ limit: Duration?) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Retries the call by a policy of its own.
@attached(peer)
public macro Retry(_ policy: RetryPolicy) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Hedges the call by a policy of its own.
@attached(peer)
public macro Hedged(_ policy: HedgingPolicy) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Says that the call is idempotent, or that it is not.
@attached(peer)
public macro Idempotent(_ isIdempotent: Bool = true) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Shares one transfer among equal calls, or does not.
@attached(peer)
public macro Coalesced(_ isCoalesced: Bool = true) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Takes more than one token of a rate limit.
@attached(peer)
public macro RateLimitWeight(_ weight: Int) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Follows redirects by a policy of its own.
@attached(peer)
public macro Redirects(_ policy: RedirectPolicy) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Uses the jar of cookies in another way, or not.
@attached(peer)
public macro Cookies(_ use: CookieUse) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Logs the call in another way, or not: `@Logged(.off)`.
@attached(peer)
public macro Logged(_ settings: CallLogging...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Gives the call tags, to find and cancel it by.
@attached(peer)
public macro Tags(_ tags: String...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Builds the URL of the call in another way.
@attached(peer)
public macro URLBuiltBy(_ builder: any URLBuilding) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Changes the request with a processor, beside those of the chain.
@attached(peer)
public macro Processed(_ processor: any RequestProcessor) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets an option that a stage reads: an attribute of your own for a request processor, or any other.
@attached(peer)
public macro Option<Key: RequestOption>(_ option: Key.Type, _ value: Key.Value) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Changes the request with whatever a stage offers.
@attached(peer)
public macro Modified(_ change: @Sendable (Request) -> Request) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
