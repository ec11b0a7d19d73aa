// The umbrella: one import for the core, the light stages and the transport over URLSession.
//
// It exports no module that is not HTTPChain's, but for HTTPTypes, whose types are our vocabulary for methods, status
// codes and fields. Two modules are left out on purpose:
//
// - Logging, whose `Logger` is also the name of a type of `os`, and which an app that logs imports itself;
// - HTTPChainInMemory, whose words (`Mock`, `Fault`, `ScriptedReply`) belong to tests and previews.
//
// The names beside those of other modules, and why they are as they are:
//
// - No type here has the name of a type of SwiftUI, `os` or swift-log, which stand in the same file in every app.
//   A body is `HTTPBody`, because inside every `View` the name `Body` means the type of its content.
// - `Request`, `Response` and `Middleware` keep the names under which people look for them. Server frameworks have the
//   same ones; a file that needs both says `HTTPChain.Request`, or imports the one it means:
//   `import struct HTTPChain.Request`. A prefix would burden every line of every client for the sake of few files.
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
