// Parts of the core that don't depend on messages or chains are separate modules; users import only the core.
@_exported public import HTTPChainParameters
@_exported public import HTTPChainRedaction
@_exported public import HTTPChainReports
// `HTTPChainSupport` has no public declarations: it is for the package's own targets, which import it with the core.
@_exported public import HTTPChainSupport
@_exported public import HTTPChainTime
@_exported public import HTTPChainValues
