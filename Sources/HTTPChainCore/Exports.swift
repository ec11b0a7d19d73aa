// `HTTPChainSupport` has no public declarations: it is for the package's own targets, which import it with the core.
@_exported public import HTTPChainSupport
