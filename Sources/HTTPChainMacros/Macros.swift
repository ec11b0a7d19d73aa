#if Macros
@_exported public import HTTPChainClient
#endif
