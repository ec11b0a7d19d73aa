public import HTTPChainCore

/// The rule that separates the entries of different users; coalescing uses the same type.
public typealias CachePartition = UserPartition
