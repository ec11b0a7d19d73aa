// `HTTPChainSupport` has no public declarations: all of it is for the package's own targets, which get it
// with the core.
@_exported public import HTTPChainSupport
