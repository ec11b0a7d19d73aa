#if Valkey
public import HTTPChainCore

/// An error of a ``ValkeyTokenStore``, except those of its connection.
public struct ValkeyTokenStoreError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The stored value isn't a token encrypted with this key for this name: it was encrypted with another key, or
        /// somebody changed it.
        case unreadable
        /// Other processes have been refreshing the token for this long, without storing a new one.
        case refreshedElsewhere(Duration)
    }

    /// The problem.
    public let problem: Problem
    /// The name of the token, as given to the store.
    package let name: String

    package var failedStage: String { "ValkeyTokenStore" }

    package var explanation: Explanation {
        switch problem {
        case .unreadable:
            Explanation(
                "the stored token \"\(name)\" can't be decrypted with this key",
                "check that all machines have the same key; the next refresh replaces the value, and removeToken() "
                    + "removes it"
            )
        case .refreshedElsewhere(let time):
            Explanation(
                "other processes were refreshing the token \"\(name)\" for \(time), without a new token",
                "try again; if the problem persists, find out why the other machines' refreshes fail"
            )
        }
    }
}
#endif
