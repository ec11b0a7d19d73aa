#if Valkey
/// The scripts of a store; each reads and changes the token and the lock atomically.
///
/// `KEYS[1]` is the token. `KEYS[2]` is the lock, which expires; its value is the random name of the store that
/// refreshes the token. `KEYS[3]` is the random name of the last sign-out, which also expires.
enum TokenScripts {
    /// Claims the lock if it is free.
    ///
    /// Returns the stored token, 1 if the lock is now this store's, and the last sign-out.
    ///
    /// `ARGV` has the store's random name and the milliseconds until the lock expires.
    static let claim = """
        local stored = redis.call('GET', KEYS[1])
        local claimed = redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2])
        return {stored, claimed and 1 or 0, redis.call('GET', KEYS[3])}
        """

    /// Releases the lock if it is still this store's.
    ///
    /// `ARGV` has the store's random name.
    static let release = """
        if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
        return 0
        """

    /// Stores a token, unless the token has been replaced or removed since the lock was claimed.
    ///
    /// Releases the lock, and returns the token that is stored now.
    ///
    /// The script compares the token and the sign-out, not the lock, so that the result of a refresh that took longer
    /// than the lock is still stored if nothing else happened. If no token was stored, only the sign-out shows that the
    /// user has signed out since. `ARGV` has the store's random name, the token that was stored (empty if there was
    /// none), the new one, and the last sign-out before the refresh (empty if there was none).
    static let finish = """
        if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
        local stored = redis.call('GET', KEYS[1])
        local ended = redis.call('GET', KEYS[3])
        if (stored or '') ~= ARGV[2] or (ended and ended ~= ARGV[4]) then return stored end
        redis.call('SET', KEYS[1], ARGV[3])
        return ARGV[3]
        """

    /// Stores a token and releases the lock, so that a refresh in flight can't replace it.
    ///
    /// `ARGV` has the token.
    static let save = """
        redis.call('SET', KEYS[1], ARGV[1])
        redis.call('DEL', KEYS[2])
        return 0
        """

    /// Removes the token, releases the lock, and records the sign-out for the refreshes in flight.
    ///
    /// `ARGV` has a random name for the sign-out, and the milliseconds for which it is recorded.
    static let remove = """
        redis.call('DEL', KEYS[1], KEYS[2])
        redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
        return 0
        """
}
#endif
