public import HTTPChainCore

/// The rule that keeps the calls of different users apart: the same notion as for caching.
public typealias CoalescingPartition = UserPartition
