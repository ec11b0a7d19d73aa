// `HTTPChainSupport` has no public declarations but `Locked`: the rest is for the package's own targets, which get it
// with the core.
@_exported public import HTTPChainSupport
