// The umbrella: one import for the core, the light stages and the transport over URLSession.
//
// It exports only modules of HTTPChain, and HTTPTypes, which has the types of methods, status codes and fields. Two
// modules are left out on purpose:
//
// - Logging, because `os` also has a type named `Logger`, and an app that logs imports it itself;
// - HTTPChainInMemory, because its names (`Mock`, `Fault`, `ScriptedReply`) belong in tests and previews.
//
// The reasons for names that other modules also have:
//
// - No type has the same name as one of SwiftUI, `os` or swift-log, because apps import them in the same file. A body
//   is `HTTPBody`, because inside a `View` `Body` is the type of its content.
// - `Request`, `Response` and `Middleware` have the names that people look for. Server frameworks have the same ones; a
//   file that needs both writes `HTTPChain.Request`, or imports one of them: `import struct HTTPChain.Request`. A
//   prefix would burden every client for the sake of a few files.
//
// Tests/HTTPChainTests/Names compiles both kinds of file.

@_exported public import HTTPChainAuth
@_exported public import HTTPChainCache
@_exported public import HTTPChainCircuitBreaker
@_exported public import HTTPChainCoalescing
@_exported public import HTTPChainConcurrencyLimit
@_exported public import HTTPChainCookies
@_exported public import HTTPChainCore
@_exported public import HTTPChainErrorHandler
@_exported public import HTTPChainEventStream
@_exported public import HTTPChainFallback
@_exported public import HTTPChainGzip
@_exported public import HTTPChainHeaders
@_exported public import HTTPChainHedging
@_exported public import HTTPChainLoadShedding
@_exported public import HTTPChainMultipart
@_exported public import HTTPChainProgress
@_exported public import HTTPChainRateLimit
@_exported public import HTTPChainRedirect
@_exported public import HTTPChainRemoteLogging
@_exported public import HTTPChainRequestProcessor
@_exported public import HTTPChainRetry
@_exported public import HTTPChainSerializer
@_exported public import HTTPChainStatusValidation
@_exported public import HTTPChainTimeout
@_exported public import HTTPChainURLBuilder
@_exported public import HTTPChainURLSession
@_exported public import HTTPTypes
