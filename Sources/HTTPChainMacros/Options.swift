#if Macros
public import HTTPChain

/// Accepts only these statuses.
@attached(peer)
public macro Statuses(only codes: StatusSet...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Accepts these statuses in addition to the chain's.
@attached(peer)
public macro Statuses(adding codes: StatusSet...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Handles errors of the call, before the chain's handlers.
@attached(peer)
public macro ErrorHandlers(_ handlers: ErrorHandler...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Handles errors of the call with only these handlers.
@attached(peer)
public macro ErrorHandlers(only handlers: [ErrorHandler]) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Stores the response for a time, regardless of the server's caching fields.
///
/// Calls with different parameters in their header fields don't share a response: these parameters are added to the
/// identifier, unless it already contains them. Remove such responses with `.identifierPrefix`.
///
/// - Parameters:
///   - maxAge: The time for which the response is fresh.
///   - offline: Whether a stored response is returned if no other is available; must be the literal `true` or `false`.
///   - identifier: An identifier of the stored response; `{name}` and `%%0%%` are replaced by parameters.
@attached(peer)
public macro Caching(maxAge: Duration, offline: Bool = false, identifier: String = "") =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the use of the cache, or disables it: `@Caching(.off)`.
@attached(peer)
public macro Caching(_ use: CacheSettings.Use) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the cache settings of the call.
@attached(peer)
public macro Caching(_ settings: CacheSettings) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Removes stored responses after the call has succeeded.
@attached(peer)
public macro Caching(invalidating selections: CacheSelection...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Authenticates the call with the authenticator of the given name.
@attached(peer)
public macro Authentication(by name: String) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sends the call with or without credentials.
@attached(peer)
public macro Authentication(_ isOn: Bool) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Limits the time of the whole call; nil for no limit.
@attached(peer)
public macro Timeout(_ limit: Duration?) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Limits the time of each attempt; nil for no limit.
@attached(peer)
public macro Timeout(attempt limit: Duration?) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the retry policy of the call.
@attached(peer)
public macro Retry(_ policy: RetryPolicy) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the hedging policy of the call.
@attached(peer)
public macro Hedging(_ policy: HedgingPolicy) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets whether the call gets an `Idempotency-Key`.
@attached(peer)
public macro Retry(idempotencyKey isGenerated: Bool) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets whether equal calls share one transfer.
@attached(peer)
public macro Coalescing(_ isOn: Bool = true) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the number of rate limit tokens that the call consumes.
@attached(peer)
public macro RateLimit(weight: Int) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the redirect policy of the call.
@attached(peer)
public macro Redirects(_ policy: RedirectPolicy) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the use of the cookie jar, or disables it.
@attached(peer)
public macro Cookies(_ use: CookieUse) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets the logging of the call, or disables it: `@Logged(false)`.
@attached(peer)
public macro Logged(
    _ isOn: Bool? = nil,
    detail: ExchangeDetail? = nil,
    component: String? = nil,
    attributes: LogAttributes = [:]
) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Adds tags to the call, for finding and cancelling it.
@attached(peer)
public macro Tags(_ tags: String...) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Builds the URL of the call with a given builder.
@attached(peer)
public macro URLBuiltBy(_ builder: any URLBuilding) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Changes the request with a processor, in addition to the chain's processors.
@attached(peer)
public macro Processing(by processor: any RequestProcessor) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Sets an option for a stage, such as a custom attribute for a request processor.
@attached(peer)
public macro Option<Key: RequestOption>(_ option: Key.Type, _ value: Key.Value) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")

/// Changes the request with any method that a stage offers.
@attached(peer)
public macro Modified(_ change: @Sendable (Request) -> Request) =
    #externalMacro(module: "MacroPlugin", type: "AnnotationMacro")
#endif
