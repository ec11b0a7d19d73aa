public import HTTPChainCore

/// The rule that separates the calls of different users; caching uses the same type.
public typealias CoalescingPartition = UserPartition
