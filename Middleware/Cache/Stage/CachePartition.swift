public import HTTPChainCore

/// The rule that keeps the entries of different users apart: the same notion as for coalescing.
public typealias CachePartition = UserPartition
