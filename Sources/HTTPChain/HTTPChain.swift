// The umbrella: one import for the core, the light stages and the built-in transports.

@_exported public import HTTPChainAuth
@_exported public import HTTPChainCache
@_exported public import HTTPChainCoalescing
@_exported public import HTTPChainCookies
@_exported public import HTTPChainCore
@_exported public import HTTPChainErrorHandler
@_exported public import HTTPChainGzip
@_exported public import HTTPChainHeaders
@_exported public import HTTPChainInMemory
@_exported public import HTTPChainMultipart
@_exported public import HTTPChainProgress
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
@_exported public import Logging
